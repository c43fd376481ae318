"""gradcheck and gradgradcheck of functions with planted mistakes, and the messages that show them."""


from checked_functions import complexes, doubles, gc, kind, made, res, square, wrong
from harness import attempt, double, made_function, message


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


def script_gradients_of_another_layout(torch):
    fun = made_function(torch, lambda ctx, x: x * 1, lambda ctx, g: g.to_sparse())
    x = double(torch, 1.0, 2.0).requires_grad_()
    return [message(lambda: torch.autograd.gradcheck(fun.apply, (x,), check_batched_grad=False, fast_mode=fast))
            for fast in (False, True)]


def script_outputs_that_change_with_the_values(torch):
    x = double(torch, 1.0).requires_grad_()

    def longer(x):
        return torch.cat([x, x]) if (x >= 1).all() else x

    def rounded(x):
        return x.float() if (x >= 1).all() else x

    return [message(lambda: torch.autograd.gradcheck(fn, (x,), fast_mode=fast))
            for fn in (longer, rounded) for fast in (False, True)]


def script_batched_gradients_that_differ(torch):
    state = [0]

    def backward(ctx, g):
        state[0] += 1
        return g * 2 * (2 if state[0] == 7 else 1)  # 2 elements, twice, then two single runs, then the batch

    f = made(torch, lambda ctx, x: x * 2, backward)
    error = attempt(lambda: torch.autograd.gradcheck(f, doubles(torch, 2), check_batched_grad=True))
    return error[1], error[2][:40], "gradcheck or gradgradcheck failed while testing batched" in error[2], (
        "Got:" in error[2], "Expected:" in error[2])


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


def script_the_error_is_a_runtime_error(torch):
    try:
        torch.autograd.gradcheck(square(torch, 3), doubles(torch, 1))
    except RuntimeError as error:
        return type(error).__name__, isinstance(error, RuntimeError)


def script_kinks(torch):
    x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    return [attempt(lambda f=f, fast=fast: torch.autograd.gradcheck(f, x, fast_mode=fast)) for f in (
        torch.abs, torch.relu, lambda x: x.clamp(min=0.0), lambda x: x**2) for fast in (False, True)]


def script_numbers_in_texts(torch):
    x = torch.tensor(1.5, requires_grad=True)
    return f"{x}", f"{x:.3f}", f"{torch.tensor(3)}", f"{torch.tensor(True)}", f"{torch.ones(1)}", str(x)


def script_planted_first(torch):
    x = double(torch, 1, 2).requires_grad_()
    out = []
    for s in (1.0, 1.01, 1.0001, 0.0, -1.0):
        for fast in (False, True):
            out.append(kind(lambda: gc(torch)(wrong(torch, s), x, fast_mode=fast)))
            out.append(gc(torch)(wrong(torch, s), x, fast_mode=fast, raise_exception=False))
            out.append(kind(lambda: gc(torch)(wrong(torch, 1.0, fwd=s), x, fast_mode=fast, check_forward_ad=True)))
            out.append(
                kind(
                    lambda: gc(torch)(
                        wrong(torch, 1.0, fwd=s), x, fast_mode=fast, check_forward_ad=True, check_backward_ad=False
                    )
                )
            )
    return out


def script_planted_second(torch):
    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return B.apply(x, g)

    class B(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, g):
            ctx.save_for_backward(x, g)
            return 3 * x**2 * g

        @staticmethod
        def backward(ctx, h):
            x, g = ctx.saved_tensors
            return 6 * x * g * h * 1.1, 3 * x**2 * h

    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x.detach() ** 2 * g

    x = double(torch, 1, 2).requires_grad_()
    gg = torch.autograd.gradgradcheck
    out = []
    for f in (S.apply, D.apply):
        out.append(kind(lambda: gc(torch)(f, x)))
        for fast in (False, True):
            out.append(kind(lambda: gg(f, x, fast_mode=fast)))
            out.append(gg(f, x, fast_mode=fast, raise_exception=False))
            out.append(kind(lambda: gg(f, x, grad_outputs=double(torch, 1, 1).requires_grad_(), fast_mode=fast)))
    return out


def script_messages_slow(torch):
    x = double(torch, 1, 2).requires_grad_()
    return [
        res(lambda: gc(torch)(wrong(torch, 2.0), x), 60),
        res(lambda: gc(torch)(wrong(torch, 1.0, fwd=2.0), x, check_forward_ad=True), 60),
        res(
            lambda: gc(torch)(lambda a, b: (a * b, wrong(torch, 2.0)(b)), (x, x.detach().clone().requires_grad_())),
            60,
        ),
        res(lambda: gc(torch)(wrong(torch, 2.0), x, fast_mode=True), 14),
    ]


def script_complex_cases(torch):
    z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128, requires_grad=True)
    x = double(torch, 1, 2).requires_grad_()
    out = []
    fns = {
        "sq": (lambda a: a * a, z),
        "abs": (lambda a: a.abs(), z),
        "conj": (lambda a: a.conj(), z),
        "c2r": (lambda a: a.real * a.imag, z),
        "r2c": (lambda a: torch.complex(a, a * a), x),
        "exp": (lambda a: a.exp(), z),
        "angle": (lambda a: a.angle(), z),
        "vr": (lambda a: torch.view_as_real(a), z),
        "two": (lambda a, b: (a * b, b * 2), (z, x)),
    }
    for k, (f, i) in fns.items():
        for kw in (
            {},
            {"fast_mode": True},
            {"check_forward_ad": True},
            {"check_batched_grad": True},
            {"check_forward_ad": True, "check_backward_ad": False, "fast_mode": True},
        ):
            out.append((k, str(kw), kind(lambda: gc(torch)(f, i, **kw))))
        out.append((k, "gg", kind(lambda: torch.autograd.gradgradcheck(f, i))))
        out.append((k, "ggf", kind(lambda: torch.autograd.gradgradcheck(f, i, fast_mode=True))))

    class W(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            return 2 * a * g

    out.append(res(lambda: gc(torch)(W.apply, z), 25))
    out.append(kind(lambda: gc(torch)(W.apply, z, fast_mode=True)))
    return out


def script_nondet(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()

    class N(torch.autograd.Function):
        n = 0

        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            N.n += 1
            return g * 2 + 1e-7 * N.n * (g != 0)

    for tol in (0.0, 1e-3):
        for fast in (False, True):
            out.append(res(lambda: gc(torch)(N.apply, x, nondet_tol=tol, fast_mode=fast), 14))
    return out
