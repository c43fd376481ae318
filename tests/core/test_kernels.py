"""Kernels of eager operations: large arrays give what NumPy's passes give, to rounding, in every mode and state."""

import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest

import covector
from covector import nn
from covector.compat import torch
from covector.core.arrays.backend import KERNELS
from covector.core.primitive.kernels import KNOWN, LEAST
from covector.extend import REGISTRY

pytest.importorskip("llvmlite", reason="needs the `llvm` extra: pip install 'covector[llvm]'")

ROWS = {"softmax": (1,), "log_softmax": (1,), "standardize": ((1,), 1e-5)}
PARAMS = {"hard_tanh": (-1.0, 1.0), "clamp": (-1.0, 1.0), "leaky_relu": (0.01,), "soft_shrink": (0.5,),
          "hard_shrink": (0.5,), "threshold": (0.1, 0.7), "elu": (1.3,), "bowl": (0.5, 4.0, 2.0), **ROWS}
POSITIVE = {"gammaln", "digamma"}  # SciPy's lose digits near the poles at negative integers
ELEMENTWISE = sorted({name for name, *_ in KNOWN if REGISTRY[name].elementwise})
TOLERANCE = {np.float32: 3e-5, np.float64: 1e-13}


@pytest.fixture(autouse=True)
def fresh():
    for kernels in KNOWN.values():
        kernels.clear()
    yield
    for kernels in KNOWN.values():
        kernels.clear()


class _ByNumpy:
    """The scope in which no kernel is made."""

    def __enter__(self):
        self.makers = dict(KERNELS)
        self.known = {key: dict(kernels) for key, kernels in KNOWN.items()}
        KERNELS.clear()
        for kernels in KNOWN.values():
            kernels.clear()

    def __exit__(self, *error):
        KERNELS.update(self.makers)
        for key, kernels in KNOWN.items():
            kernels.clear()
            kernels.update(self.known[key])


def _both(run):
    """What kernels give, and NumPy alone."""
    found = run()
    made = [kernel for kernels in KNOWN.values() for kernel in kernels.values()]
    assert made and None not in made
    with _ByNumpy():
        wanted = run()
    return found, wanted


def _alike(found, wanted, dtype):
    for a, b in zip(found, wanted, strict=True):
        assert type(a) is type(b) and a.dtype == b.dtype == dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(LEAST,), (LEAST + 1,), (97, 5, 31)])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_operations_and_their_derivatives(name, shape, dtype):
    rng = np.random.default_rng(0)
    x, c = [2.0 * rng.normal(size=shape).astype(dtype) for _ in range(2)]
    x = np.abs(x) if name in POSITIVE else x
    fun = lambda x: REGISTRY[name].fun(x, *PARAMS.get(name, ()))  # noqa: E731

    def run():
        value, pull = covector.vjp(fun, x)
        return value, pull(c)[0], covector.jvp(fun, (x,), (c,))[1], fun(x)

    _alike(*_both(run), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [
    (128, 9), (90, 16), (90, 17), (40, 33), (16, 64), (200, 65), (64, 128), (64, 129), (3, 4093), (3, 4094),
    (2, 20_011), (1, 9000)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "standardize", "layer_norm", "cross_entropy"])
def test_operations_on_rows_and_their_derivatives(name, shape, dtype):
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape).astype(dtype)
    w, b = rng.normal(size=(2, shape[1])).astype(dtype)
    labels = rng.integers(0, shape[1], shape[0])
    fun = {
        **{name: lambda x, w, b, name=name: REGISTRY[name].fun(x, *ROWS[name]) for name in ROWS},
        "layer_norm": lambda x, w, b: REGISTRY["layer_norm"].fun(x, w, b, (1,), 1e-5),
        "cross_entropy": lambda x, w, b: REGISTRY["cross_entropy"].fun(x, labels),
    }[name]
    c = rng.normal(size=fun(x, w, b).shape).astype(dtype)

    def run():
        value, pull = covector.vjp(fun, x, w, b)
        return value, *pull(c)

    _alike(*_both(run), dtype)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_equal_arguments_give_equal_bits_wherever_an_element_stands(name):
    x = np.random.default_rng(0).normal(size=LEAST + 777)
    fun = lambda x: REGISTRY[name].fun(x, *PARAMS.get(name, ()))  # noqa: E731
    whole = fun(x)
    np.testing.assert_array_equal(whole, fun(x))
    np.testing.assert_array_equal(whole[333:], fun(x[333:].copy()))
    np.testing.assert_array_equal(whole, fun(x.reshape(1, -1))[0])


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_values_that_are_not_finite_and_warnings_are_those_of_numpy(name):
    x = np.linspace(-700.0, 700.0, LEAST)
    x[:6] = np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324
    fun = lambda x: REGISTRY[name].fun(x, *PARAMS.get(name, ()))  # noqa: E731

    def run():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            value, pull = covector.vjp(fun, x)
            return [value, pull(np.ones(LEAST))[0]], sorted({str(w.message) for w in told})

    (found, told), (wanted, expected) = _both(run)
    assert told == expected
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a[:6], b[:6])
        np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "standardize", "layer_norm", "cross_entropy"])
@pytest.mark.parametrize("length", [5, 64, 100])
def test_rows_that_are_not_finite_are_those_of_numpy(name, length):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2048 // length, length))
    x[1, 0], x[3, -1], x[4, 0], x[5], x[6] = np.nan, np.inf, -np.inf, -np.inf, np.inf
    x[7], x[8, 0], x[9] = 0.0, 1e308, -1e308
    fun = {
        **{name: lambda x, name=name: REGISTRY[name].fun(x, *ROWS[name]) for name in ROWS},
        "layer_norm": lambda x: REGISTRY["layer_norm"].fun(x, x[0], x[2], (1,), 1e-5),
        "cross_entropy": lambda x: REGISTRY["cross_entropy"].fun(x, np.arange(len(x)) % length),
    }[name]
    with np.errstate(all="ignore"):
        found, wanted = _both(lambda: fun(x))
    assert np.isnan(wanted).any()
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_losses_of_classes_far_from_the_likeliest(dtype):
    """Exponentials less the label's overflow there, and of half precision the loss that was saved is not exact."""
    rng = np.random.default_rng(0)
    x = (30 * rng.normal(size=(64, 40))).astype(dtype)
    x[5, 7], x[6, 6] = -np.inf, -np.inf
    x[8], x[8, 8], x[9, 9] = 0.0, 60.0, -4000.0
    labels = np.arange(64) % 40
    c = rng.normal(size=64).astype(dtype)
    value, pull = covector.vjp(lambda x: REGISTRY["cross_entropy"].fun(x, labels), x)
    wide = x.astype(np.longdouble)
    parts = np.exp(wide - wide.max(1, keepdims=True))
    wanted = np.log(parts.sum(1)) + wide.max(1) - wide[np.arange(64), labels]
    slope = parts / parts.sum(1, keepdims=True) - (labels[:, None] == np.arange(40))
    few = {"rtol": 4 * np.finfo(dtype).eps, "atol": 8 * np.finfo(dtype).eps}
    np.testing.assert_allclose(value, wanted.astype(dtype), **few)
    np.testing.assert_allclose(pull(c)[0], (slope * c[:, None]).astype(dtype), **few)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_arrays_by_columns_have_kernels_too(name):
    x = np.random.default_rng(0).normal(size=(LEAST // 64, 70)).T
    fun = lambda x: REGISTRY[name].fun(x, *PARAMS.get(name, ()))  # noqa: E731
    found = fun(x)
    assert found.flags.f_contiguous
    np.testing.assert_array_equal(found, fun(x.copy()))


def test_an_error_state_that_raises_is_followed():
    x = np.full(LEAST, 1e308)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        REGISTRY["hard_swish"].fun(x)
    x = np.random.default_rng(0).normal(size=LEAST)
    with np.errstate(all="raise"):
        np.testing.assert_allclose(nn.softplus(x), np.logaddexp(x, 0.0), rtol=1e-14)


@pytest.mark.parametrize("change", [
    lambda x: x[::2], lambda x: x.reshape(4, -1, 3).transpose(1, 0, 2), lambda x: x.astype(">f8"),
    lambda x: x.view(np.dtype(float, metadata={"unit": "m"})), lambda x: x.astype(np.float16),
    lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64), lambda x: x[None, :0],
    lambda x: np.broadcast_to(x[:1], (3 * LEAST,))])
def test_arrays_that_kernels_do_not_take_are_left_to_numpy(change):
    x = change(np.random.default_rng(0).normal(size=3 * LEAST))
    found = nn.softplus(x)
    with _ByNumpy():
        wanted = nn.softplus(x)
    assert found.dtype == wanted.dtype and found.strides == wanted.strides
    np.testing.assert_array_equal(found, wanted)


def test_cotangents_of_another_shape_or_dtype_are_left_to_numpy():
    x = np.random.default_rng(0).normal(size=(2, LEAST))
    rule = REGISTRY["softplus"].vjp.real[0].fn
    for c in (np.ones((3, 2, LEAST)), np.ones((2, LEAST), np.float32)):
        with _ByNumpy():
            wanted = rule(c, x)
        np.testing.assert_allclose(rule(c, x), wanted, rtol=1e-15, strict=True)


def test_second_derivatives_batches_and_forward_mode():
    x = np.random.default_rng(0).normal(size=LEAST)
    with _ByNumpy():
        wanted = [covector.grad(lambda x: covector.grad(lambda x: nn.gelu(x, False).sum())(x).sum())(x),
                  covector.vmap(nn.softplus)(x.reshape(2, -1)), covector.jvp(nn.silu, (x,), (x,))[1]]
    found = [covector.grad(lambda x: covector.grad(lambda x: nn.gelu(x, False).sum())(x).sum())(x),
             covector.vmap(nn.softplus)(x.reshape(2, -1)), covector.jvp(nn.silu, (x,), (x,))[1]]
    _alike(found, wanted, np.float64)


def test_every_road_of_the_stateful_layer_gives_the_same():
    data = np.random.default_rng(0).normal(size=(64, 256))

    def leaf():
        return torch.from_numpy(data.copy()).requires_grad_()

    def gradient(x):
        return torch.autograd.grad(torch.nn.functional.gelu(x), x, torch.ones_like(x))[0].numpy()

    first = gradient(leaf())
    for _ in range(4):  # from some call on as a program
        np.testing.assert_array_equal(gradient(leaf()), first)
    value = torch.nn.functional.gelu(leaf()).detach().numpy()
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            np.testing.assert_array_equal(torch.nn.functional.gelu(leaf()).numpy(), value)
    np.testing.assert_array_equal(nn.gelu(data, False), value)


def test_parameters_are_arguments_of_one_kernel():
    x = np.random.default_rng(0).normal(size=LEAST)
    for slope in (0.01, 0.5, 2.0, -0.5):
        np.testing.assert_array_equal(REGISTRY["leaky_relu"].fun(x, slope), np.where(x > 0, x, x * slope))
    assert len(KNOWN["leaky_relu", "impl"]) == 1


def test_threads_share_a_kernel():
    x = np.random.default_rng(0).normal(size=1 << 18)
    wanted, wrong = nn.softplus(x), []

    def work():
        for _ in range(20):
            if not np.array_equal(nn.softplus(x), wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.parametrize("setting, expected", [("0", False), ("1", True)])
def test_nothing_is_loaded_before_the_first_large_array(setting, expected):
    code = """
    import sys
    import numpy as np
    from covector import nn
    from covector.core.primitive.kernels import KNOWN, LEAST
    nn.softplus(np.ones(LEAST - 1))
    assert "covector.transforms.compile.call.elementwise_kernels" not in sys.modules and "llvmlite" not in sys.modules
    nn.softplus(np.ones(LEAST))
    print(any(KNOWN["softplus", "impl"].values()))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False,
                          env={**__import__("os").environ, "COVECTOR_NATIVE": setting})
    assert done.stdout.strip() == str(expected), done.stderr


@pytest.mark.parametrize("size", [5, LEAST])
def test_nothing_flows_back_from_what_relu_cuts_off(size):
    x = np.linspace(-1.0, 1.0, size)
    for dtype in (np.float32, np.float64):
        given = x.astype(dtype)
        for flood in (np.inf, np.nan):
            d = np.full(size, flood, dtype)
            for fun in (covector.nn.relu, covector.jit(covector.nn.relu)):
                for slope in (covector.vjp(fun, given)[1](d)[0], covector.jvp(fun, (given,), (d,))[1]):
                    np.testing.assert_array_equal(slope, np.where(x > 0, d, 0))
                    assert slope.dtype == dtype


@pytest.mark.parametrize("size", [5, LEAST - 1, LEAST, 3 * LEAST])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_relu_of_zero_has_one_sign_at_every_size(size, dtype, request):
    x = np.full(size, -0.0, dtype)
    assert not np.signbit(covector.nn.relu(x)).any() and not np.signbit(covector.nn.relu(x.reshape(1, -1).T)).any()
    request.getfixturevalue("without_native")
    assert not np.signbit(covector.nn.relu(x)).any()
