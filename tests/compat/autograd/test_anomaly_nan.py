"""Anomaly mode: which operation gave NaN in the backward pass, and when that is not looked for."""


from anomaly_reports import A, fails, mode_with, run, warned
from harness import double


def script_nan(torch):
    def run(check):
        with torch.autograd.detect_anomaly(check_nan=check):
            x = torch.zeros(2, requires_grad=True)
            y = (x.sqrt() * 0).sum()
            y.backward()
        return x.grad

    a, heads, lines = warned(lambda: run(True))
    b, more, _ = warned(lambda: run(False))
    return a, [h[:60] for h in heads], any("x.sqrt()" in line for line in lines), b, [h[:60] for h in more]


def script_nan_from_a_function(torch):
    class Nan(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return g, g * float("nan")

    def run():
        with torch.autograd.detect_anomaly():
            x = torch.ones(2, requires_grad=True)
            Nan.apply(x, x * 2).sum().backward()

    error, heads, _ = warned(run)
    return error, [h[:60] for h in heads]


def script_hooks_that_give_nan(torch):
    def tensor(x):
        y = x * 2
        y.register_hook(lambda g: g * float("nan"))
        y.sum().backward()

    def after(x):
        y = x.exp()
        y.grad_fn.register_hook(lambda gi, go: (gi[0] * float("nan"),))
        y.sum().backward()

    def leaf(x):
        x.register_hook(lambda g: g * float("nan"))
        (x * 2).sum().backward()

    return [mode_with(torch, body) for body in (tensor, after, leaf)]


def script_nan_that_passes_through(torch):
    nan = torch.tensor([float("nan"), 1.0])

    def index(x):
        x[1:].backward(nan[:1])

    def select(x):
        x[0].backward(nan[0])

    def view(x):
        x.reshape(2, 1).backward(nan.reshape(2, 1))

    def part_of_a_write(x):
        y = x * 1
        y[1] = (y[0] - 2).sqrt()
        y.sum().backward()

    def one_of_several(x):
        a, b = x.unbind()
        (a * 1).backward(nan[0])

    return [mode_with(torch, body) for body in (index, select, view, part_of_a_write, one_of_several)]


def script_nan_of_other_dtypes(torch):
    def of(dtype):
        return mode_with(torch, lambda x: ((x.detach() * 0).to(dtype).requires_grad_().sqrt() * 0).sum().abs()
                         .backward())

    return [of(getattr(torch, d)) for d in ("float16", "bfloat16", "float64")]


def script_nan_in_transforms(torch):
    def f(x):
        return ((x - 2).sqrt() * 0).sum()

    return (mode_with(torch, lambda x: torch.func.grad(f)(x.detach())),
            mode_with(torch, lambda x: torch.vmap(torch.func.grad(f))(x.detach().reshape(1, 2))))


def script_three_orders(torch):
    def body(x):
        y = x.exp().sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
        h.register_hook(fails)
        (h * 1).sum().backward()

    return mode_with(torch, body)


def script_nan_of_a_root(torch):
    x = double(torch, 0.0, 1.0).requires_grad_()

    def go():
        with A(torch).detect_anomaly():
            y = (x - x).sqrt() * 0  # L1
            y.sum().backward()

    return run(go)


def script_log_abs_div(torch):
    out = []
    for f in (
        lambda x: (x * 0).log() * 0,
        lambda x: (x / x) * 1,
        lambda x: (x * 0) / (x * 0),
        lambda x: torch.atan2(x * 0, x * 0),
        lambda x: (x * 0).norm(),
        lambda x: (x * 0) ** 0.5 * 0,
        lambda x: torch.where(x > 5, x, (x - 1).sqrt()),
        lambda x: (x * float("inf")).softmax(0),
        lambda x: x.prod() / 0 * 0,
        lambda x: (x - 1).acos() * 0,
    ):
        x = double(torch, 1.0, 0.0).requires_grad_()

        def go():
            with A(torch).detect_anomaly():
                f(x).sum().backward()  # L2

        out.append(run(go)[0])
    return out


def script_check_nan_off(torch):
    x = double(torch, 0.0).requires_grad_()
    out = []
    for kw in ({}, {"check_nan": True}, {"check_nan": False}):

        def go():
            with A(torch).detect_anomaly(**kw):
                ((x - x).sqrt() * 0).sum().backward()  # L3

        out.append(run(go))

        def go2():
            with A(torch).set_detect_anomaly(True, **kw):
                ((x - x).sqrt() * 0).sum().backward()  # L3

        out.append(run(go2))
        x.grad = None

    def go3():
        class F(A(torch).Function):
            @staticmethod
            def forward(ctx, a):
                return a * 2

            @staticmethod
            def backward(ctx, g):
                raise ValueError("no")  # L4

        with A(torch).detect_anomaly(check_nan=False):
            F.apply(x).sum().backward()  # L5

    out.append(run(go3))
    return out


def script_func(torch):
    x = double(torch, 0.0, 1.0)
    def f(a):
        return (a - 2).sqrt().sum()  # L1

    def a():
        with A(torch).detect_anomaly():
            return torch.func.grad(f)(x)  # L2

    def b():
        with A(torch).detect_anomaly():
            return torch.func.vmap(torch.func.grad(f))(torch.stack([x, x]))  # L2

    def c():
        with A(torch).detect_anomaly():
            return torch.func.jacrev(f)(x)  # L2

    def d():
        with A(torch).detect_anomaly():
            return torch.autograd.functional.jacobian(f, x)  # L2

    def e():
        with A(torch).detect_anomaly():
            return torch.autograd.functional.jacobian(f, x, vectorize=True)  # L2

    def g():
        with A(torch).detect_anomaly():
            return torch.autograd.grad(
                (x.requires_grad_() - 2).sqrt(), x, torch.eye(2, dtype=torch.float64), is_grads_batched=True
            )  # L2

    return [run(q) for q in (a, b, c, d)] + [run(q)[0][0] == "ok" for q in (e, g)]
