"""What shares memory under a transform is what shares it in NumPy: a write through one name is seen by the other."""

import numpy as np
import pytest

import covector
from covector.core.primitive.primitive import REGISTRY
from covector.testing.cases import cases

X = np.arange(1.0, 7.0).reshape(2, 3)

# Each writes to a part of `b`, or to what NumPy gives as an array of its own.
PROGRAMS = {
    "element behind an ellipsis": lambda b: np.multiply(b[0, 0, ...], 3.0, out=b[0, 0, ...]),
    "element behind an ellipsis, in place": lambda b: b[0, 0, ...].__iadd__(1.0),
    "element behind an ellipsis, assigned": lambda b: b[0, 0, ...].__setitem__(..., 7.0 * b[1, 1]),
    "one element, reshaped": lambda b: b[:1, :1].reshape(()).__imul__(3.0),
    "one element, squeezed": lambda b: b[:1, :1].squeeze().__isub__(b[0, 1]),
    "a number, which is no view": lambda b: b[0, 0].__add__(1.0),
    "diagonal by einsum": lambda b: np.einsum("iji->ij", b.reshape(1, 6, 1)).__setitem__((0, 1), b[1, 2]),
    "diagonal of a part by einsum": lambda b: np.einsum("ii->i", b[:, :2]).__setitem__(slice(None), b[1, 2]),
    "diagonal of a diagonal by einsum": lambda b: np.einsum("iij,jj->j", np.stack([b[:, :2]] * 2), b[:, 1:]).sum(),
    "diagonals by einsum": lambda b: np.einsum("iji->ji", b.reshape(1, 6, 1)[:, ::2]).__imul__(b[0, 1]),
    "method conj of real values": lambda b: b.conj().__setitem__(0, 0.0),
    "function conj": lambda b: np.conj(b).__setitem__(0, 0.0),
    "astype without a copy": lambda b: b.astype(float, copy=False).__setitem__(0, 0.0),
    "astype": lambda b: b.astype(float).__setitem__(0, 0.0),
    "nan_to_num in place": lambda b: np.nan_to_num(np.divide(b, 0.0, out=b), copy=False, posinf=2.0),
    "nan_to_num": lambda b: np.nan_to_num(b).__setitem__(0, 0.0),
    "reshape with a copy": lambda b: np.reshape(b, (6,), copy=True).__setitem__(0, 0.0),
    "reshape": lambda b: np.reshape(b, (6,)).__setitem__(0, 0.0),
    "concatenate of one": lambda b: np.concatenate([b]).__setitem__(0, 0.0),
    "vstack of one": lambda b: np.vstack([b]).__setitem__(0, 0.0),
    "block of one": lambda b: np.block(b).__setitem__(0, 0.0),
    "pad by nothing": lambda b: np.pad(b, 0).__setitem__(0, 0.0),
    "pad by nothing, mode edge": lambda b: np.pad(b, 0, mode="edge").__setitem__(0, 0.0),
    "roll by nothing": lambda b: np.roll(b, 0, 1).__setitem__(0, 0.0),
    "roll by nothing, flat": lambda b: np.roll(b, 0).__setitem__(0, 0.0),
    "tile once": lambda b: np.tile(b, 1).__setitem__(0, 0.0),
    "tile": lambda b: np.tile(b, (2, 1)).__setitem__(0, 0.0),
    "meshgrid of one": lambda b: np.meshgrid(b[0])[0].__setitem__(0, 0.0),
    "meshgrid": lambda b: np.meshgrid(b[0], b[1])[0].__setitem__(0, 0.0),
    "clip without limits": lambda b: b.clip(None, None).__setitem__(0, 0.0),
    "flat": lambda b: setattr(b, "flat", b[0, 1]),
    "real": lambda b: setattr(b, "real", 2.0 * b),
    "flat of a transposed one": lambda b: b.T.flat.__setitem__(1, 7.0),
    "flat of a reversed one": lambda b: b[::-1].flat.__setitem__(slice(0, 2), b[0, 0]),
    "a column's flat": lambda b: b[:, 1].flat.__setitem__([0, -1], 2.0),
    "flat, replaced": lambda b: setattr(b.T, "flat", b[0, 1]),
    "itself": lambda b: b.__setitem__(..., b),
    "itself, moved": lambda b: b.__setitem__(slice(1, None), b[:-1]),
    "itself, reversed": lambda b: b.__setitem__(..., b[::-1]),
    "copied onto itself": lambda b: np.copyto(b, b),
}  # fmt: skip


@pytest.mark.parametrize("start", [lambda x: x * 1.0, np.copy], ids=["computed", "buffer"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_write_reaches_what_it_reaches_in_numpy(name, start):
    def f(x):
        b = start(x)
        PROGRAMS[name](b)
        return b

    wanted = f(X)
    direction = np.cos(X)
    for wrapped in (lambda x: covector.jvp(f, (x,), (direction,))[0], lambda x: covector.vjp(f, x)[0],
                    lambda x: covector.vmap(f)(x[None])[0]):
        found = wrapped(X)
        np.testing.assert_array_equal(found, wanted)
    if "in place" not in name or "nan" not in name:
        tangent = covector.jvp(f, (X,), (direction,))[1]
        np.testing.assert_allclose(tangent, (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6, atol=1e-7)
        pulled = covector.vjp(f, X)[1](direction)[0]
        np.testing.assert_allclose(np.sum(pulled * direction), np.sum(tangent * direction))


# What an index with integers in it gives is a view of `b` in NumPy, and stays one where the integers are traced.
PARTS = {
    "written": lambda b, i: b[i].__setitem__(0, 5.0 * b[0, 1]),
    "in place": lambda b, i: b[i].__imul__(b[0]),
    "column": lambda b, i: b[:, i].__setitem__(slice(None), b[0, 0]),
    "column behind an ellipsis": lambda b, i: b[..., i].__iadd__(1.0),
    "element behind an ellipsis": lambda b, i: b[i, i, ...].__iadd__(b[0, 0]),
    "element, which is no view": lambda b, i: b[i, 0].__add__(1.0),
    "part of a part": lambda b, i: b[1:, ::2][:, i].T[::-1].__setitem__(0, 7.0),
    "two integers and a new axis": lambda b, i: b.reshape(2, 3, 1)[i, None, :, 0].__isub__(b[:1]),
    "itself": lambda b, i: b.__setitem__(i, b[i]),
    "negative": lambda b, i: b[i - 2].__itruediv__(2.0),
}  # fmt: skip


def augmented(b, i):
    b[i] += b[0]
    b[i, 1:] *= 2.0
    b[0:1][i - 1] -= 1.0


def written_behind(b, i):
    row = b[i]
    b[i, 0] = 9.0
    row[1] = row[0] * b[0, 0]


@pytest.mark.parametrize("start", [lambda x: x * 1.0, np.copy], ids=["computed", "buffer"])
@pytest.mark.parametrize("name", [*PARTS, "augmented", "written_behind"])
def test_a_part_at_a_traced_place_is_a_view(name, start):
    write = PARTS.get(name) or globals()[name]

    def f(x, i=1):
        b = start(x)
        write(b, i)
        return b

    places, both, direction = np.array([1, 1]), np.stack([X, 2.0 * X]), np.cos(X)
    np.testing.assert_array_equal(covector.jit(f)(X, 1), f(X))
    np.testing.assert_array_equal(covector.jit(lambda x: f(x, np.argmax(x[:, 0])))(X), f(X))
    np.testing.assert_array_equal(covector.vmap(f)(both, places), [f(x) for x in both])
    np.testing.assert_array_equal(covector.fori_loop(0, 2, lambda k, x: covector.jit(f)(x, k), X), f(f(X, 0), 1))
    wanted = covector.vjp(f, X)[1](direction)[0]
    for g in (lambda x: covector.jit(f)(x, 1), lambda x: covector.vmap(f, (None, 0))(x, places[:1])[0]):
        np.testing.assert_allclose(covector.vjp(g, X)[1](direction)[0], wanted)
        tangent = covector.jvp(g, (X,), (direction,))[1]
        np.testing.assert_allclose(tangent, covector.jvp(f, (X,), (direction,))[1])


def test_an_augmented_part_is_written_once():
    def augmented(x, i):
        x = x * 2.0
        x[i] += 1.0
        return x

    for place in (1, slice(1, 2)):
        graph = covector.make_graph(lambda x, place=place: augmented(x, place))(X)
        assert [eq.prim.name for eq in graph.equations] == ["multiply", "getitem", "add", "index_update"]
    names = [eq.prim.name for eq in covector.make_graph(augmented)(X, 1).equations]
    assert names.count("last_writer") == 1


@pytest.mark.parametrize("part", ["real", "imag"])
def test_parts_of_complex_values_are_written_to(part):
    def f(x):
        b = x * (1 + 2j)
        if part == "real":
            b.real += x**2
            b.real[0] *= x[1]
        else:
            b.imag -= x**2
            b.imag[0] *= x[1]
        return b.real * 3.0 + b.imag

    direction = np.cos(X)
    value, tangent = covector.jvp(f, (X,), (direction,))
    np.testing.assert_array_equal(value, f(X))
    np.testing.assert_allclose(tangent, (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6, atol=1e-7)
    pulled = covector.vjp(f, X)[1](direction)[0]
    np.testing.assert_allclose(np.sum(pulled * direction), np.sum(tangent * direction))


def rows_of_a_copy(b):
    v = b.T.reshape(-1).reshape(3, 2)
    for row in v:
        row *= 1.5
    return v


def part_of_a_copy(b):
    v = b.T.reshape(-1)
    part = v[:2]
    part[...] = 7.0 * b[0, 0]
    return v


def copy_of_what_is_written_later(b):
    v = b.T.reshape(-1)
    part, other = v[1:], v[::2]
    b[0] = 3.0
    part[0] = b[1, 1]
    other[...] = 2.0 * other
    return np.concatenate([v, part, other])


def part_of_a_forgotten_copy(b):
    part, other = (lambda v: (v[:4], v[2:]))(b.T.reshape(-1))
    part *= 2.0
    return np.concatenate([part, other])


def copy_of_a_written_view(b):
    t = b.T
    t[1] *= 2.0
    v = t.reshape(-1)
    v[2] = 7.0 * b[0, 0]
    return v


def ravelled_column(b):  # `reshape` gives a view of even steps, `ravel` does not
    v, w, kept = b[:, 1].ravel(), np.ravel(b[::-1]), b[:, 1].reshape(-1)
    v += b[0, 0]
    w[:2] = 5.0
    kept *= 3.0
    return np.concatenate([v, w, kept])


def ravelled_column_of_what_was_written(b):
    b[0] = 2.0 * b[1]
    return ravelled_column(b)


def ravelled_by_columns(b):
    v, w = b.ravel("F"), b.T.ravel("F")
    v[0] = 3.0
    w[1] *= 4.0
    return np.concatenate([v, w])


def ravelled_after_a_write_to_the_transpose(b):
    b.T[1] *= 2.0
    v = b.ravel()
    v[0] = 3.0 * b[1, 1]
    return v


def transposed_zeros(b):
    v = np.zeros_like(b).T.reshape(-1)
    v[1:] = b[0, 0]
    return v


def diagonals_of_what_is_written_later(b):
    d, e, f = np.diagonal(b), b.diagonal(1), np.diag(b, -1)
    last = np.linalg.diagonal(b[None])[0, 1:]
    b[0] = 3.0 * b[1]
    return np.concatenate([d, e, f, last])


def windows_of_what_is_written_later(b):
    w = np.lib.stride_tricks.sliding_window_view(b, (2, 2))
    rows = w[0, :, 0]
    b[0] = 3.0 * b[1]
    return np.concatenate([np.ravel(w), np.ravel(rows)])


COPIES = [rows_of_a_copy, part_of_a_copy, copy_of_what_is_written_later, part_of_a_forgotten_copy,
          copy_of_a_written_view, ravelled_column, ravelled_column_of_what_was_written, ravelled_by_columns,
          ravelled_after_a_write_to_the_transpose, transposed_zeros, diagonals_of_what_is_written_later,
          windows_of_what_is_written_later]


@pytest.mark.parametrize("start", [lambda x: x * 1.0, np.copy], ids=["computed", "buffer"])
@pytest.mark.parametrize("program", COPIES)
def test_views_of_a_copy_share_its_memory_and_not_that_of_its_source(program, start):
    def f(x):
        b = start(x)
        return np.concatenate([np.ravel(program(b)), np.ravel(b)])

    wanted, direction = f(X), np.cos(X)
    weights = np.sin(np.arange(wanted.size))
    value, pullback = covector.vjp(f, X)
    pushed, tangent = covector.jvp(f, (X,), (direction,))
    for found in (value, pushed, covector.jit(f)(X), covector.vmap(f)(X[None])[0]):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_allclose(np.sum(weights * tangent), np.sum(pullback(weights)[0] * direction))
    slope = (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(tangent, slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("source", [X, np.asfortranarray(X), np.stack([X, X]).T[..., 0]])
def test_arguments_lie_in_memory_as_those_of_the_user(source):
    def f(x):
        flat = x.reshape(-1)  # a copy of those whose elements do not lie in order
        flat[0] = 9.0 * x[1, 1]
        return x * np.cos(flat).sum()

    wanted = f(source.copy("K"))
    for found in (covector.vjp(f, source)[0], covector.jvp(f, (source,), (source,))[0],
                  covector.vmap(f)(np.stack([source, source]))[0]):
        np.testing.assert_array_equal(found, wanted)
    for argnums in (0, (0,), (0, 1)):
        value = covector.value_and_grad(lambda x, y: f(x).sum() * y, argnums)(source, 1.0)[0]
        np.testing.assert_allclose(value, wanted.sum())


VIEWS = {
    "rows": lambda b, k: b[k % len(b)] if len(b) else b[...],
    "part": lambda b, k: b[k % 2 :],
    "backwards": lambda b, k: b[::-1],
    "transposed": lambda b, k: b.T,
    "flat": lambda b, k: b.reshape(-1),  # which copies where the elements do not lie in order
    "new axis": lambda b, k: b[None],
    "ravelled": lambda b, k: np.ravel(b),
}


def written_at_random(x, seed):
    """Arrays that are views of each other, after writes through some of them; some are forgotten in between."""
    rng = np.random.default_rng(seed)
    names = [x * 1.0, x]
    for k in range(14):
        target = names[rng.integers(len(names))]
        turn = rng.integers(5)
        if turn < 2 and target.ndim:
            names.append(VIEWS[sorted(VIEWS)[rng.integers(len(VIEWS))]](target, k))
        elif turn == 2 and len(names) > 2:
            del names[rng.integers(len(names))]
        elif turn == 3:
            other = names[rng.integers(len(names))]
            target *= 1.0 + 0.1 * np.sum(other)
        elif target.ndim and len(target):
            target[0] += 0.5 * target[-1]
        del target
    return np.concatenate([np.ravel(v) for v in names])


@pytest.mark.parametrize("seed", range(60))
def test_names_of_one_memory_see_each_others_writes(seed):
    direction = np.cos(X)

    def f(x):
        return written_at_random(x, seed)

    value, tangent = covector.jvp(f, (X,), (direction,))
    np.testing.assert_array_equal(value, f(X.copy()))
    np.testing.assert_array_equal(covector.vmap(f)(X[None])[0], f(X.copy()))
    close = 1e-6 * direction
    slope = (f(X + close) - f(X - close)) / 2e-6
    np.testing.assert_allclose(tangent, slope, rtol=1e-5, atol=1e-6 * np.abs(tangent).max())
    weights = np.sin(np.arange(value.size))
    pulled = covector.vjp(f, X)[1](weights)[0]
    np.testing.assert_allclose(np.sum(pulled * direction), np.sum(tangent * weights), rtol=1e-9)
    np.testing.assert_allclose(covector.jit(f)(X), value, rtol=1e-12)


def test_forgotten_views_cost_nothing():
    def f(x):
        y = x * 1.0
        for k in range(1000):
            y[k % 2, 0]
            y[k % 2]
        seen.append(len(y.state))
        return y

    seen = []
    covector.vjp(f, X)
    assert seen[0] <= 65


READ_ONLY = {
    "broadcast_to": lambda b: np.broadcast_to(b, (2, 2, 3)).__setitem__(0, 0.0),
    "broadcast_arrays": lambda b: np.broadcast_arrays(b, np.ones((2, 2, 3)))[0].__setitem__(0, 0.0),
    "imaginary part of real values": lambda b: b.imag.__iadd__(1.0),
    "diagonal": lambda b: np.diagonal(b).__setitem__(0, 0.0),
    "diag": lambda b: np.diag(b).__imul__(2.0),
    "windows": lambda b: np.lib.stride_tricks.sliding_window_view(b, 2, 1).__setitem__(0, 0.0),
}


@pytest.mark.parametrize("name", READ_ONLY)
def test_what_is_read_only_in_numpy_is_refused(name):
    def f(x):
        b = np.copy(x)
        READ_ONLY[name](b)
        return b

    with pytest.raises(ValueError, match="read-only, as in NumPy; (write to a copy|make the array complex)"):
        covector.vjp(f, X)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_a_primitive_says_when_it_gives_memory_of_its_operands(name):
    prim = REGISTRY[name]
    for case in cases(prim):
        operands = [np.array(x) for x in case.operands]
        outs = [v for v in case.raw(operands, "bind") if isinstance(v, np.ndarray)]
        for k, out in enumerate(outs):
            shared = any(np.may_share_memory(out, x) for x in [*operands, *outs[:k]])
            assert not shared or prim.view or prim.shares, str(case)
