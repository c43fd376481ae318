"""Anomaly mode: lines of the forward pass in the warning of a failing node, and NaN."""

import warnings

import covector.compat.torch as compat
from harness import attempt


def failing(torch):
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise RuntimeError("on purpose")

    return Fails


def warned(fn):
    """The error of a function, and the texts it warned with, without lines of code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        error = attempt(fn)
    lines = [str(w.message) for w in caught]
    heads = [line.strip().split("\n")[0] for line in lines]
    return error, heads, lines


def script_failing_function(torch):
    def run():
        with torch.autograd.detect_anomaly():
            x = torch.ones(2, requires_grad=True)
            failing(torch).apply(x * 3).sum().backward()

    error, heads, lines = warned(run)
    return error, [h[:60] for h in heads], any("failing(torch).apply(x * 3)" in line for line in lines)


def script_forward_outside_of_the_mode(torch):
    x = torch.ones(2, requires_grad=True)
    y = failing(torch).apply(x * 3).sum()

    def run():
        with torch.autograd.detect_anomaly():
            y.backward()

    error, heads, lines = warned(run)
    return error, [h[:60] for h in heads]


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


def script_double_backward(torch):
    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return failing(torch).apply(g * 1)

    w = torch.ones(2, requires_grad=True)

    def run():
        with torch.autograd.detect_anomaly():
            x = torch.ones(2, requires_grad=True)
            y = Outer.apply(x)
            (g,) = torch.autograd.grad((y * w).sum(), x, create_graph=True)
            torch.autograd.grad(g.sum(), w)

    error, heads, lines = warned(run)
    return error, [h[:60] for h in heads]


def shown(fn):
    """The error of a function, and of each warning its head and the last of this file's functions in it."""
    error, heads, lines = warned(fn)
    names = [[part.split(" in ")[1].split("\n")[0] for part in text.split("File ") if "test_anomaly" in part]
             for text in lines]
    return error, [(h[:60], n[-1:]) for h, n in zip(heads, names)]


def mode_with(torch, body):
    """Run `body(torch, x)` of a leaf of twos in anomaly mode."""
    def run():
        with torch.autograd.set_detect_anomaly(True):
            body(torch.full((2,), 2.0, requires_grad=True))
    return shown(run)


def fails(*given):
    raise ValueError("a hook")


def script_hooks_that_raise(torch):
    def leaf(x):
        x.register_hook(fails)
        (x * 2).sum().backward()

    def tensor(x):
        y = x * 2
        y.register_hook(fails)
        y.sum().backward()

    def before(x):
        y = x * 2
        y.grad_fn.register_prehook(fails)
        y.sum().backward()

    def after(x):
        y = x.exp()
        y.grad_fn.register_hook(fails)
        y.sum().backward()

    return [mode_with(torch, body) for body in (leaf, tensor, before, after)]


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
        y[1] = (y[0] - 2).sqrt() * 0
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


def script_rule_recorded_outside_of_the_mode(torch):
    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return failing(torch).apply(g * 1)

    def run():
        x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        y = Outer.apply(x)
        with torch.autograd.set_detect_anomaly(True):
            (g,) = torch.autograd.grad((y * w).sum(), x, create_graph=True)
            torch.autograd.grad(g.sum(), w)

    return shown(run)


def script_three_orders(torch):
    def body(x):
        y = x.exp().sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
        h.register_hook(fails)
        (h * 1).sum().backward()

    return mode_with(torch, body)


def script_backward_inside_of_backward(torch):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            with torch.enable_grad():
                y = torch.zeros(2, requires_grad=True)
                (y.sqrt() * 0).sum().backward()
            return g

    return mode_with(torch, lambda x: Inner.apply(x).sum().backward())


def script_errors_of_the_engine(torch):
    def write(x):
        y = x.exp()
        y.add_(1)
        y.sum().backward()

    def twice(x):
        y = x.exp().sum()
        y.backward()
        y.backward()

    def wrong_shape(x):
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return torch.ones(7)

        Wrong.apply(x).sum().backward()

    return [mode_with(torch, body) for body in (write, twice, wrong_shape)]


def script_metadata(torch):
    with torch.autograd.set_detect_anomaly(True):
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    meta, more = y.grad_fn.metadata, g.grad_fn.metadata
    return (sorted(meta), "y = x.exp()" in meta["traceback_"][-1], sorted(more), more["parent_"] is y.grad_fn,
            x.exp().grad_fn.metadata)


def script_modes_nest(torch):
    def now():
        return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()

    out = [now()]
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        out.append(now())
        with torch.autograd.set_detect_anomaly(False):
            out.append(now())
            with torch.autograd.detect_anomaly():
                out.append(now())
            out.append(now())
        out.append(now())
    return [*out, now()]


def script_set_as_a_call(torch):
    torch.autograd.set_detect_anomaly(True)
    try:
        x = torch.ones(2, requires_grad=True)
        error, heads, _ = warned(lambda: failing(torch).apply(x).sum().backward())
    finally:
        torch.autograd.set_detect_anomaly(False)
    return error, [h[:60] for h in heads]


def script_values_are_the_same(torch):
    with torch.autograd.set_detect_anomaly(True):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        a, b = (x * x).exp().unbind(0)
        c = x.clone()
        c.mul_(2)
        (a * b + c.sum()).backward()
    return x.grad


def test_only_lines_of_the_user_are_shown():
    _, _, lines = warned(lambda: traced(compat))
    assert any("tests" in line for line in lines)
    assert not any("compat/torch" in line or "transforms/" in line for line in lines)


def traced(torch):
    with torch.autograd.detect_anomaly():
        x = torch.ones(2, requires_grad=True)
        failing(torch).apply(x * 3).sum().backward()
