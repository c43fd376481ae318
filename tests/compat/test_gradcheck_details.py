"""gradcheck, the details: how often rules run, kinds of inputs and outputs, Functions inside of batched sweeps."""

import pytest

import covector.compat.torch as compat
from harness import attempt


def doubles(torch, *shape):
    n = 1
    for s in shape:
        n *= s
    return torch.tensor([0.3 + 0.4 * i for i in range(n)], dtype=torch.float64).reshape(shape)


def pair(torch, seen):
    """Two copies, by forward mode alone; `seen` gets whether the level was open and what required a gradient."""
    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            seen.append((torch.autograd.forward_ad._current_level >= 0, x.requires_grad, y.requires_grad))
            return x.clone(), y.clone()

        @staticmethod
        def jvp(ctx, dx, dy):
            seen.append("jvp")
            return dx, dy

    return Pair.apply


def cube(torch):
    """x ** 3, whose backward is a Function of its own."""
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, g):
            ctx.save_for_backward(x, g)
            return 3 * x * x * g

        @staticmethod
        def backward(ctx, h):
            x, g = ctx.saved_tensors
            return h * 6 * x * g, h * 3 * x * x

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            return Inner.apply(*ctx.saved_tensors, g)

    return Cube.apply


def script_how_often_jvp_runs(torch):
    out = []
    for second in (True, False):
        for undefined in (False, True):
            for batched in (False, True):
                for fast in (False, True):
                    seen = []
                    x, y = doubles(torch, 1).requires_grad_(), doubles(torch, 1).requires_grad_(second)
                    torch.autograd.gradcheck(pair(torch, seen), (x, y), check_forward_ad=True, check_backward_ad=False,
                                             check_undefined_grad=undefined, check_batched_forward_grad=batched,
                                             fast_mode=fast)
                    out.append(seen.count("jvp"))
    return out


def script_forward_mode_gets_detached_inputs(torch):
    seen = []
    x, y = doubles(torch, 1).requires_grad_(), doubles(torch, 1).requires_grad_()
    torch.autograd.gradcheck(pair(torch, seen), (x, y), check_forward_ad=True, check_backward_ad=False,
                             check_batched_forward_grad=True)
    return sorted({s for s in seen if s != "jvp"}), torch.autograd.forward_ad._current_level


def script_functions_inside_of_batched_sweeps(torch):
    x = doubles(torch, 3).requires_grad_()
    f = cube(torch)
    return (torch.autograd.gradcheck(f, x, check_batched_grad=True),
            torch.autograd.gradgradcheck(f, x, check_batched_grad=True),
            attempt(lambda: torch.autograd.gradgradcheck(f, x, check_fwd_over_rev=True)),
            torch.autograd.grad(f(x), x, torch.eye(3, dtype=torch.float64), is_grads_batched=True)[0])


def script_kinds_of_inputs(torch):
    check, twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = doubles(torch, 3).requires_grad_()
    return (check(lambda a, b: (a * b, a + b), [x, x.detach().clone().requires_grad_()]),
            check(lambda a, b: a * b, (x, x)), check(lambda a: a * 2, (x * 2)[1:]), check(lambda a: a * 2, x * 2),
            twice(lambda a: a**3, x * 2), check(lambda a: a * 2, (x * 2)[1:], check_forward_ad=True),
            check(lambda a, k=3: a * k, (x,)), attempt(lambda: check(lambda a, b: a, (x,)))[1])


def script_kinds_of_outputs(torch):
    check, twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = doubles(torch, 3).requires_grad_()
    return (check(lambda a: (a * 2, (a > 0).long()), x), check(lambda a: a.clone().mul_(2), x),
            attempt(lambda: check(lambda a: a * a.detach(), x)), check(lambda a: (a * 2, a.detach()), x),
            attempt(lambda: check(lambda a: a * float("nan"), x)),
            attempt(lambda: check(lambda a: a * float("inf"), x)),
            attempt(lambda: check(lambda a: a * float("nan"), x, fast_mode=True)),
            twice(lambda a: a * 2, x), twice(lambda a, b: (a * b, a.sin(), b), (x, doubles(torch, 3).requires_grad_()),
                                             check_batched_grad=True),
            twice(lambda a, b: (a * b, a.sin()), (x, doubles(torch, 3)), check_batched_grad=True,
                  check_fwd_over_rev=True))


def script_kinks(torch):
    x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    return [attempt(lambda f=f, fast=fast: torch.autograd.gradcheck(f, x, fast_mode=fast)) for f in (
        torch.abs, torch.relu, lambda x: x.clamp(min=0.0), lambda x: x**2) for fast in (False, True)]


def script_step_sizes(torch):
    x = doubles(torch, 3).requires_grad_()
    return [attempt(lambda eps=eps: torch.autograd.gradcheck(lambda z: z**2, x, eps=eps)) for eps in (1.0, 1e-2, 0.0)]


def script_grad_modes(torch):
    x = doubles(torch, 3).requires_grad_()
    with torch.no_grad():
        inside = attempt(lambda: torch.autograd.gradcheck(lambda a: a * 2, x))
    return inside, attempt(lambda: torch.autograd.gradcheck(lambda a: torch.no_grad()(lambda v: v * 2)(a), x)), x.grad


def script_hooks_on_inputs_take_part(torch):
    x = doubles(torch, 3).requires_grad_()
    x.register_hook(lambda g: g * 2)
    return attempt(lambda: torch.autograd.gradcheck(lambda a: a.exp(), x))


def script_cotangents_given(torch):
    twice = torch.autograd.gradgradcheck
    x = doubles(torch, 3).requires_grad_()
    return (twice(lambda a: a**2, x, torch.ones(3, dtype=torch.float64)),
            attempt(lambda: twice(lambda a: a**2, x, torch.ones(2, dtype=torch.float64)))[1])


def script_numbers_in_texts(torch):
    x = torch.tensor(1.5, requires_grad=True)
    return f"{x}", f"{x:.3f}", f"{torch.tensor(3)}", f"{torch.tensor(True)}", f"{torch.ones(1)}", str(x)


def test_a_recorded_batched_sweep_goes_through_functions():
    class Inner(compat.autograd.Function):
        @staticmethod
        def forward(x, g):
            return 3 * x * x * g

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, h):
            x, g = ctx.saved_tensors
            return h * 6 * x * g, h * 3 * x * x

    class Cube(compat.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            return Inner.apply(*ctx.saved_tensors, g)

    x = doubles(compat, 2).requires_grad_()
    (g,) = compat.autograd.grad(Cube.apply(x), x, compat.eye(2, dtype=compat.float64), is_grads_batched=True,
                                create_graph=True)
    assert compat.allclose(compat.autograd.grad(g.sum(), x)[0], 6 * x)


def test_a_function_in_a_recorded_batched_sweep_needs_setup_context():
    x = doubles(compat, 2).requires_grad_()
    with pytest.raises(RuntimeError, match="has no setup_context; override it"):
        compat.autograd.grad(cube(compat)(x), x, compat.eye(2, dtype=compat.float64), is_grads_batched=True,
                             create_graph=True)


def test_no_cotangent_may_be_given_for_a_number():
    x = doubles(compat, 3).requires_grad_()
    assert compat.autograd.gradgradcheck(lambda a: (a**2).sum(), x, (None,))


def test_booleans_beside_other_outputs_are_left_alone():
    x = doubles(compat, 3).requires_grad_()
    assert compat.autograd.gradcheck(lambda a: (a > 0, a * 2), x)
