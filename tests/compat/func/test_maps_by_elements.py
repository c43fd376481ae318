"""Operations by elements of values of a vmap in native code: the same as by the general rules, and refused alike."""

import gc
import sys

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.types.tensor_type import FAST, GENERAL, Tensor

vmap, grad = torch.func.vmap, torch.func.grad


def fun(x, y, z):
    return (torch.sin(x) * y + 2 - x / 3.0) * z - torch.exp(-y) * x


def given(*shapes, dtype=torch.float64):
    rng = np.random.default_rng(0)
    return [torch.tensor(rng.normal(size=s), dtype=dtype) for s in shapes]


@pytest.mark.parametrize("shapes", [((3,),) * 3, ((3, 4),) * 3, ((3, 2, 4), (3, 4), (3, 1)), ((3,), (3, 2), (3,))])
def test_each_example_is_computed_as_if_it_were_alone(shapes):
    xs = given(*shapes)
    alone = torch.stack([fun(*[x[k] for x in xs]) for k in range(3)])
    for _ in range(3):
        np.testing.assert_allclose(vmap(fun)(*xs).numpy(), alone.numpy(), rtol=1e-14)


def test_histories_and_modes_around_and_inside():
    x, y, z = given((3, 4), (3, 4), (4,))
    asked = x.clone().requires_grad_()
    out = vmap(fun, (0, 0, None))(asked, y, z)  # recorded below
    out.sum().backward()
    np.testing.assert_allclose(asked.grad.numpy(), vmap(grad(lambda *a: fun(*a).sum()), (0, 0, None))(x, y, z).numpy())
    free = z.clone().requires_grad_()
    vmap(lambda a: a * free)(x).sum().backward()  # an operand of no vmap, which is recorded
    np.testing.assert_allclose(free.grad.numpy(), x.sum(0).numpy())
    with torch.no_grad():
        assert vmap(torch.sin)(asked).grad_fn is None
    with torch.inference_mode():
        assert vmap(torch.sin)(asked).grad_fn is None
    nested = vmap(vmap(lambda a, b: torch.sin(a) * b))(x, y)
    np.testing.assert_allclose(nested.numpy(), (torch.sin(x) * y).numpy())
    outer = vmap(lambda a: vmap(lambda b: a * b + torch.sin(a))(y[0]))(x[:, 0])
    np.testing.assert_allclose(outer.numpy(), (x[:, :1] * y[:1] + torch.sin(x[:, :1])).numpy())
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, y)
        tangent = torch.autograd.forward_ad.unpack_dual(vmap(torch.sin)(dual)).tangent
        np.testing.assert_allclose(tangent.numpy(), (torch.cos(x) * y).numpy())


def test_what_is_no_plain_value_goes_the_general_road():
    x = given((3, 4))[0]

    class Mine(torch.Tensor):
        pass

    assert vmap(lambda a: (a * 2).int() * 2)(x).dtype is torch.int32
    assert vmap(lambda a: a * torch.ones(4, dtype=torch.float32))(x).dtype is torch.float64
    with pytest.raises(RuntimeError, match="size of tensor"):
        vmap(lambda a, b: a * b)(x, torch.ones(3, 5, dtype=torch.float64))
    kept = []
    vmap(lambda a: kept.append(a) or a)(x)
    with pytest.raises(RuntimeError):
        torch.sin(kept[0])


def test_nothing_leaks():
    x, y = given((3, 4), (3, 4))
    things = None, Tensor, FAST, GENERAL

    def work(count):
        for _ in range(count):
            vmap(lambda a, b: torch.sin(a) * b + 1.0)(x, y)
        gc.collect()

    work(300)
    before = [sys.getrefcount(thing) for thing in things], len(gc.get_objects())
    work(300)
    after = [sys.getrefcount(thing) for thing in things], len(gc.get_objects())
    assert max(abs(a - b) for a, b in zip(after[0], before[0], strict=True)) < 100
    assert abs(after[1] - before[1]) < 100


def steps(y):
    y = y * 2.0
    for k in range(2):
        y[k : k + 2].mul_(0.5)
        y[-1 - k] = y[k] * 3.0
        y.view(2, 3).t()[0].add_(1.0)
        y[k].sub_(y[k + 1])
        y.reshape(3, 2)[1:].mul_(y.view(3, 2)[:-1].clone())
    return y, y[0], y.view(-1, 2).t(), y[None], y[:]


def test_views_and_writes_are_those_of_each_example():
    (x,) = given((4, 6))
    alone = [torch.stack(parts) for parts in zip(*[steps(x[k]) for k in range(4)], strict=True)]
    for _ in range(3):
        for found, expected in zip(vmap(steps)(x), alone, strict=True):
            np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-14)
    asked = x.clone().requires_grad_()
    sum(t.sum() for t in vmap(steps)(asked)).backward()
    other = x.clone().requires_grad_()
    sum(t.sum() for k in range(4) for t in steps(other[k])).backward()
    np.testing.assert_allclose(asked.grad.numpy(), other.grad.numpy(), rtol=1e-12)


def test_views_share_memory_with_what_is_mapped_and_bounds_are_those_of_an_example():
    x = torch.zeros(3, 2)
    vmap(lambda a: a[0].add_(1.0))(x)
    assert x.tolist() == [[1.0, 0.0]] * 3
    for key in (2, -3, (0, 0)):
        with pytest.raises(IndexError):
            vmap(lambda a, key=key: a[key])(x)
    with pytest.raises(RuntimeError, match="invalid for input of size"):
        vmap(lambda a: a.view(3))(x)
    with pytest.raises(RuntimeError):
        vmap(lambda a: torch.zeros(2).add_(a))(x)  # the values of a batch do not fit
    with pytest.raises(RuntimeError, match="leaf"):
        vmap(lambda a: a.mul_(2.0))(x.requires_grad_())


@pytest.mark.parametrize("dtype", ["int64", "bool", "float32", "complex128"])
def test_views_of_all_dtypes_are_those_of_each_example(dtype):
    x = torch.arange(24).reshape(4, 2, 3).to(getattr(torch, dtype))

    def seen(t):
        return (t[1], t[-1:], t[...], t[None], t[1, 2], t.view(3, 2), t.t(), t.transpose(0, 1), t.expand(2, 2, 3),
                t.unsqueeze(-1), t[:1].squeeze(0), *t.unbind(1))

    alone = [torch.stack(parts) for parts in zip(*[seen(x[k]) for k in range(4)], strict=True)]
    for _ in range(3):
        for found, expected in zip(vmap(seen)(x), alone, strict=True):
            assert found.dtype is x.dtype and found.tolist() == expected.tolist()
