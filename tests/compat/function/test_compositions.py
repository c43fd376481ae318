"""Functions below every nest of transforms give what the same operations give without a Function."""

import itertools

import numpy as np
import pytest

import covector
import covector.compat.torch as torch
from harness import double

F = torch.autograd.Function


def keep_both(ctx, inputs, output):
    ctx.save_for_backward(*inputs)
    ctx.save_for_forward(*inputs)


class Cube(F):
    """Saves an output, of which backward's own derivative goes on."""

    @staticmethod
    def forward(x):
        return torch.tensor(x.numpy() ** 3), torch.tensor(3 * x.numpy() ** 2)

    @staticmethod
    def setup_context(ctx, inputs, output):
        keep_both(ctx, (inputs[0], output[1]), output)

    @staticmethod
    def backward(ctx, by_cube, by_slope):
        x, slope = ctx.saved_tensors
        return by_cube * slope + 6 * by_slope * x

    @staticmethod
    def jvp(ctx, dx):
        x, slope = ctx.saved_tensors
        return dx * slope, 6 * dx * x

    @staticmethod
    def vmap(info, in_dims, x):
        return Cube.apply(x), (in_dims[0], in_dims[0])


class Product(F):
    """Its backward applies itself."""

    generate_vmap_rule = True
    setup_context = staticmethod(keep_both)

    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def backward(ctx, ct):
        x, y = ctx.saved_tensors
        return (Product.apply(ct, y) if ctx.needs_input_grad[0] else None,
                Product.apply(ct, x) if ctx.needs_input_grad[1] else None)

    @staticmethod
    def jvp(ctx, dx, dy):
        x, y = ctx.saved_tensors
        return dx * y + dy * x


class Same(F):
    """Returns its input."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, ct):
        return ct

    @staticmethod
    def jvp(ctx, dx):
        return dx.view_as(dx)


PAIRS = {
    "cube": (lambda x, y: Cube.apply(x), lambda x, y: (x ** 3, 3 * x ** 2)),
    "product": (Product.apply, lambda x, y: x * y),
    "same": (lambda x, y: Same.apply(x.sin()) * Same.apply(y), lambda x, y: x.sin() * y),
}


def as_tuple(out):
    return out if isinstance(out, tuple) else (out,)


def reverse(f):
    def go(*args):
        out, pull = torch.func.vjp(f, *args)
        cts = tuple(o.cos() for o in as_tuple(out))
        return *as_tuple(out), *pull(cts if isinstance(out, tuple) else cts[0])

    return go


def forward(f):
    def go(*args):
        out, dots = torch.func.jvp(f, args, tuple((a + 0.3).sin() for a in args))
        return *as_tuple(out), *as_tuple(dots)

    return go


def gradient(f):
    return torch.func.grad(lambda *args: sum(o.sin().sum() for o in as_tuple(f(*args))))


def mapped(dims):
    def over(f):
        def go(*args):
            given = [a if d is None else torch.stack([a, a * 0.7 + 0.1], d) for a, d in zip(args, dims)]
            return torch.vmap(f, dims)(*given)

        return go

    return over


def backward(f):
    def go(*args):
        given = [a.detach().clone().requires_grad_() for a in args]
        total = sum(o.sin().sum() for o in as_tuple(f(*given)) if o.requires_grad)
        found = torch.autograd.grad(total, given, create_graph=True, allow_unused=True)
        return tuple(torch.zeros_like(x) if g is None else g for x, g in zip(given, found))

    return go


NESTING = {"reverse": reverse, "forward": forward, "gradient": gradient, "mapped": mapped((0, 0)),
           "mapped_last": mapped((-1, -1)), "mapped_first": mapped((0, None))}
NESTS = [n for depth in (1, 2) for n in itertools.product(NESTING, repeat=depth)] + [
    ("gradient", "gradient", "forward"), ("forward", "gradient", "mapped"), ("reverse", "mapped", "forward"),
    ("gradient", "forward", "forward"), ("mapped", "reverse", "reverse"), ("reverse", "reverse", "reverse")]


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("nest", NESTS, ids="-".join)
def test_a_nest_of_transforms(name, nest):
    made, plain = PAIRS[name]
    for transform in nest:
        made, plain = NESTING[transform](made), NESTING[transform](plain)
    args = double(torch, 0.4, -0.8, 1.1), double(torch, 0.9, 0.5, -0.3)
    for outermost in (lambda f: f, backward):
        found, expected = as_tuple(outermost(made)(*args)), as_tuple(outermost(plain)(*args))
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            assert a.shape == b.shape
            assert np.allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-9, atol=1e-11)
    assert not any(o.requires_grad for o in as_tuple(made(*args)))


def total(f):
    return lambda *args: sum(o.sin().sum() for o in as_tuple(f(*args)))


OURS = {
    "grad": lambda f: covector.grad(total(f)),
    "jvp": lambda f: lambda x, y: as_tuple(covector.jvp(total(f), (x, y), (x * 0.5, y * 0.7))),
    "vmap": lambda f: lambda x, y: covector.vmap(total(f))(torch.stack([x, x * 0.7]), torch.stack([y, y * 0.5])),
    "func.grad": lambda f: torch.func.grad(total(f)),
    "func.vmap": lambda f: lambda x, y: torch.vmap(total(f))(torch.stack([x, x * 0.7]), torch.stack([y, y * 0.5])),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("nest", [n for depth in (1, 2) for n in itertools.product(OURS, repeat=depth)], ids="-".join)
def test_a_nest_with_covectors_own_transforms(name, nest):
    made, plain = PAIRS[name]
    for transform in nest:
        made, plain = OURS[transform](made), OURS[transform](plain)
    args = double(torch, 0.4, -0.8, 1.1), double(torch, 0.9, 0.5, -0.3)
    if name == "cube" and "vmap" in nest or nest == ("vmap", "func.grad"):  # it asks for the numbers of a traced value
        with pytest.raises(RuntimeError, match="traces is not possible|is not supported; use torch.vmap"):
            made(*args)
        return
    found, expected = as_tuple(made(*args)), as_tuple(plain(*args))
    for a, b in zip(found, expected, strict=True):
        assert np.allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-9, atol=1e-11)


def test_a_function_with_ctx_refuses_to_lose_the_history_outside():
    class Twice(F):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, ct):
            return ct * 2

    w = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="which would be lost; override setup_context"):
        covector.grad(lambda x: Twice.apply(x * w).sum())(torch.ones(3))
    found = covector.grad(lambda x: (Twice.apply(x) * w).sum())(torch.ones(3))
    assert found.tolist() == [2.0, 2.0, 2.0]


def test_a_function_is_part_of_a_graph():
    """Below a graph is no level that could record it: its forward is staged, its backward is the rule."""
    x = torch.tensor([1.0, 2.0])
    assert covector.make_graph(lambda x: Product.apply(x, x))(x)(x).tolist() == [1.0, 4.0]
    found = covector.grad(covector.checkpoint(lambda x: Product.apply(x, x).sum()))(x)
    assert found.tolist() == [2.0, 4.0]
