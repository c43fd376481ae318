"""What the promises are put to: the samples of every registered primitive as functions of their operands."""

from functools import cache

import numpy as np
import pytest

import covector
from covector.core.primitive.primitive import REGISTRY
from covector.testing.cases import cases

X, Y = np.array([0.3, 0.8, -0.4]), np.array([[0.5, -0.2, 0.9], [0.1, 0.7, 0.4]])


@covector.custom_jvp
def own_jvp(x):
    return np.sin(x)


@covector.custom_vjp
def own_vjp(x):
    return np.sin(x)


own_jvp.defjvp(lambda primals, tangents: (np.sin(primals[0]), np.cos(primals[0]) * tangents[0]))
own_vjp.defvjp(lambda x: (np.sin(x), x), lambda x, ct: (np.cos(x) * ct,))


def on_host(x):
    like = covector.ShapeDtype(x.shape, x.dtype)
    return x * covector.host_callback(lambda v: np.asarray(v) + 1.0, like, covector.stop_gradient(np.ones_like(x)))


def printed(x):
    covector.debug.print("", x)
    return x * 2.0


def called(x):
    covector.debug.callback(lambda v: None, x)
    return x * 2.0


def halved(x, y):
    def step(v):
        k, x, y = v
        return k + 1, np.sin(x) + x, y * np.cos(x)

    return covector.while_loop(lambda v: v[0] < 3 + np.sum(v[1]) * 0.0, step, (0, x, y), max_steps=5)[1:]


# What takes its rules from the functions it is given.
HIGHER = {
    "checkpoint": (covector.checkpoint(lambda x: np.sin(x) * x), [X]),
    "cond": (lambda x, y: covector.cond(np.sum(x) > 0, lambda a, b: np.sin(a) * b, lambda a, b: a - b, x, y), [X, Y]),
    "custom_jvp": (own_jvp, [X]),
    "custom_vjp": (own_vjp, [X]),
    "debug_callback": (called, [X]),
    "debug_print": (printed, [X]),
    "host_callback": (on_host, [X]),
    "jit": (covector.jit(lambda x, y: (np.sin(x) * y, np.exp(-x))), [X, Y]),
    "scan": (lambda x, y: covector.scan(lambda c, r: (np.tanh(c + r), c * r), x, y), [X, Y]),
    "two_way": (lambda x: covector.custom_linear_solve(lambda v: v * 2.0, x, lambda times, b: b / 2.0, symmetric=True),
                [X]),
    "while": (halved, [X, Y]),
}
PRIMITIVES = sorted(name for name, prim in REGISTRY.items() if prim.handlers is None)
NAMES = sorted(REGISTRY)


class Subject:
    """One sample as a function of its differentiable operands, which gives a tuple."""

    def __init__(self, fun, xs, label, case=None):
        self.fun = fun
        self.xs = [np.asarray(x) for x in xs]
        self.label = label
        self.case = case
        self.smooth = case is None or case.sample.smooth
        self.orders = 2 if case is None else case.sample.orders
        self.real = all(x.dtype == np.float64 for x in self.xs)

    def total(self, *xs):
        """A scalar: the parts of the answers, weighted."""
        out = 0.0
        for v in self.fun(*xs):
            v = np.reshape(v, (-1,))
            weights = np.linspace(0.5, 1.5, v.shape[0]).astype(np.finfo(v.dtype).dtype)
            out = out + np.sum(np.real(v) * weights)
            if v.dtype.kind == "c":
                out = out + np.sum(np.imag(v) * weights) * 0.7
        return out

    def directions(self, seed=0):
        rng = np.random.default_rng(seed)
        return [rng.uniform(0.4, 1.0, x.shape).astype(x.dtype) for x in self.xs]

    def seeds(self):
        return tuple(np.linspace(0.5, 1.5, v.size).reshape(v.shape).astype(v.dtype) for v in self.answers())

    def answers(self):
        return [np.asarray(v) for v in self.fun(*self.xs)]

    @property
    def gradient(self):
        return covector.grad(self.total, tuple(range(len(self.xs))))


def _tuple(fun):
    def run(*xs):
        out = fun(*xs)
        return tuple(out) if isinstance(out, (tuple, list)) else (out,)

    return run


@cache
def subjects(name):
    """Every sample of a primitive that has a derivative."""
    if name in HIGHER:
        fun, xs = HIGHER[name]
        return [Subject(_tuple(fun), xs, name)]
    return [Subject(case.function(case.live), case.points(case.live), f"{name}, {case}", case)
            for case in cases(REGISTRY[name]) if case.live]


@cache
def chosen(name):
    """A few of them: real and complex, in single precision, empty, at a kink."""
    kinds = {}
    for s in subjects(name):
        kind = (s.smooth, s.xs[0].dtype, s.xs[0].size == 0, len(s.xs))
        kinds.setdefault(kind, s)
    return list(kinds.values())


def plain(name):
    """The first real sample with elements and a derivative, or None: flat maps, and functions of complex values."""
    return [s for s in subjects(name) if s.real and s.smooth and s.orders > 1 and all(x.size for x in s.xs)
            and all(v.dtype in (np.float64, np.complex128) for v in s.answers())][:1]


def same(found, wanted, exact=False):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape and a.dtype == b.dtype
        tol = 0.0 if exact else 1e-11 if b.dtype.itemsize >= 8 and b.dtype != np.complex64 else 1e-4
        scale = np.abs(b[np.isfinite(b)]).max(initial=1.0)
        np.testing.assert_allclose(a, b, rtol=tol, atol=tol * scale)


def promises():
    """A decorator that collects questions, to some primitives or all, and a function that asks one all of them.

    That is one test a primitive: its samples, and what is compiled when it is first needed, are made once. Questions
    that find something are named together.
    """
    questions = []

    def of(names):
        return lambda question: questions.append((question, frozenset(names))) or question

    def ask(name):
        wrong = []
        for question, names in questions:
            if name in names:
                try:
                    question(name)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"asked by {question.__name__}")
                    wrong.append(error)
        if wrong:
            raise BaseExceptionGroup(f"{name}, {', '.join(error.__notes__[-1] for error in wrong)}", wrong)

    return of, ask
