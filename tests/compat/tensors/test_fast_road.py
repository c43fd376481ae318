"""Views and writes of the fast road are those of the general one: values, gradients, versions, nodes."""

import contextlib
import gc
import sys

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.state import plain
from covector.compat.torch._impl.types.tensor_type import new
from covector.compat.torch._impl.views import fast as views

DTYPES = ("int64", "int32", "uint8", "int8", "bool", "complex64", "complex128", "float16", "bfloat16")


@contextlib.contextmanager
def generally():
    """Everything on the general road."""
    plain.OPEN[0] = False
    try:
        yield
    finally:
        plain.OPEN[0] = True


def read(rng, t):
    """A view of a tensor, or the tensor."""
    n = t.ndim
    choice = rng.integers(11)
    if choice == 0 and n:
        return t[int(rng.integers(-t.shape[0], t.shape[0]))]
    if choice == 1 and n:
        return t[int(rng.integers(t.shape[0])) :]
    if choice == 2 and n > 1:
        return t[(slice(None), int(rng.integers(t.shape[1])))] if rng.integers(2) else t[..., None]
    if choice == 3 and t.is_contiguous():
        return t.view(-1) if rng.integers(2) else t.reshape(1, *t.shape)
    if choice == 4 and n > 1:
        return t.transpose(int(rng.integers(-n, n)), int(rng.integers(n)))
    if choice == 5:
        return t.permute(*rng.permutation(n).tolist()) if n else t.unsqueeze(0)
    if choice == 6 and n == 2:
        return t.t()
    if choice == 7:
        return t.squeeze()
    if choice == 9:
        return [lambda: t[...], lambda: t[None], lambda: t.unsqueeze(-1), lambda: t.expand(2, *t.shape),
                lambda: t.squeeze(0) if n else t, lambda: t.flatten()][int(rng.integers(6))]()
    if choice == 8 and n:
        return t.chunk(2, int(rng.integers(-n, n)))[0] if rng.integers(2) else t.unbind(int(rng.integers(n)))[-1]
    return t


def program(seed):
    """What a random program of views and writes gives."""
    rng = np.random.default_rng(seed)
    x = torch.tensor(rng.normal(size=(2, 3, 2)), requires_grad=True)
    w = torch.tensor(rng.normal(size=12))
    out = []
    mode = [contextlib.nullcontext, torch.no_grad, torch.inference_mode][seed % 3]
    with mode():
        y = x * 2.0 if seed % 2 else w.clone().view(2, 3, 2)
        views = [y]
        for _ in range(8):
            kind = rng.integers(6)
            try:  # of several outputs of one node none may be written to
                t = read(rng, read(rng, views[int(rng.integers(len(views)))]))
                views.append(t)
                if kind == 0:
                    t.mul_(0.5)
                elif kind == 1:
                    t.add_(1.5)
                elif kind == 2:
                    t.sub_(x.detach().sum() * torch.ones(t.shape, dtype=torch.float64))
                elif kind == 3:
                    t.div_(t.detach().clone().abs() + 1.0)
                elif kind == 4 and t.ndim:
                    t[0] = 0.25
                out += [tuple(t.shape), t.stride(), t.detach().tolist(), t.is_inference() or t._version,
                        t.requires_grad, str(t.grad_fn).split(" object")[0] if t.grad_fn is not None else None]
            except RuntimeError as error:
                out.append(str(error))
    if y.requires_grad:
        for t in views:
            try:
                if t.requires_grad:
                    out.append(torch.autograd.grad(t.sum(), x, retain_graph=True)[0].tolist())
            except RuntimeError as error:
                out.append(str(error))
    return out


def loss_of(rng, x, w, out):
    """A number that a random program of views and writes gives of two tensors."""
    y = [lambda: x * 2.0, lambda: x + w, lambda: x.clone(), lambda: w * 1.0, lambda: x.view(3, -1) * 1.5,
         lambda: torch.sin(x)][int(rng.integers(6))]()
    views = [y]
    for _ in range(6):
        kind = rng.integers(13)
        t = read(rng, read(rng, views[int(rng.integers(len(views)))]))
        views.append(t)
        try:
            if kind == 0:
                t.mul_(0.5)
            elif kind == 1:
                t.add_(1.5)
            elif kind == 2:
                t.sub_(x.sum() * torch.ones(t.shape, dtype=x.dtype))
            elif kind == 3 and t.ndim:
                t[0] = 0.25
            elif kind == 4 and t.ndim:
                t[-1] = t[0] * 2.0
            elif kind == 5 and t.ndim:
                t[0] = x.sum()
            elif kind == 6:
                views[0].view(-1)[3] = t.sum()
            elif kind == 7:
                y[0] = 3
            elif kind == 8:
                t.copy_(t * 3.0)
            elif kind == 9 and t.ndim:
                t[0:1] += 2.0
            elif kind == 10:
                views.append(t * 3.0 + w.sum() - t)
            elif kind == 11:
                y[..., 0] = float("inf") if rng.integers(4) == 0 else y[..., 1]
            elif kind == 12:
                t.add_(t)
            out += [tuple(t.shape), t.stride(), t._version, t.requires_grad, t._is_view(), t.storage_offset(),
                    str(t.grad_fn).split(" object")[0]]
        except (RuntimeError, IndexError) as error:
            out.append(str(error))
    return sum([(t * t.clone()).sum() * 0.1 for t in views])


def program_at_levels(seed):
    """What such a program gives at levels of `func`."""
    rng = np.random.default_rng(seed)
    dtype = [torch.float64, torch.float32][seed % 2]
    x, w, v = [torch.tensor(rng.normal(size=(2, 3, 2)), dtype=dtype) for _ in range(3)]
    if seed % 3 == 0:
        x = torch.stack([x, x])[1]  # it is a view itself
    seen = x.numpy() if seed % 7 == 0 else None  # memory that is looked at from outside
    out = []

    def fun(x):
        return loss_of(np.random.default_rng(seed), x, w, out)

    def aside(x):
        with torch.no_grad():
            return fun(x)

    func = torch.func
    roads = [lambda: func.grad(fun)(x), lambda: func.vmap(fun)(torch.stack([x, w, v])),
             lambda: func.vjp(fun, x)[1](w.sum())[0], lambda: aside(x), lambda: func.grad(aside)(x),
             lambda: torch.stack(func.jvp(fun, (x,), (v,))), lambda: func.vmap(func.grad(fun))(torch.stack([x, w, v])),
             lambda: func.grad(lambda x: (func.grad(fun)(x) * x).sum())(x),
             lambda: func.grad(lambda x: func.vmap(fun)(torch.stack([x, x])).sum())(x)]
    for road in roads:
        try:
            found = road()
            out += [found.tolist(), found.dtype, found.requires_grad]
        except (RuntimeError, IndexError, ValueError) as error:
            out.append(str(error))
    return out, x.tolist(), w.tolist(), None if seen is None else seen.tolist()


def program_of_others(seed):
    """What a random program of views, writes and index tensors gives for dtypes of which little is recorded."""
    rng = np.random.default_rng(seed)
    dtype = getattr(torch, DTYPES[seed % len(DTYPES)])
    out = []

    def tell(t):
        out.extend([tuple(t.shape), t.stride(), t.detach().tolist(), t.dtype, t.is_inference() or t._version,
                    t._is_view(), t.requires_grad, t.grad_fn is None])

    mode = [contextlib.nullcontext, torch.no_grad, torch.inference_mode][seed // len(DTYPES) % 3]
    y = torch.tensor(rng.integers(0, 7, size=(2, 3, 2)).tolist()).to(dtype)
    if seed % 5 == 0 and dtype.is_complex:
        y = y.requires_grad_() * 1
    with mode():
        views = [y.clone() if seed % 2 else y]
        for _ in range(8):
            kind = rng.integers(12)
            try:
                t = read(rng, read(rng, views[int(rng.integers(len(views)))]))
                views.append(t)
                if kind == 0:
                    t.mul_(2)
                elif kind == 1:
                    t.add_([1, 300][int(rng.integers(2))])
                elif kind == 2:
                    t.sub_(torch.ones(t.shape, dtype=dtype))
                elif kind == 3:
                    t.fill_([3, 2.0, True, 0.5, -1][int(rng.integers(5))])
                elif kind == 4 and t.ndim:
                    t[0] = [3, 2.0, True, 0.5, -1][int(rng.integers(5))]
                elif kind == 5 and t.ndim:
                    t[-1] = t[0]
                elif kind == 6:
                    t.copy_(torch.ones(t.shape, dtype=dtype))
                elif kind == 7 and t.ndim:
                    t[t != 0] = [1, True, 2.5][int(rng.integers(3))]
                elif kind == 8 and t.ndim:
                    t[torch.tensor([0, -1])] = torch.ones((), dtype=dtype)
                elif kind == 9 and t.ndim:
                    tell(t[torch.tensor([0, -1])])
                    tell(t[t != 0])
                elif kind == 10 and t.ndim:
                    tell(t[torch.tensor(0)])
                elif kind == 11:
                    tell(t == 1)
                tell(t)
            except (RuntimeError, IndexError, ValueError) as error:
                out.append(str(error))
    tell(y)
    return out


@pytest.mark.filterwarnings("ignore:Use of index_put_ on expanded")
@pytest.mark.parametrize("seed", range(81))
def test_other_dtypes_on_the_fast_road_are_those_of_the_general_one(seed):
    fast = program_of_others(seed)
    with generally():
        assert program_of_others(seed) == fast


@pytest.mark.parametrize("seed", range(60))
def test_the_fast_road_does_what_the_general_one_does(seed):
    fast = program(seed)
    with generally():
        assert program(seed) == fast


def flat(found):
    """All that is in tuples and lists, in order."""
    return [x for part in found for x in flat(part)] if isinstance(found, tuple | list) else [found]


@pytest.mark.parametrize("seed", range(60))
def test_the_fast_road_at_levels_does_what_the_general_one_does(seed):
    """The general road makes the history of a view again when it is written to, the fast one when it is read: sums of
    cotangents may come in another order, and their last bits with it."""
    fast = flat(program_at_levels(seed))
    with generally():
        general = flat(program_at_levels(seed))
    assert [v for v in fast if type(v) is not float] == [v for v in general if type(v) is not float]
    np.testing.assert_allclose(*[[v for v in found if type(v) is float] for found in (fast, general)],
                               rtol=1e-5 if seed % 2 else 1e-13, atol=1e-5 if seed % 2 else 1e-13)


def test_views_of_any_size_take_the_fast_road():
    t = torch.ones(1, 30, 5)
    plans = views.in_shape((50, 3), "ViewBackward0"), views.spread((40, 30, 5)), views.by_axes((2, 1, 0), "TBackward0")
    found = [views.read(t[0], 29), views.read(t[0], slice(0, 30, 2)), *[views.view_of(t, plan) for plan in plans]]
    assert None not in found


def test_tensor_that_was_never_made_is_an_error():
    t = new(torch.Tensor)
    for fun in (lambda: t[0], lambda: t[...], lambda: t.expand(2), lambda: t.squeeze(), lambda: t.view(1),
                lambda: t.t(), lambda: t.mul_(2.0), lambda: t.chunk(2), lambda: t.__setitem__(0, 1),
                lambda: torch.ones(2)[t], lambda: torch.ones(2).mul_(t), lambda: torch.ones(2) + t,
                lambda: torch.argmax(t), lambda: t.sum(), lambda: torch.gather(torch.ones(2), 0, t)):
        with pytest.raises((AttributeError, TypeError)):
            fun()


@pytest.mark.parametrize("dtype", DTYPES)
def test_views_of_all_dtypes_take_the_fast_road(dtype):
    t = torch.ones(2, 3).to(getattr(torch, dtype))
    plans = views.in_shape((6,), "ViewBackward0"), views.spread((4, 2, 3)), views.by_axes((1, 0), "TBackward0")
    found = [views.read(t, 1), views.read(t[0], ...), *[views.view_of(t, plan) for plan in plans],
             views.parted(t, views.in_parts(((0, ...), (1, ...)), None))]
    assert None not in found


def steps(t):
    y = t * 2.0
    y[1:].mul_(0.5)
    y[0] = y[1].clone() * t[2]
    y[3] = y[2] * 2.0
    y[:, 1] = 0.5
    y.t()[0].add_(1.0)
    y.view(-1)[2:5].sub_(torch.ones(3))
    return (torch.sin(y) + y.expand(2, 4, 3) - y[None] * y[..., 0].sum()).sum()


def test_the_fast_road_keeps_nothing():
    i, x = torch.arange(12).reshape(4, 3), torch.ones(4, 3, requires_grad=True) * 2.0
    mask, w = i > 4, torch.ones(4, 3)
    roads = (lambda: i[1], lambda: i[...], lambda: i[None], lambda: i[1, 2], lambda: i.view(-1), lambda: i.t(),
             lambda: i.chunk(2), lambda: i.expand(2, 4, 3), lambda: x.expand(2, 4, 3), lambda: x[...],
             lambda: x.chunk(3), lambda: mask[1], lambda: i[i != 3], lambda: list(i),
             lambda: torch.func.grad(steps)(w), lambda: torch.func.vmap(steps)(w.expand(2, 4, 3).clone()))
    held = [i, i.value, i.autograd_meta, i.value.base, x, x.value, x.node, mask.value, w,
            w.value, None, True, torch.Tensor]
    for road in roads:
        road()
        gc.collect()
        before = [sys.getrefcount(v) for v in held]
        for _ in range(200):
            road()
        gc.collect()
        assert max(abs(sys.getrefcount(v) - n) for v, n in zip(held, before)) < 20


@pytest.mark.parametrize("seed", range(30))
def test_the_fast_road_under_saved_tensor_hooks_does_what_the_general_one_does(seed):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        fast = program(seed), program_of_others(seed)
        with generally():
            assert (program(seed), program_of_others(seed)) == fast


@pytest.mark.parametrize("shape", [(3, 3), (3,), (2, 3, 3)])
@pytest.mark.parametrize("other", [(), (3,), (1, 3)])
@pytest.mark.parametrize("write", ["add_", "mul_", "copy_"])
def test_examples_stay_apart_where_a_write_is_broadcast(shape, other, write):
    x = torch.arange(3.0 * np.prod(shape, dtype=int)).reshape(3, *shape)
    y = torch.arange(3.0 * np.prod(other, dtype=int)).reshape(3, *other) + 0.5
    if len(other) > len(shape):
        return

    def written(a, b):
        return getattr(a * 1.0, write)(b)

    found = torch.func.vmap(written)(x, y)
    expected = torch.stack([written(a, b) for a, b in zip(x, y)])
    assert found.tolist() == expected.tolist()
