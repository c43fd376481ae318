"""Anomaly mode: lines of the forward pass in the warning of a failing node, and NaN."""

import warnings

import pytest

import covector.compat.torch as compat


def attempt(fn):
    try:
        return fn()
    except Exception as error:
        return ("raised", type(error).__name__, str(error))


@pytest.mark.reference
def test_script_agrees_with_pytorch(script, agrees):
    agrees(script)


def test_script_runs(script, runs):
    runs(script)


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
