"""gradcheck and gradgradcheck of functions that are right: kinds of inputs, outputs and modes."""


import pytest

import covector.compat.torch as compat
from checked_functions import complexes, doubles, evenly, gc, kind, made, res, square
from covector.compat.torch.autograd.gradcheck import GradcheckError
from harness import attempt, double

ALL = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True,
       "check_grad_dtypes": True}


def script_right_functions_pass(torch):
    check = torch.autograd.gradcheck
    x, y = doubles(torch, 2, 3), doubles(torch, 3, 2, start=-0.4)
    out = []
    for fast in (False, True):
        out += [check(lambda x, y: (x @ y, (x * x).sum()), (x, y), fast_mode=fast, **ALL),
                check(lambda x: x.exp().sum(0), x, fast_mode=fast, **ALL),
                check(lambda x: [x.sin(), x.cos()], [x], fast_mode=fast),
                check(lambda x: x[:, 1:] * 3, x.detach().t().requires_grad_(), fast_mode=fast, **ALL),
                check(lambda x, n, s: x * n if s == "times" else x, (x, 3, "times"), fast_mode=fast, **ALL),
                check(square(torch), x, fast_mode=fast)]
    return out


def script_complex_functions_pass(torch):
    check = torch.autograd.gradcheck
    z, x = complexes(torch, 3), doubles(torch, 3)
    out = []
    for fast in (False, True):
        out += [check(lambda z: z * z.conj(), z, fast_mode=fast, check_forward_ad=True),
                check(lambda z: (z.exp(), z.abs()), z, fast_mode=fast, check_forward_ad=True),
                check(lambda z: (z.exp(), z * z), z, fast_mode=fast, **ALL),
                check(lambda z, x: z * x, (z, x), fast_mode=fast, **ALL),
                check(lambda x: torch.complex(x, x * 2).exp(), x, fast_mode=fast, **ALL),
                check(lambda z: z.real * z.imag, z, fast_mode=fast, **ALL)]
    return out


def script_second_derivatives_pass(torch):
    check = torch.autograd.gradgradcheck
    x, y, z = doubles(torch, 2, 2), doubles(torch, 2, 2, start=-0.4), complexes(torch, 2)
    out = []
    for fast in (False, True):
        out += [check(lambda x, y: (x @ y).sin(), (x, y), fast_mode=fast, check_batched_grad=True),
                check(lambda x: (x.exp(), x * 2), x, fast_mode=fast, check_fwd_over_rev=True),
                check(lambda x: x ** 3, x, fast_mode=fast, check_fwd_over_rev=True, check_rev_over_rev=False,
                      check_undefined_grad=False),
                check(lambda x: x ** 3, x, (doubles(torch, 2, 2),), fast_mode=fast),
                check(lambda x: x ** 3, x, doubles(torch, 2, 2, requires_grad=False), fast_mode=fast),
                check(lambda x: x.exp(), x, gen_non_contig_grad_outputs=True, fast_mode=fast),
                check(lambda z: z * z.exp(), z, gen_non_contig_grad_outputs=True, fast_mode=fast),
                check(square(torch), x, fast_mode=fast)]
    return out


def script_inputs_are_as_before(torch):
    x = doubles(torch, 2, 3)
    before, version = x.detach().clone(), x._version
    torch.autograd.gradcheck(lambda x: x.exp(), x)
    attempt(lambda: torch.autograd.gradcheck(square(torch, 3), x))
    return bool((x == before).all()), x._version == version, x.grad, x.requires_grad


def script_undefined_gradients(torch):
    def build(backward):
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3
        return made(torch, forward, backward)

    def good(ctx, g, h):
        return None if g is None and h is None else (0 if g is None else g * 2) + (0 if h is None else h * 3)

    def raising(ctx, g, h):
        if g is None:
            raise RuntimeError("not expected")
        return g * 2 + h * 3 if h is not None else g * 2

    def inventing(ctx, g, h):
        if g is None and h is None:
            return torch.ones(2, dtype=torch.float64)
        return (0 if g is None else g * 2) + (0 if h is None else h * 3)

    def inventing_for_one(ctx, g, h):
        if g is None and h is not None:
            return h * 3 + 1
        return None if g is None and h is None else g * 2 + (0 if h is None else h * 3)

    x = doubles(torch, 2)
    out = []
    for backward in (good, raising, inventing, inventing_for_one):
        f = build(backward)
        out += [attempt(lambda: torch.autograd.gradcheck(f, x)),
                attempt(lambda: torch.autograd.gradcheck(f, x, raise_exception=False)),
                attempt(lambda: torch.autograd.gradcheck(f, x, check_undefined_grad=False))]
    return out


def script_undefined_tangents(torch):
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x + y

    def jvp(ctx, dx, dy):
        return (dx if dx is not None else 1.0) + (dy if dy is not None else 1.0)

    f = made(torch, forward, lambda ctx, g: (g, g), jvp=jvp)
    x, y = doubles(torch, 2), doubles(torch, 2)
    return (attempt(lambda: torch.autograd.gradcheck(f, (x, y), check_forward_ad=True)),
            attempt(lambda: torch.autograd.gradcheck(f, (x, y), check_forward_ad=True, check_undefined_grad=False)))


def script_batched_gradients(torch):
    def leaving(ctx, g):
        return g * 2 if float(g.sum()) > -1e9 else g

    x = doubles(torch, 2)
    f = made(torch, lambda ctx, x: x * 2, leaving)
    return (torch.autograd.gradcheck(f, x), attempt(lambda: torch.autograd.gradcheck(f, x, check_batched_grad=True)),
            torch.autograd.gradcheck(f, x, check_batched_grad=True, raise_exception=False))


def script_batched_forward_mode(torch):
    def jvp(ctx, dx):
        return dx * 2 if float(dx.sum()) > -1e9 else dx

    f = made(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2, jvp=jvp)
    x = doubles(torch, 2)
    return (torch.autograd.gradcheck(f, x, check_forward_ad=True),
            attempt(lambda: torch.autograd.gradcheck(f, x, check_forward_ad=True, check_batched_forward_grad=True)))


def script_batched_tangents_beside_saved_values(torch):
    cube = made(torch, lambda ctx, x: ctx.save_for_forward(x) or ctx.save_for_backward(x) or x**3,
                lambda ctx, g: 3 * ctx.saved_tensors[0]**2 * g, jvp=lambda ctx, dx: 3 * ctx.saved_tensors[0]**2 * dx)
    return torch.autograd.gradcheck(cube, doubles(torch, 3), **ALL)


def script_single_precision(torch):
    x = doubles(torch, 2).detach().float().requires_grad_()
    return (torch.autograd.gradcheck(lambda x: x * 2, x, atol=1e-1, rtol=1e-1, eps=1e-2),
            attempt(lambda: torch.autograd.gradcheck(lambda x: x.exp(), x, raise_exception=False, atol=1e-9,
                                                     rtol=1e-9)))


def script_outputs_that_depend_on_values(torch):
    def shape(x):
        return x if bool((x.detach() >= 0.3).all()) else x.sum()

    def kind(x):
        return x if bool((x.detach() >= 0.3).all()) else x.float()

    x = torch.full((2,), 0.3, dtype=torch.float64, requires_grad=True)
    return [attempt(lambda f=f, fast=fast: torch.autograd.gradcheck(f, x, fast_mode=fast)) for f in (shape, kind)
            for fast in (False, True)]


def script_no_differentiable_outputs(torch):
    x = doubles(torch, 2)
    out = []
    for fast in (False, True):
        out += [attempt(lambda: torch.autograd.gradcheck(lambda x: x.detach() * 2, x, fast_mode=fast)),
                torch.autograd.gradcheck(lambda x: x.detach() * 2, x, raise_exception=False, fast_mode=fast),
                attempt(lambda: torch.autograd.gradcheck(lambda x: torch.ones(2, dtype=torch.float64), x,
                                                         fast_mode=fast)),
                attempt(lambda: torch.autograd.gradcheck(lambda x: (x > 0).long(), x, fast_mode=fast))]
    return out


def script_empty_and_scalar(torch):
    check = torch.autograd.gradcheck
    empty = torch.zeros(0, dtype=torch.float64, requires_grad=True)
    one = torch.tensor(0.4, dtype=torch.float64, requires_grad=True)
    return [attempt(lambda f=f, x=x: check(f, x, check_forward_ad=True)) for f, x in (
        (lambda x: x * 2, empty), (lambda x: x.sum(), empty), (lambda x: x.exp(), one),
        (lambda x: x.expand(3) * 1, one))]


def script_unused_input(torch):
    x, y = doubles(torch, 2), doubles(torch, 2)
    return [torch.autograd.gradcheck(lambda x, y: x * 2, (x, y), fast_mode=fast) for fast in (False, True)]


def script_mixed_requirements(torch):
    x, y = doubles(torch, 2), doubles(torch, 2, requires_grad=False)
    return [torch.autograd.gradcheck(lambda x, y: (x * y, y * 2), (x, y), fast_mode=fast) for fast in (False, True)]


def script_views_and_writes(torch):
    def f(x):
        y = x.clone()
        y[0] *= 2
        y[:, 1].exp_()
        return y.t()

    x = doubles(torch, 2, 3)
    return torch.autograd.gradcheck(f, x, **ALL), torch.autograd.gradgradcheck(f, x, check_fwd_over_rev=True)


def script_captured_input(torch):
    # the memory of the input itself is moved: a function may hold it without being given it
    x = doubles(torch, 2)
    return torch.autograd.gradcheck(lambda _: x * x, x)


def test_an_answer_that_does_not_count_may_come_first():
    # PyTorch takes the slopes of the integer for those of the product
    x = doubles(compat, 2)
    for fast in (False, True):
        assert compat.autograd.gradcheck(lambda x: ((x > 0).long(), x * x), x, fast_mode=fast, check_forward_ad=True)
        with pytest.raises(GradcheckError, match="output 0 with respect to input 0"):
            compat.autograd.gradcheck(lambda x: ((x > 0).long(), square(compat, 3)(x)), x, fast_mode=fast)


def test_inputs_are_as_before_when_the_function_raises():
    x = doubles(compat, 2)
    before = x.detach().clone()

    def fails(x):
        if float(x[1].detach()) > float(before[1]):
            raise ArithmeticError("too large")
        return x * 2

    with pytest.raises(ArithmeticError):
        compat.autograd.gradcheck(fails, x)
    assert compat.equal(x.detach(), before)


def test_no_output_to_differentiate_twice():
    with pytest.raises(ValueError, match="at least one output to require gradient"):
        compat.autograd.gradgradcheck(lambda x: x.detach(), doubles(compat, 2))


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
                    x, y = evenly(torch, 1).requires_grad_(), evenly(torch, 1).requires_grad_(second)
                    torch.autograd.gradcheck(pair(torch, seen), (x, y), check_forward_ad=True, check_backward_ad=False,
                                             check_undefined_grad=undefined, check_batched_forward_grad=batched,
                                             fast_mode=fast)
                    out.append(seen.count("jvp"))
    return out


def script_forward_mode_gets_detached_inputs(torch):
    seen = []
    x, y = evenly(torch, 1).requires_grad_(), evenly(torch, 1).requires_grad_()
    torch.autograd.gradcheck(pair(torch, seen), (x, y), check_forward_ad=True, check_backward_ad=False,
                             check_batched_forward_grad=True)
    return sorted({s for s in seen if s != "jvp"}), torch.autograd.forward_ad._current_level


def script_functions_inside_of_batched_sweeps(torch):
    x = evenly(torch, 3).requires_grad_()
    f = cube(torch)
    return (torch.autograd.gradcheck(f, x, check_batched_grad=True),
            torch.autograd.gradgradcheck(f, x, check_batched_grad=True),
            attempt(lambda: torch.autograd.gradgradcheck(f, x, check_fwd_over_rev=True)),
            torch.autograd.grad(f(x), x, torch.eye(3, dtype=torch.float64), is_grads_batched=True)[0])


def script_kinds_of_inputs(torch):
    check, twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = evenly(torch, 3).requires_grad_()
    return (check(lambda a, b: (a * b, a + b), [x, x.detach().clone().requires_grad_()]),
            check(lambda a, b: a * b, (x, x)), check(lambda a: a * 2, (x * 2)[1:]), check(lambda a: a * 2, x * 2),
            twice(lambda a: a**3, x * 2), check(lambda a: a * 2, (x * 2)[1:], check_forward_ad=True),
            check(lambda a, k=3: a * k, (x,)), attempt(lambda: check(lambda a, b: a, (x,)))[1])


def script_kinds_of_outputs(torch):
    check, twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = evenly(torch, 3).requires_grad_()
    return (check(lambda a: (a * 2, (a > 0).long()), x), check(lambda a: a.clone().mul_(2), x),
            attempt(lambda: check(lambda a: a * a.detach(), x)), check(lambda a: (a * 2, a.detach()), x),
            attempt(lambda: check(lambda a: a * float("nan"), x)),
            attempt(lambda: check(lambda a: a * float("inf"), x)),
            attempt(lambda: check(lambda a: a * float("nan"), x, fast_mode=True)),
            twice(lambda a: a * 2, x), twice(lambda a, b: (a * b, a.sin(), b), (x, evenly(torch, 3).requires_grad_()),
                                             check_batched_grad=True),
            twice(lambda a, b: (a * b, a.sin()), (x, evenly(torch, 3)), check_batched_grad=True,
                  check_fwd_over_rev=True))


def script_hooks_on_inputs_take_part(torch):
    x = evenly(torch, 3).requires_grad_()
    x.register_hook(lambda g: g * 2)
    return attempt(lambda: torch.autograd.gradcheck(lambda a: a.exp(), x))


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

    x = evenly(compat, 2).requires_grad_()
    (g,) = compat.autograd.grad(Cube.apply(x), x, compat.eye(2, dtype=compat.float64), is_grads_batched=True,
                                create_graph=True)
    assert compat.allclose(compat.autograd.grad(g.sum(), x)[0], 6 * x)


def test_a_function_in_a_recorded_batched_sweep_needs_setup_context():
    x = evenly(compat, 2).requires_grad_()
    with pytest.raises(RuntimeError, match="has no setup_context; override it"):
        compat.autograd.grad(cube(compat)(x), x, compat.eye(2, dtype=compat.float64), is_grads_batched=True,
                             create_graph=True)


def test_booleans_beside_other_outputs_are_left_alone():
    x = evenly(compat, 3).requires_grad_()
    assert compat.autograd.gradcheck(lambda a: (a > 0, a * 2), x)


def script_undefined(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()

    def mk(beh):
        class U(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a):
                ctx.set_materialize_grads(False)
                return a * 2, a * 3

            @staticmethod
            def backward(ctx, g, h):
                if beh == "good":
                    r = None
                    if g is not None:
                        r = 2 * g
                    if h is not None:
                        r = 3 * h if r is None else r + 3 * h
                    return r
                if beh == "crash":
                    return 2 * g + 3 * h
                if beh == "one":
                    g = torch.ones(2, dtype=torch.float64) if g is None else g
                    h = torch.zeros_like(g) if h is None else h
                    return 2 * g + 3 * h
                if beh == "wrongtype":
                    if g is None and h is None:
                        raise ValueError("x")
                    g = torch.zeros(2, dtype=torch.float64) if g is None else g
                    h = torch.zeros(2, dtype=torch.float64) if h is None else h
                    return 2 * g + 3 * h

        return U.apply

    for b in ("good", "crash", "one", "wrongtype"):
        for fast in (False, True):
            out.append((b, res(lambda: gc(torch)(mk(b), x, fast_mode=fast), 8)))
            out.append((b, res(lambda: gc(torch)(mk(b), x, fast_mode=fast, check_undefined_grad=False), 8)))
    return out


def script_batched(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2 if g.sum().item() > -1e9 else g

    class K(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return (g * 2).sum().expand(2) * 0 + 2 * g

    for f in (Same.apply, K.apply, lambda a: a**2, lambda a: a.sum(), lambda a: a.cumprod(0)):
        for kw in ({"check_batched_grad": True}, {"check_batched_grad": True, "fast_mode": True}):
            out.append(kind(lambda: gc(torch)(f, x, **kw)))
            out.append(kind(lambda: torch.autograd.gradgradcheck(f, x, **kw)))
    return out


def script_inputs_untouched(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    gc(torch)(lambda a: a.sin(), x, check_forward_ad=True, check_batched_grad=True)
    out += [x.detach(), x.grad, x._version]

    def f(a):
        a = a * 1
        a.mul_(2)
        return a

    out.append(res(lambda: gc(torch)(f, x)))

    def g(a, b):
        b.add_(1)
        return a * b

    out.append(kind(lambda: gc(torch)(g, (x, double(torch, 3, 4)))))
    n = [0]

    def h(a):
        n[0] += 1
        return a * n[0]

    out.append(kind(lambda: gc(torch)(h, x)))

    def k(a):
        return a * torch.rand(2, dtype=torch.float64)

    out.append(kind(lambda: gc(torch)(k, x))[1])
    with torch.no_grad():
        out.append(kind(lambda: gc(torch)(lambda a: a * 2, x)))
    return out
