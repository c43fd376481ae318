"""gradcheck and gradgradcheck: what passes, and planted mistakes with the message that shows them."""

import pytest

import covector.compat.torch as compat
from covector.compat.torch.autograd.gradcheck import GradcheckError
from harness import attempt, message


def doubles(torch, *shape, start=0.3, requires_grad=True):
    n = 1
    for s in shape:
        n *= s
    numbers = [start + 0.37 * i - 0.05 * i * i for i in range(n)]
    return torch.tensor(numbers, dtype=torch.float64).reshape(shape).requires_grad_(requires_grad)


def complexes(torch, *shape):
    real, imaginary = doubles(torch, *shape, requires_grad=False), doubles(torch, *shape, start=-0.7,
                                                                           requires_grad=False)
    return torch.complex(real, imaginary).requires_grad_()


def made(torch, forward, backward, **more):
    """A Function of plain functions."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (torch.autograd.Function,), body | {k: staticmethod(v) for k, v in more.items()}).apply


def square(torch, factor=2, **more):
    """x * x, whose derivative has a factor that may be wrong."""
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * factor

    return made(torch, forward, backward, **more)


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


def script_wrong_first_derivative(torch):
    x = doubles(torch, 3)
    wrong = square(torch, 3)
    return (message(lambda: torch.autograd.gradcheck(wrong, x)),
            torch.autograd.gradcheck(wrong, x, raise_exception=False),
            attempt(lambda: torch.autograd.gradcheck(wrong, x, fast_mode=True)),
            torch.autograd.gradcheck(wrong, x, raise_exception=False, fast_mode=True))


def script_wrong_for_the_second_input_and_output(torch):
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * 2, x * y

    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * 2 + h * y, h * y

    x, y = doubles(torch, 2), doubles(torch, 2, start=0.9)
    wrong = made(torch, forward, backward)  # the gradient of the second input should be h * x
    return (message(lambda: torch.autograd.gradcheck(wrong, (x, y))),
            attempt(lambda: torch.autograd.gradcheck(wrong, (x, y), fast_mode=True)),
            torch.autograd.gradcheck(lambda x: wrong(x, y.detach()), x),
            message(lambda: torch.autograd.gradcheck(lambda a, y: wrong(a, y)[1], (x.detach(), y))))


def script_wrong_second_derivative(torch):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, g):
            ctx.save_for_backward(x, g)
            return 3 * x * x * g

        @staticmethod
        def backward(ctx, h):
            x, g = ctx.saved_tensors
            return h * x * g, h * 3 * x * x

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            return Inner.apply(*ctx.saved_tensors, g)

    x = doubles(torch, 2)
    ones = torch.ones(2, dtype=torch.float64, requires_grad=True)
    return (torch.autograd.gradcheck(Cube.apply, x),
            message(lambda: torch.autograd.gradgradcheck(Cube.apply, x, ones)),
            torch.autograd.gradgradcheck(Cube.apply, x, raise_exception=False),
            attempt(lambda: torch.autograd.gradgradcheck(Cube.apply, x, fast_mode=True)))


def script_detached_factor_is_found_at_second_order(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0].detach() ** 2

    x = doubles(torch, 2)
    ones = torch.ones(2, dtype=torch.float64, requires_grad=True)
    wrong = made(torch, forward, backward)
    return torch.autograd.gradcheck(wrong, x), message(lambda: torch.autograd.gradgradcheck(wrong, x, ones))


def script_once_differentiable(torch):
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    f = made(torch, forward, torch.autograd.function.once_differentiable(backward))
    x = doubles(torch, 2)
    return torch.autograd.gradcheck(f, x), attempt(lambda: torch.autograd.gradgradcheck(f, x))


def script_wrong_forward_mode(torch):
    def forward(ctx, x):
        ctx.save_for_forward(x)
        ctx.save_for_backward(x)
        ctx.x = x
        return x * x

    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]

    x = doubles(torch, 2)
    out = []
    for factor in (2, 3):
        f = made(torch, forward, backward, jvp=lambda ctx, dx, factor=factor: dx * factor * ctx.x)
        for fast in (False, True):
            out += [attempt(lambda: torch.autograd.gradcheck(f, x, check_forward_ad=True, fast_mode=fast)),
                    attempt(lambda: torch.autograd.gradcheck(f, x, check_forward_ad=True, check_backward_ad=False,
                                                             check_undefined_grad=False, fast_mode=fast))]
        out.append(message(lambda: torch.autograd.gradcheck(f, x, check_forward_ad=True)))
    return out


def script_forward_mode_alone(torch):
    def forward(ctx, x):
        ctx.x = x
        return x * x

    def backward(ctx, g):
        raise NotImplementedError("no backward")

    f = made(torch, forward, backward, jvp=lambda ctx, dx: dx * 2 * ctx.x)
    x = doubles(torch, 2)
    return (torch.autograd.gradcheck(f, x, check_forward_ad=True, check_backward_ad=False),
            attempt(lambda: torch.autograd.gradcheck(f, x, check_forward_ad=True)))


def script_forward_mode_that_is_missing(torch):
    return attempt(lambda: torch.autograd.gradcheck(square(torch), doubles(torch, 2), check_forward_ad=True))


def script_complex_mismatch(torch):
    def conjugate(ctx, z):
        return z.conj().resolve_conj() * 1

    wrong = made(torch, conjugate, lambda ctx, g: g)  # should be g.conj()
    z = complexes(torch, 2)
    real = made(torch, lambda ctx, z: z.abs() ** 2, lambda ctx, g: g * (1 + 2j))
    return (message(lambda: torch.autograd.gradcheck(wrong, z)), message(lambda: torch.autograd.gradcheck(real, z)),
            attempt(lambda: torch.autograd.gradcheck(wrong, z, fast_mode=True)),
            attempt(lambda: torch.autograd.gradcheck(real, z, fast_mode=True)))


def script_complex_mismatch_in_the_real_part(torch):
    wrong = made(torch, lambda ctx, z: z * 2, lambda ctx, g: torch.complex(g.real * 2, g.imag * 3))
    z = complexes(torch, 2)
    return message(lambda: torch.autograd.gradcheck(wrong, z)), attempt(
        lambda: torch.autograd.gradcheck(lambda x, z: (x * 2, wrong(z)), (doubles(torch, 1), z)))


def script_complex_mismatch_of_forward_mode(torch):
    def check(jvp, fast):
        f = made(torch, lambda ctx, z: z * 2, lambda ctx, g: g * 2, jvp=jvp)
        return attempt(lambda: torch.autograd.gradcheck(f, complexes(torch, 2), check_forward_ad=True, fast_mode=fast))

    wrong_imaginary = lambda ctx, dz: torch.complex(dz.real * 2, dz.imag * 3)  # noqa: E731
    wrong_real = lambda ctx, dz: torch.complex(dz.real * 3, dz.imag * 2)  # noqa: E731
    return [check(jvp, fast) for jvp in (lambda ctx, dz: dz * 2, wrong_imaginary, wrong_real)
            for fast in (False, True)]


def script_not_deterministic(torch):
    count = [0]

    def backward(ctx, g):
        count[0] += 1
        return g * 2 + g * 1e-7 * (count[0] % 2)

    f = made(torch, lambda ctx, x: x * 2, backward)
    x = doubles(torch, 3)
    out = []
    for fast in (False, True):
        out += [attempt(lambda: torch.autograd.gradcheck(f, x, fast_mode=fast)),
                torch.autograd.gradcheck(f, x, raise_exception=False, fast_mode=fast),
                torch.autograd.gradcheck(f, x, nondet_tol=1e-5, fast_mode=fast)]
    return out


def script_backward_not_multiplied_by_grad_output(torch):
    f = made(torch, lambda ctx, x: x * 2, lambda ctx, g: torch.full_like(g, 2.0))
    g = made(torch, lambda ctx, x: x.sum(), lambda ctx, g: torch.ones(1, dtype=torch.float64))
    h = made(torch, lambda ctx, x: x.sum(), lambda ctx, g: g.expand(1) * 1.0 + 1e-9)
    x, one = doubles(torch, 2), doubles(torch, 1)
    return (attempt(lambda: torch.autograd.gradcheck(f, x)), message(lambda: torch.autograd.gradcheck(g, one)),
            torch.autograd.gradcheck(g, one, raise_exception=False),
            message(lambda: torch.autograd.gradcheck(h, one)),
            torch.autograd.gradcheck(h, one, masked=True, check_undefined_grad=False))


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


def script_batched_gradients_that_differ(torch):
    state = [0]

    def backward(ctx, g):
        state[0] += 1
        return g * 2 * (2 if state[0] == 7 else 1)  # 2 elements, twice, then two single runs, then the batch

    f = made(torch, lambda ctx, x: x * 2, backward)
    error = attempt(lambda: torch.autograd.gradcheck(f, doubles(torch, 2), check_batched_grad=True))
    return error[1], error[2][:40], "gradcheck or gradgradcheck failed while testing batched" in error[2], (
        "Got:" in error[2], "Expected:" in error[2])


def script_batched_forward_mode(torch):
    def jvp(ctx, dx):
        return dx * 2 if float(dx.sum()) > -1e9 else dx

    f = made(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2, jvp=jvp)
    x = doubles(torch, 2)
    return (torch.autograd.gradcheck(f, x, check_forward_ad=True),
            attempt(lambda: torch.autograd.gradcheck(f, x, check_forward_ad=True, check_batched_forward_grad=True)))


def script_arguments_that_contradict(torch):
    check, twice, x = torch.autograd.gradcheck, torch.autograd.gradgradcheck, doubles(torch, 2)
    f = torch.exp
    return [message(lambda kw=kw: check(f, x, **kw)) for kw in (
        {"check_backward_ad": False}, {"check_backward_ad": False, "check_forward_ad": True,
                                       "check_batched_grad": True}, {"check_batched_forward_grad": True})] + [
        message(lambda kw=kw: twice(f, x, **kw)) for kw in (
            {"check_rev_over_rev": False}, {"check_rev_over_rev": False, "check_fwd_over_rev": True},
            {"check_rev_over_rev": False, "check_fwd_over_rev": True, "check_undefined_grad": False,
             "check_batched_grad": True})]


def script_inputs_that_are_refused(torch):
    check = torch.autograd.gradcheck
    return (attempt(lambda: check(torch.exp, torch.ones(2, dtype=torch.float64))),
            attempt(lambda: check(torch.exp, ())),
            attempt(lambda: check(torch.exp, torch.ones(2, dtype=torch.float64), raise_exception=False)),
            attempt(lambda: check(torch.exp, torch.ones(1, dtype=torch.float64).expand(3).requires_grad_())),
            attempt(lambda: check(torch.exp, torch.ones(1, dtype=torch.float64).expand(3).requires_grad_(),
                                  raise_exception=False)),
            check(torch.exp, torch.ones(1, 2, dtype=torch.float64).expand(1, 2).requires_grad_()))


def script_single_precision(torch):
    x = doubles(torch, 2).detach().float().requires_grad_()
    return (torch.autograd.gradcheck(lambda x: x * 2, x, atol=1e-1, rtol=1e-1, eps=1e-2),
            attempt(lambda: torch.autograd.gradcheck(lambda x: x.exp(), x, raise_exception=False, atol=1e-9,
                                                     rtol=1e-9)))


def script_errors_of_the_function_come_out(torch):
    def fails(x):
        raise RuntimeError("Not a GradcheckError!")

    x = doubles(torch, 2)
    return (attempt(lambda: torch.autograd.gradcheck(fails, x)),
            attempt(lambda: torch.autograd.gradcheck(fails, x, raise_exception=False)))


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


def script_hooks_that_change_gradients(torch):
    def f(x):
        y = x.clone()
        y.register_hook(lambda g: g + 1e-2)
        return y

    x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    return (message(lambda: torch.autograd.gradcheck(f, x)), torch.autograd.gradcheck(f, x, raise_exception=False),
            attempt(lambda: torch.autograd.gradcheck(f, x, fast_mode=True)))


def script_tolerances(torch):
    f = made(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2.001)
    x = doubles(torch, 2)
    check = torch.autograd.gradcheck
    return [attempt(lambda kw=kw, fast=fast: check(f, x, fast_mode=fast, **kw)) for fast in (False, True) for kw in (
        {"rtol": 1e-2}, {"rtol": 0.0, "atol": 1e-2}, {"rtol": 0.0, "atol": 1e-5}, {"rtol": 1e-9}, {})]


def script_fast_mode_scales_the_tolerance(torch):
    # element by element the difference is below atol; the projections' tolerance grows with the vectors
    f = made(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2 + 0.9e-5 * g)
    x = doubles(torch, 4)
    return [attempt(lambda fast=fast: torch.autograd.gradcheck(f, x, rtol=0.0, fast_mode=fast))
            for fast in (False, True)]


def script_fast_fails_where_slow_would_not(torch):
    # the inputs' own tolerance hides the fault of single elements; a projection does not have that much
    f = made(torch, lambda ctx, x: x * 1.0, lambda ctx, g: g + 0.9e-5 * g.sum())
    x = doubles(torch, 3)
    error = attempt(lambda: torch.autograd.gradcheck(f, x, rtol=0.0, fast_mode=True))
    return error if error is True else ("Fast gradcheck failed" in error[2])


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


def script_old_names(torch):
    from_module = __import__(torch.__name__ + ".autograd.gradcheck", fromlist=["x"])
    x = doubles(torch, 2)
    numerical = from_module.get_numerical_jacobian
    analytical = from_module.get_analytical_jacobian
    one = from_module.get_numerical_jacobian_wrt_specific_input
    y = x * x
    return (numerical(lambda t: t[0] ** 2, (x,), eps=1e-6), analytical((x,), y), one(lambda x: x ** 2, 0, (x,), (y,),
                                                                                   1e-6),
            attempt(lambda: numerical(lambda t: t[0] ** 2, (x,), grad_out=2.0)),
            attempt(lambda: analytical((x,), y, grad_out=2.0)),
            attempt(lambda: numerical(lambda t: t[0] * 1j, (x,))),
            attempt(lambda: analytical((x,), y * 1j)))


def script_the_error_is_a_runtime_error(torch):
    try:
        torch.autograd.gradcheck(square(torch, 3), doubles(torch, 1))
    except RuntimeError as error:
        return type(error).__name__, isinstance(error, RuntimeError)


def test_older_spellings_work():
    x = doubles(compat, 2)
    assert compat.autograd.gradcheck(compat.exp, x, 1e-6, 1e-5, 1e-3, True)
    with pytest.warns(DeprecationWarning, match="masked=False"):
        assert compat.autograd.gradcheck(compat.exp, x, check_sparse_nnz=False)
    with pytest.warns(DeprecationWarning, match="masked"), pytest.raises(ValueError, match="to be equal to masked"):
        compat.autograd.gradcheck(compat.exp, x, check_sparse_nnz=True, masked=False)
    assert compat.autograd.gradgradcheck(compat.exp, x, None, 1e-6, 1e-5, 1e-3, False, True)


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


def test_what_is_no_tensor_is_named():
    with pytest.raises(TypeError, match="output 1 is of type NoneType"):
        compat.autograd.gradcheck(lambda x: (x, None), doubles(compat, 2))


def test_no_output_to_differentiate_twice():
    with pytest.raises(ValueError, match="at least one output to require gradient"):
        compat.autograd.gradgradcheck(lambda x: x.detach(), doubles(compat, 2))
