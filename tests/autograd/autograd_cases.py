"""Functions of the library, autograd or covector.compat.autograd: each gives arrays that must agree."""

import types
from importlib import import_module

import numpy as onp

X = onp.array([0.3, -1.2, 2.5])
M = onp.array([[2.0, -0.3, 0.5], [0.4, 1.5, 0.1], [-0.2, 0.3, 1.1]])
S = M @ M.T + onp.eye(3)
Z = onp.array([1.0 + 2.0j, -0.5 + 0.3j, 0.2 - 1.1j])


def library(name):
    """The modules of a library under short names."""
    part = {"ag": "", "np": ".numpy", "npla": ".numpy.linalg", "fft": ".numpy.fft", "extend": ".extend",
            "builtins": ".builtins", "tracer": ".tracer", "special": ".scipy.special", "stats": ".scipy.stats",
            "la": ".scipy.linalg", "signal": ".scipy.signal", "integrate": ".scipy.integrate",
            "optimizers": ".misc.optimizers", "fixed_points": ".misc.fixed_points", "vjps": ".numpy.numpy_vjps",
            "flat": ".misc.flatten", "operators": ".differential_operators"}
    return types.SimpleNamespace(**{key: import_module(name + below) for key, below in part.items()})


def f(lib):
    np = lib.np
    return lambda x: np.sum(np.sin(x) * x**2)


def h(lib):
    np = lib.np
    return lambda x: np.tanh(x) * x[0]


CASES = {
    # operators
    "grad": lambda lib: lib.ag.grad(f(lib))(X),
    "grad at a float": lambda lib: lib.ag.grad(lib.np.sin)(0.5),
    "grad of a tuple of arguments": lambda lib: lib.ag.grad(lambda x, y: lib.np.sum(x * y**2), (0, 1))(X, 2 * X),
    "grad of a list of arguments": lambda lib: lib.ag.grad(lambda x, y: lib.np.sum(x * y**2), [1, 0])(X, 2 * X),
    "grad of shape (1,)": lambda lib: lib.ag.grad(lambda x: lib.np.sum(x**2, keepdims=True))(X),
    "grad of a dict": lambda lib: lib.ag.grad(lambda p: lib.np.sum(p["a"] * p["b"]))({"a": X, "b": 2.0}),
    "grad of nested lists": lambda lib: lib.ag.grad(lambda p: p[0] * lib.np.sum(p[1][0] ** 2))([2.0, (X,)]),
    "grad of an int array": lambda lib: lib.ag.grad(lambda x: lib.np.sum(1.0 * x**2))(onp.array([1, 2])),
    "second derivative": lambda lib: lib.ag.grad(lib.ag.grad(lib.np.tanh))(0.3),
    "value_and_grad": lambda lib: lib.ag.value_and_grad(f(lib))(X),
    "elementwise_grad": lambda lib: lib.ag.elementwise_grad(lib.np.tanh)(X),
    "elementwise_grad twice": lambda lib: lib.ag.elementwise_grad(lib.ag.elementwise_grad(lib.np.tanh))(X),
    "deriv": lambda lib: lib.ag.deriv(lib.np.tanh)(0.3),
    "jacobian": lambda lib: lib.ag.jacobian(h(lib))(X),
    "jacobian of a matrix": lambda lib: lib.ag.jacobian(lambda a: a @ X)(M),
    "jacobian of a scalar": lambda lib: lib.ag.jacobian(f(lib))(X),
    "jacobian at a float": lambda lib: lib.ag.jacobian(lambda t: lib.np.array([t, t**2]))(3.0),
    "hessian": lambda lib: lib.ag.hessian(f(lib))(X),
    "hessian of shape (1,)": lambda lib: lib.ag.hessian(lambda x: lib.np.sum(x**3, keepdims=True))(X),
    "make_vjp": lambda lib: (lib.ag.make_vjp(h(lib))(X)[0](2 * X), lib.ag.make_vjp(h(lib))(X)[1]),
    "make_jvp": lambda lib: lib.ag.make_jvp(h(lib))(X)(2 * X),
    "make_hvp": lambda lib: (lib.ag.make_hvp(f(lib))(X)[0](X), lib.ag.make_hvp(f(lib))(X)[1]),
    "make_ggnvp": lambda lib: lib.ag.make_ggnvp(h(lib))(X)(X),
    "make_jvp_reversemode": lambda lib: lib.operators.make_jvp_reversemode(h(lib))(X)(X),
    "hessian_vector_product": lambda lib: lib.ag.hessian_vector_product(f(lib))(X, X),
    "vector_jacobian_product": lambda lib: lib.ag.vector_jacobian_product(h(lib))(X, X),
    "grad_and_aux": lambda lib: lib.ag.grad_and_aux(lambda x: (lib.np.sum(x**2), x * 2.0))(X),
    "grad_named": lambda lib: lib.ag.grad_named(lambda x, y: x * y**2, "y")(2.0, 3.0),
    "checkpoint": lambda lib: lib.ag.grad(lib.ag.checkpoint(f(lib)))(X),
    # complex values
    "grad of |z|": lambda lib: lib.ag.grad(lambda z: lib.np.sum(lib.np.abs(z) ** 2))(Z),
    "grad of a real part": lambda lib: lib.ag.grad(lambda z: lib.np.real(lib.np.sum(z**2)))(Z),
    "holomorphic_grad": lambda lib: lib.ag.holomorphic_grad(lambda z: lib.np.sum(lib.np.exp(z)))(Z),
    "vjp of a complex map": lambda lib: lib.ag.make_vjp(lambda z: z**2 * (1 + 1j))(Z)[0](2 * Z),
    "jvp of a complex map": lambda lib: lib.ag.make_jvp(lambda z: z**2)(Z)(1j * Z),
    "real through complex": lambda lib: lib.ag.grad(lambda x: lib.np.abs(lib.np.sum(x * Z)))(X),
    # constructing arrays
    "array of traced": lambda lib: lib.ag.grad(lambda x: lib.np.sum(lib.np.array([x[0], 2 * x[1], 3.0]) ** 2))(X),
    "array of nested lists": lambda lib: lib.ag.jacobian(
        lambda x: lib.np.array([[x[0], 1.0], [x[1] * x[2], x[2]]]))(X),
    "array of a traced array": lambda lib: lib.ag.grad(lambda x: lib.np.sum(lib.np.array(x) ** 2))(X),
    "sum of a list": lambda lib: lib.ag.grad(lambda x: lib.np.sum(lib.np.array([x[0] * x[1], x[2]])))(X),
    "stack of a generator": lambda lib: lib.ag.grad(
        lambda x: lib.np.sum(lib.np.stack([k * x**k for k in range(1, 4)])))(X),
    "concatenate": lambda lib: lib.ag.grad(lambda x: lib.np.sum(lib.np.concatenate((x, x**2, X)) ** 2))(X),
    "vstack, hstack": lambda lib: lib.ag.grad(
        lambda x: lib.np.sum(lib.np.vstack((x, x**2)) * 2.0) + lib.np.sum(lib.np.hstack((x, x[0])) ** 2))(X),
    "append, select": lambda lib: lib.ag.grad(
        lambda x: lib.np.sum(lib.np.append(x, x[0]) ** 2) + lib.np.sum(
            lib.np.select([X > 0, X < -5], [x**2, x], 0.0)))(X),
    "where by keyword": lambda lib: lib.ag.grad(lambda x: lib.np.sum(lib.np.where(X > 0, x=x**2, y=2 * x)))(X),
    "where of lists": lambda lib: lib.np.where([True, False], [1.0, 2.0], [3.0, 4.0]),
    # conventions
    "eigh reads a triangle": lambda lib: lib.ag.grad(lambda a: lib.np.sum(lib.npla.eigh(a)[0] ** 3))(S),
    "eigh of the upper triangle": lambda lib: lib.ag.grad(lambda a: lib.np.sum(
        lib.npla.eigh(a, "U")[1] ** 4))(S),
    "cholesky": lambda lib: lib.ag.grad(lambda a: lib.np.sum(lib.npla.cholesky(a) ** 2))(S),
    "max with ties": lambda lib: lib.ag.grad(lib.np.max)(onp.array([1.0, 2.0, 2.0])),
    "maximum with ties": lambda lib: lib.ag.grad(lambda x: lib.np.sum(lib.np.maximum(x, X)))(X),
    "abs at 0": lambda lib: lib.ag.grad(lambda x: lib.np.sum(lib.np.abs(x)))(onp.array([0.0, -1.0])),
    "isinstance, type": lambda lib: lib.ag.grad(
        lambda x: lib.np.sum(x) * (2.0 if lib.builtins.isinstance(x, onp.ndarray) else 3.0)
        * (5.0 if lib.builtins.type(x) is onp.ndarray else 7.0))(X),
    "getval": lambda lib: lib.ag.grad(lambda x: lib.np.sum(x * lib.tracer.getval(x)))(X),
    "tuple, list and dict of builtins": lambda lib: lib.ag.grad(
        lambda x: lib.np.sum(lib.builtins.tuple((x, x**2))[1]) + lib.np.sum(lib.builtins.list([x])[0])
        + lib.np.sum(lib.builtins.dict({"a": x})["a"]))(X),
    # modules
    "linalg": lambda lib: lib.ag.grad(lambda a: lib.npla.slogdet(a)[1] + lib.npla.norm(lib.npla.inv(a))
                                      + lib.np.sum(lib.npla.solve(a, X)))(S),
    "fft": lambda lib: lib.ag.grad(lambda x: lib.np.sum(lib.np.abs(lib.fft.fft(x))))(X),
    "special": lambda lib: lib.ag.grad(lambda x: lib.np.sum(
        lib.special.gammaln(x**2 + 1) + lib.special.erf(x) + lib.special.expit(x) + lib.special.j0(x)))(X),
    "logsumexp": lambda lib: lib.ag.grad(lib.special.logsumexp)(X),
    "multigammaln": lambda lib: lib.ag.grad(lambda a: lib.special.multigammaln(a, 2))(3.3),
    "stats": lambda lib: lib.ag.grad(lambda x: lib.np.sum(
        lib.stats.norm.logpdf(x, 0.3, 1.2) + lib.stats.norm.cdf(x) + lib.stats.t.logpdf(x, 5.0)))(X),
    "multivariate_normal": lambda lib: lib.ag.grad(
        lambda x: lib.stats.multivariate_normal.logpdf(x, onp.zeros(3), S))(X),
    "solve_triangular": lambda lib: lib.ag.grad(
        lambda a: lib.np.sum(lib.la.solve_triangular(a, X, lower=True) ** 2))(onp.tril(S)),
    "sqrtm": lambda lib: lib.ag.grad(lambda a: lib.np.sum(lib.la.sqrtm(a) ** 2))(S),
    "solve_sylvester": lambda lib: lib.ag.grad(
        lambda a: lib.np.sum(lib.la.solve_sylvester(a, S, onp.ones((3, 3))) ** 2))(S),
    "solve_banded": lambda lib: lib.ag.grad(
        lambda ab: lib.np.sum(lib.la.solve_banded((1, 1), ab, X) ** 2))(
            onp.array([[0.0, 0.1, 0.2], [2.0, 3.0, 4.0], [0.3, 0.4, 0.0]])),
    "convolve": lambda lib: lib.ag.grad(lambda x: lib.np.sum(lib.signal.convolve(x, onp.array([1.0, 2.0])) ** 2))(X),
    "convolve over axes": lambda lib: lib.ag.grad(lambda a: lib.np.sum(lib.signal.convolve(
        a, S, axes=([0], [1]), dot_axes=([1], [0]), mode="valid") ** 2))(M),
    "convolve same": lambda lib: lib.ag.grad(lambda a: lib.np.sum(lib.signal.convolve(
        a, S[:2], mode="same") ** 2))(M),
    "odeint": lambda lib: lib.ag.grad(lambda k: lib.np.sum(lib.integrate.odeint(
        lambda y, t, k: -k * y, onp.array([1.0, 2.0]), onp.array([0.0, 0.5, 1.0]), lib.builtins.tuple((k,)))))(0.7),
    # misc
    "flatten": lambda lib: lib.flat.flatten({"b": 1.0, "a": (X, [M])})[0],
    "unflatten": lambda lib: lib.flat.flatten({"b": 1.0, "a": (X, [M])})[1](onp.arange(13.0)),
    "adam": lambda lib: lib.optimizers.adam(lambda p, i: {"a": 2 * p["a"]}, {"a": X}, num_iters=5, step_size=0.1),
    "sgd": lambda lib: lib.optimizers.sgd(lambda p, i: 2 * p, X, num_iters=5),
    "rmsprop": lambda lib: lib.optimizers.rmsprop(lambda p, i: 2 * p, X, num_iters=5),
    "fixed_point": lambda lib: lib.ag.grad(lambda a: lib.fixed_points.fixed_point(
        lambda a: lambda x: 0.5 * (x + a / x), a, 1.0, lambda x, y: abs(x - y), 1e-12))(2.0),
    # rules of users
    "primitive": lambda lib: lib.ag.grad(own(lib))(X),
    "primitive under jacobian": lambda lib: lib.ag.jacobian(lambda x: opaque(lib)(x) * x[0])(X),
    "hessian through a primitive": lambda lib: lib.ag.hessian(lambda x: own(lib)(x) ** 2)(X),
    "rules by argnum": lambda lib: lib.ag.grad(lambda x: lib.np.sum(by_argnum(lib)(x, 3.0, name="n")))(X),
    "forward rule": lambda lib: lib.ag.make_jvp(forward(lib))(X)(2 * X),
    "containers in and out": lambda lib: lib.ag.grad(pair(lib))(X),
    "unbroadcast_f": lambda lib: lib.ag.grad(lambda a: lib.np.sum(broadcasting(lib)(a, X)))(2.0),
}


def own(lib):
    """logsumexp with a rule in the library's functions."""
    np = lib.np

    @lib.extend.primitive
    def logsumexp(x):
        top = onp.max(x)
        return top + onp.log(onp.sum(onp.exp(x - top)))

    lib.extend.defvjp(logsumexp, lambda ans, x: lambda g: g * np.exp(x - ans))
    return logsumexp


def opaque(lib):
    """A solution whose rule is SciPy's code, which wants plain arrays."""
    from scipy.linalg import solve

    @lib.extend.primitive
    def solved(b):
        return solve(S, b)

    lib.extend.defvjp(solved, lambda ans, b: lambda g: solve(S.T, onp.asarray(g)))
    return solved


def by_argnum(lib):
    @lib.extend.primitive
    def scaled(x, y, name=None):
        return x * y

    lib.extend.defvjp_argnum(scaled, lambda argnum, ans, args, kwargs: lambda g: g * args[1 - argnum] * len(kwargs))
    return scaled


def forward(lib):
    @lib.extend.primitive
    def cubed(x):
        return x**3

    lib.extend.defjvp(cubed, lambda g, ans, x: 3 * x**2 * g)
    return cubed


def pair(lib):
    """A primitive of and to a tuple."""
    np = lib.np

    @lib.extend.primitive
    def swapped(given):
        return given[1] * 2.0, given[0] * 3.0

    lib.extend.defvjp(swapped, lambda ans, given: lambda g: lib.builtins.tuple((g[1] * 3.0, g[0] * 2.0)))

    def run(x):
        a, b = swapped(lib.builtins.tuple((x, x**2)))
        return np.sum(a * b)

    return run


def broadcasting(lib):
    @lib.extend.primitive
    def times(a, x):
        return a * x

    lib.extend.defvjp(times, lambda ans, a, x: lib.vjps.unbroadcast_f(a, lambda g: g * x), None)
    return times
