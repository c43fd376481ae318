"""Promise 8: NumPy's indexing semantics, and inputs of every layout."""

import numpy as np
import pytest

import covector

X = np.arange(12.0).reshape(3, 4)
WEIGHTS = np.linspace(1.0, 2.0, 12).reshape(3, 4)
MASK = X % 2 == 0
INDICES = [
    0, -1, (1, 2), slice(None, None, -1), (slice(None), slice(1, None, 2)), (Ellipsis, 1), None, (None, 0),
    [0, 0, 2], (slice(None), [1, 1, -1]), ([0, 2], [1, 3]), ([[0], [2]], [1, 3]), (slice(None), MASK[0]), MASK,
    (0, [1, 2]), ([0, 1], slice(None), None), np.array([], int), True, False, (MASK[:, 0], 1), np.array(1),
    (Ellipsis, MASK[0]), (Ellipsis, MASK[:, 0], slice(1, None)), (None, Ellipsis, MASK[0]), (0, Ellipsis, MASK[0]),
    (Ellipsis, MASK, None), (MASK[:, 0], Ellipsis, [1]),
]  # fmt: skip


def _loop_gradient(key):
    """By a one-hot tangent an element: the value itself, not our rules."""
    places = np.arange(12).reshape(3, 4)[key].reshape(-1)
    weights = np.arange(1.0, places.size + 1)
    out = np.zeros(12)
    np.add.at(out, places, weights)
    return out.reshape(3, 4)


@pytest.mark.parametrize("key", INDICES, ids=str)
def test_gradient_of_every_index_form(key):
    def fun(x):
        part = x[key]
        assert part.shape == X[key].shape
        flat = part.reshape(-1)
        return np.sum(flat * np.arange(1.0, flat.shape[0] + 1))

    np.testing.assert_array_equal(covector.grad(fun)(X), _loop_gradient(key))


@pytest.mark.parametrize("key", INDICES, ids=str)
def test_write_at_every_index_form(key):
    def fun(x, v):
        y = np.copy(x)
        y[key] = v
        return np.sum(y * WEIGHTS)

    value, (gx, gv) = covector.value_and_grad(fun, (0, 1))(X, 5.0)
    plain = X.copy()
    plain[key] = 5.0
    hit = np.zeros_like(X, bool)
    hit[key] = True
    assert value == np.sum(plain * WEIGHTS)
    np.testing.assert_array_equal(gx, np.where(hit, 0.0, WEIGHTS))
    np.testing.assert_allclose(gv, WEIGHTS[hit].sum())


@pytest.mark.parametrize("key", [3, -4, (0, 4), [0, 3], (slice(None), [4]), (0, 0, 0), 1.5, "a"], ids=str)
def test_what_numpy_refuses_is_refused(key):
    with pytest.raises(IndexError):
        X[key]
    with pytest.raises(IndexError):
        covector.grad(lambda x: np.sum(x[key]))(X)


def _memmap(tmp_path):
    out = np.memmap(tmp_path / "x", np.float64, "w+", shape=(3, 4))
    out[:] = X
    return out


def _read_only():
    out = X.copy()
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    "make",
    [lambda p: X[::-1, ::-1], lambda p: np.asfortranarray(X), lambda p: _read_only(), _memmap,
     lambda p: np.broadcast_to(X[0], (3, 4)), lambda p: X.astype(">f8"), lambda p: np.repeat(X, 2, 1)[:, ::2]],
    ids=["negative", "fortran", "read-only", "memory-mapped", "zero stride", "big-endian", "strided"],
)
def test_inputs_of_every_layout(make, tmp_path):
    x = make(tmp_path)

    def fun(x):
        return np.sum(np.sin(x) @ x.T) + np.sum(x[::2] * 2.0)

    plain = np.array(x, np.float64)
    got, want = covector.grad(fun)(x), covector.grad(fun)(plain)
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12)
    assert got.flags.writeable and got.shape == x.shape
    tangent = covector.jvp(fun, (x,), (np.ones_like(plain).astype(x.dtype),))[1]
    np.testing.assert_allclose(tangent, want.sum(), rtol=1e-12)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_empty_inputs(shape):
    x = np.zeros(shape)
    g = covector.grad(lambda x: np.sum(np.sin(x) * x[..., ::-1]) + np.sum(x.T))(x)
    assert g.shape == shape
    assert covector.hessian(lambda x: np.sum(x**3))(x).shape == shape * 2


PLACES = np.array([[0, 2], [1, 1], [-1, 0]])  # an index an example, with duplicates, negative ones among them


def _row(x, i):
    return x[i]


def _elements(x, i):
    return x[i, i + 1]


def _swapped(x, i):
    return x[:, i]


@pytest.mark.parametrize("part", [_row, _elements, _swapped], ids=lambda f: f.__name__)
@pytest.mark.parametrize("one", [False, True], ids=["several", "one"])
def test_each_example_writes_at_places_of_its_own(part, one):
    places = PLACES[:, 0] if one else PLACES
    xs = np.stack([X, X + 20.0, X * 2.0])
    values = [np.arange(1.0, part(x, i).size + 1).reshape(part(x, i).shape) for x, i in zip(xs, places)]
    key = {_row: lambda i: i, _elements: lambda i: (i, i + 1), _swapped: lambda i: (slice(None), i)}[part]

    def written(x, v, i):
        return np.sum(covector._primitives.At(x)[key(i)].set(v) * WEIGHTS)

    def in_place(x, v, i):
        y = np.copy(x)
        y[key(i)] = v
        return np.sum(y * WEIGHTS)

    want = [covector.value_and_grad(written, (0, 1))(x, v, i) for x, v, i in zip(xs, values, places)]
    for write in (written, in_place):
        for batched, turned in ((xs, places), (xs[0], places), (xs, places[0])):
            axes = (0 if batched is xs else None, 0, 0 if turned is places else None)
            found, (gx, gv) = covector.vmap(covector.value_and_grad(write, (0, 1)), axes)(
                batched, np.stack(values), turned)
            if batched is xs and turned is places:
                np.testing.assert_allclose(found, [value for value, _ in want])
                np.testing.assert_allclose(gx, [g for _, (g, _) in want])
                np.testing.assert_allclose(gv, [g for _, (_, g) in want])
            for k in range(3):
                x, i = xs[k] if batched is xs else batched, places[k] if turned is places else turned
                assert found[k] == write(x, values[k], i)


READS = [
    lambda x, i: x[i], lambda x, i: x[:, i + 1], lambda x, i: x[i, 0], lambda x, i: x[i, i], lambda x, i: x[-i - 1],
    lambda x, i: np.take(x, i, 0), lambda x, i: np.take_along_axis(x, i.reshape(1, 1), 0),
]  # fmt: skip
WRITES = [
    lambda x, i: covector._primitives.At(x)[i].get(), lambda x, i: covector._primitives.At(x)[i].add(1.0),
    lambda x, i: covector._primitives.At(x)[i].set(1.0), lambda x, i: covector._primitives.At(x)[i, 0].set(1.0),
]  # fmt: skip


@pytest.mark.parametrize("shared", [False, True])
def test_places_out_of_bounds_raise_under_vmap_too(shared):
    bad = np.array([0, 3, -1])
    xs, axes = (X, (None, 0)) if shared else (np.stack([X] * 3), (0, 0))
    for fun in WRITES if shared else READS + WRITES:
        mapped = covector.vmap(fun, axes)
        with pytest.raises(IndexError, match=r"out of bounds for (an )?axis"):
            mapped(xs, bad)
        graph = covector.make_graph(mapped)(xs, np.zeros(3, int))
        with pytest.raises(IndexError, match=r"out of bounds for (an )?axis"):
            graph(xs, bad)


def test_places_of_small_integer_types_reach_the_end_of_a_long_axis():
    xs = np.arange(1200.0).reshape(2, 600)
    for dtype in (np.uint8, np.int8):
        places = np.array([3, 120], dtype)
        np.testing.assert_array_equal(covector.vmap(lambda x, i: x[i])(xs, places), [3.0, 720.0])
        lowest = covector.vmap(lambda x, i: covector._primitives.At(x)[i].set(-1.0).min())(xs, places)
        np.testing.assert_array_equal(lowest, -1.0)


class Louder(np.ndarray):
    """A subclass whose product is another."""

    def __mul__(self, other):
        return 10.0 * np.asarray(self) * other


class Labelled(np.ndarray):
    """A subclass that only carries something along."""

    label = "x"

    def __array_finalize__(self, other):
        self.label = getattr(other, "label", "x")


MATRIX = X[:3, :3].view(np.matrix)
OF_OTHER_MEANING = [MATRIX, np.ma.masked_array(X[:3, :3], X[:3, :3] > 1.0), X[:3, :3].view(Louder)]


@pytest.mark.parametrize("other", OF_OTHER_MEANING, ids=lambda a: type(a).__name__)
def test_arrays_whose_operations_mean_otherwise_are_refused(other):
    """np.matrix multiplies as matrices do, a masked array leaves elements out: the rules know nothing of that."""
    x = np.array(X[:3, :3])
    convert = "(np.asarray|convert it)"
    for run in (
        lambda: covector.grad(lambda a: np.sum(a * a))(other), lambda: covector.vjp(lambda a: a * x, other),
        lambda: covector.jvp(lambda a: a * a, (other,), (x,)), lambda: covector.jvp(lambda a: a * a, (x,), (other,)),
        lambda: covector.vjp(lambda a: a * x, x)[1](other), lambda: covector.vmap(lambda a: a * 2.0)(other),
        lambda: covector.grad(lambda a: np.sum(a * other))(x), lambda: covector.jacfwd(lambda a: a + other)(x),
        lambda: covector.vmap(lambda a: np.multiply(a, other))(x),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=convert):
            run()


def test_a_subclass_that_only_carries_something_is_an_array():
    x = np.array(X[:3, :3])
    f = lambda a: np.sum(np.sin(a) * x)  # noqa: E731
    np.testing.assert_array_equal(covector.grad(f)(x.view(Labelled)), covector.grad(f)(x))
    np.testing.assert_array_equal(covector.grad(lambda a: np.sum(a * x.view(Labelled)))(x), x)


@pytest.mark.parametrize("rows", [10, 2048, 5000])
@pytest.mark.parametrize("way", ["eager", "grad", "jit", "vmap", "jvp"])
def test_selections_from_memory_maps_and_subclasses_of_any_size(rows, way, tmp_path):
    plain = np.random.default_rng(0).normal(size=(rows, 2))
    mapped = np.memmap(tmp_path / "x", plain.dtype, "w+", shape=plain.shape)
    mapped[...] = plain
    w = np.ones_like(plain)
    ways = {"eager": lambda f: f(w), "grad": lambda f: covector.grad(f)(w), "jit": lambda f: covector.jit(f)(w),
            "vmap": lambda f: covector.vmap(f)(np.stack([w, w])), "jvp": lambda f: covector.jvp(f, (w,), (w,))[1]}
    for choose in (lambda w, x: np.where(w > 0.5, x, w), lambda w, x: np.where(w > 0.5, w, x),
                   lambda w, x: np.where(x > 0.0, w, x), lambda w, x: np.where(x > 0.0, x, 0.0) * w):
        wanted, *found = [ways[way](lambda w, x=x, choose=choose: np.sum(choose(w, x) * w))
                          for x in (plain, mapped, plain.view(Labelled))]
        np.testing.assert_array_equal(found, [wanted, wanted])
