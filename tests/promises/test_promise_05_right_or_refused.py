"""Promise 5: unsupported use raises a clean error; a gradient is never dropped silently."""

import copy
import math
import pickle

import numpy as np
import pytest

import covector

X = np.array([1.0, 2.0])


def _into_plain(x):
    y = np.zeros(2)
    y[0] = x[0]
    return y.sum()


def _augmented(x):
    y = np.zeros(2)
    y += x
    return y.sum()


def _out(x):
    y = np.zeros(2)
    np.add(x, 1.0, out=y)
    return y.sum()


def _at(x):
    y = np.zeros(2)
    np.add.at(y, [0, 1], x)
    return y.sum()


REFUSED = {
    "float": lambda x: float(x[0]),
    "int": lambda x: int(x[0]),
    "complex": lambda x: complex(x[0]),
    "math": lambda x: math.exp(x[0]),
    "item": lambda x: x[0].item(),
    "tolist": lambda x: x.tolist()[0],
    "asarray": lambda x: np.asarray(x).sum(),
    "array of tracers": lambda x: np.array([x[0], x[1]]).sum(),
    "write into a plain array": _into_plain,
    "augmented write": _augmented,
    "out=": _out,
    "add.at": _at,
    "full_like of a plain array": lambda x: np.full_like(np.zeros(2), x[0]).sum(),
    "index": lambda x: [1.0, 2.0][x[0]],
    "unknown ufunc": lambda x: np.isnat(x).sum(),
    "unknown function": lambda x: np.busday_count(x, x),
    "where=": lambda x: np.sin(x, where=np.array([True, False])).sum(),
    "pickle": lambda x: pickle.dumps(x),
    "deepcopy": lambda x: copy.deepcopy(x),
    "object array": lambda x: np.sum(np.sin(1.0 * _objects(x))),
}


def _objects(x):
    out = np.empty(2, object)
    out[0], out[1] = x[0], x[1]
    return out


@pytest.mark.parametrize("transform", ["grad", "jvp", "vmap"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_would_drop_a_gradient_is_refused(name, transform):
    fun = REFUSED[name]
    runs = {
        "grad": lambda: covector.grad(fun)(X),
        "jvp": lambda: covector.jvp(fun, (X,), (X,)),
        "vmap": lambda: covector.vmap(fun)(np.stack([X, X])),
    }
    with pytest.raises((TypeError, NotImplementedError, ValueError)) as error:
        runs[transform]()
    assert len(str(error.value)) > 20


@pytest.mark.parametrize("value", [3, True, np.array([1, 2]), "text", None, object()])
def test_inputs_without_derivative_are_refused(value):
    with pytest.raises((TypeError, ValueError)):
        covector.grad(lambda x: 1.0)(value if value is not None else {"a": "text"})


def test_complex_answer_is_refused():
    with pytest.raises(TypeError, match="holomorphic"):
        covector.grad(lambda x: np.sum(x * 1j))(X)


def test_batched_value_has_no_truth():
    with pytest.raises(TypeError, match="np.where or covector.cond"):
        covector.vmap(lambda x: x if x > 0 else -x)(X)


def test_escaped_tracer_is_refused():
    kept = []
    covector.grad(lambda x: kept.append(x) or np.sum(x))(X)
    with pytest.raises(RuntimeError, match="finished"):
        covector.grad(lambda y: np.sum(y * kept[0]))(X)


def test_write_of_an_inner_value_into_an_outer_buffer_is_refused():
    def outer(x):
        buffer = np.zeros_like(x)

        def inner(y):
            buffer[0] = y[0]
            return np.sum(y)

        return np.sum(covector.grad(inner)(x)) + np.sum(buffer)

    with pytest.raises(TypeError, match="inner"):
        covector.grad(outer)(X)


AFFINE = {
    "sum": lambda x: x + 1.0, "difference": lambda x: 2.0 - x, "choice": lambda x: np.where([True, False], x, 1.0),
    "joined": lambda x: np.concatenate([x, np.ones(2)]), "padded": lambda x: np.pad(x, 1, constant_values=2.0),
}  # fmt: skip
LINEAR = {
    "sum": lambda x: x + 0.0, "choice": lambda x: np.where([True, False], x, 0.0),
    "joined": lambda x: np.concatenate([x, np.zeros(2)]), "padded": lambda x: np.pad(x, 1),
}  # fmt: skip


def test_a_constant_beside_the_arguments_is_not_linear():
    for name in AFFINE:
        with pytest.raises(NotImplementedError, match="linear_transpose needs a linear function.*constant.*use vjp"):
            covector.linear_transpose(AFFINE[name], np.ones(2))
    for name in LINEAR:
        fun = LINEAR[name]
        ct = np.arange(1.0, 1.0 + fun(np.ones(2)).size)
        pulled, = covector.linear_transpose(fun, np.ones(2))(ct)
        np.testing.assert_array_equal(pulled, covector.vjp(fun, np.ones(2))[1](ct)[0])
