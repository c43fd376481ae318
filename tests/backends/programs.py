"""What is computed with a second array library beside NumPy: every primitive in every mode, and the transforms."""

import numpy as np

import covector as cv
import covector.numpy as cnp
from covector.core.errors import BackendError
from covector.extend import REGISTRY

EVERYWHERE = [n for n, p in REGISTRY.items() if p.handlers is None and "collective" not in p.effects and n.islower()]
PRIMITIVES = [n for n in EVERYWHERE if not REGISTRY[n].host]
MODES = ["value", "vjp", "jvp", "vmap", "vmap 0", "vmap 1"]


def same(ours, theirs, array_type, where=""):
    """Values, dtypes and shapes agree, and the other side never left its library; `get` copies it to NumPy."""
    for a, b in zip(cv.tree.leaves(theirs), cv.tree.leaves(ours), strict=True):
        assert isinstance(b, array_type), (type(b), where)
        a = np.asarray(a)
        assert (a.shape, a.dtype) == (b.shape, b.dtype), where
        loose, size = a.dtype in (np.float32, np.complex64), 1.0
        if a.dtype.kind in "fc":  # sums of large terms are as good as these
            size = max(size, float(np.max(np.abs(a), initial=0.0, where=np.isfinite(a))))
        np.testing.assert_allclose(b.get(), a, rtol=1e-4 if loose else 1e-9, atol=(1e-5 if loose else 1e-11) * size,
                                   err_msg=where)


def ones_like(tree):
    def one(v):
        return v * 0 + 1 if v.dtype.kind in "fc" else v

    return tuple(one(v) for v in tree) if isinstance(tree, tuple) else one(tree)


def doubled(x):
    return np.stack([x, x])


def gauged(sample, out):
    """What of an answer is compared: its signs, phases or order may depend on the library."""
    if sample.gauge is None:
        return out
    return tuple(sample.gauge(*out) if isinstance(out, tuple) else sample.gauge(out))


def run(prim, sample, convert, mode):
    """The value, pullback, pushforward or batch of one sample with operands of one library."""
    operands = [np.asarray(x) for x in sample.operands]
    params = [sample.params.get(name, (prim.impl.__kwdefaults__ or {}).get(name)) for name in prim.params]
    if mode.startswith("vmap"):  # all operands batched, or one of them
        chosen = [mode == "vmap" or mode.endswith(str(i)) for i in range(len(operands))]
        moved = [convert(doubled(x) if own else x) for x, own in zip(operands, chosen)]
        axes = tuple(0 if own else None for own in chosen)
        return cv.vmap(lambda *xs: gauged(sample, prim.rebind((*xs, *params))), axes, axis_size=2)(*moved)
    operands = [convert(x) for x in operands]
    live = [i for i, x in enumerate(operands) if i not in prim.nondiff and x.dtype.kind in "fc"]

    def fun(*xs):
        full = list(operands)
        for i, x in zip(live, xs):
            full[i] = x
        return gauged(sample, prim.rebind((*full, *params)))

    xs = tuple(operands[i] for i in live)
    if mode == "value" or prim.flat or not live:
        return fun(*xs)
    if mode == "vjp":
        out, pullback = cv.vjp(fun, *xs)
        return pullback(ones_like(out))
    return cv.jvp(fun, xs, tuple(x * 0.5 for x in xs))


def primitive_runs(name, mode, convert, lacks=lambda refusal, operands: False):
    """`(answers with the other library, answers with NumPy)` of each sample of a primitive.

    `lacks(refusal, operands)`: whether a BackendError is right, since the other library lacks what it says.
    """
    prim = REGISTRY[name]
    for sample in REGISTRY[name].samples(np.random.default_rng(0)):
        try:
            theirs = run(prim, sample, convert, mode)
        except BackendError as refusal:
            if not lacks(refusal, sample.operands):
                raise
        else:
            yield theirs, run(prim, sample, np.asarray, mode)


X = np.linspace(0.5, 2.0, 6).reshape(2, 3)
W = np.linspace(-1.0, 1.0, 12).reshape(3, 4)


def program(x, w):
    h = (x @ w) ** 2 / (1.0 + x.sum(axis=1, keepdims=True))
    return (h[:, 1:] * h[:, :-1]).sum() + h.T.reshape(-1)[2] + abs(w).max()


def vector(x):
    return np.tanh(x).T * x[0, 1] + np.sin(x.sum())


def written(x):
    y = np.zeros_like(x)
    y[0] = x[1] * 2.0
    y[1, 1:] += x[0, 1:]
    row = y[1]
    row[0] = x[0, 0] ** 2
    y *= x
    y += 1.0
    return (y.at[:, 1].add(x[:, 0]).at[0].multiply(x[1])[np.array([0, 1, 1])] ** 2).sum()


def in_a_loop(x):
    y = np.zeros_like(x)
    for i in range(2):
        for j in range(3):
            y[i, j] = x[i, j] * (y[i, j - 1] + 1.0) if j else x[i, j]
    return (y * y).sum()


@cv.custom_jvp
def cubed(x):
    return x**3


cubed.defjvp(lambda primals, tangents: (primals[0] ** 3, 3.0 * primals[0] ** 2 * tangents[0]))


@cv.custom_vjp
def clipped(x):
    return x * x


clipped.defvjp(lambda x: (x * x, x), lambda x, ct: (2.0 * x * ct,))


def custom(x):
    return (cubed(x) * clipped(x)).sum()


def staged(fun, *args):
    return cv.make_graph(fun)(*args)(*args)


def linearized(x):
    out, tangent_map = cv.linearize(vector, x)
    return out, tangent_map(x * 0.5)


def branches(x):
    return cv.cond((x.sum() > 0), lambda v: (v * v).sum(), lambda v: v.sum(), x)


def rows(x):
    last, seen = cv.scan(lambda c, r: (c * r, c + r), x[0], x)
    return (last * last).sum() + seen.sum()


# One loss a group of functions of covector.numpy; each must make its constants where its operands are.
FUNCTIONS = {
    "running": lambda x: (cnp.cumprod(x, axis=1)[:, -1] ** 2).sum() + cnp.cumulative_sum(x[0], include_initial=True)[1],
    "sampled": lambda x: (cnp.gradient(x, axis=1) ** 2).sum() + cnp.trapezoid(x[0], x[1]) + cnp.unwrap(3 * x).sum(),
    "between samples": lambda x: (cnp.interp(x[0], x[1], x[0] * x[1]) ** 2).sum() + cnp.convolve(x[0], x[1])[1],
    "statistics": lambda x: (cnp.cov(x) ** 2).sum() + cnp.histogram(x, 3, weights=x)[0][0] + cnp.median(x),
    "quantiles": lambda x: (cnp.quantile(x, [0.2, 0.7]) ** 2).sum() + cnp.nanquantile(x, 0.3, axis=1).sum(),
    "beside nan": lambda x: cnp.nanvar(x, axis=1).sum() + cnp.nanprod(x) + cnp.nancumsum(x)[2] + cnp.nanmean(x),
    "sets": lambda x: (cnp.unique(x)[1:3] ** 2).sum() + cnp.union1d(x[0], x[1])[0] + cnp.trim_zeros(x[0])[0],
    "joined": lambda x: (cnp.insert(x, 1, 2.0) ** 2).sum() + cnp.block([[x], [x]])[0, 0] + cnp.resize(x, 9)[8] ** 2,
    "rows and columns": lambda x: (cnp.c_[x, x] ** 2).sum() + cnp.r_[x[0], 1.0][1] ** 2 + cnp.append(x, 1.0)[0],
    "padded": lambda x: (cnp.pad(x, 1, mode="mean") ** 2).sum() + (cnp.pad(x, 1, constant_values=2) ** 2).sum(),
    "triangles": lambda x: (cnp.tril(x) ** 2).sum() + (cnp.diag(x[0]) ** 2).sum() + cnp.linspace(x[0], x[1], 3)[1, 0],
    "polynomials": lambda x: (cnp.polyval(x[0], x[1]) ** 2).sum() + cnp.vander(x[0])[1, 0] + cnp.polyint(x[0])[1],
    "fits": lambda x: (cnp.polyfit(x[0], x[1], 1) ** 2).sum() + (cnp.roots(x[0]).real ** 2).sum(),
    "pieces": lambda x: cnp.piecewise(x, [x < 1.0], [lambda v: v * v, 2.0]).sum() + cnp.i0(x).sum(),
}


def putting(x):
    y = cnp.copy(x)
    cnp.put(y, [0, 4], x[0, 1])
    cnp.place(y, y > 1.5, x[0])
    cnp.fill_diagonal(y, x[1, 2])
    return (y * y).sum()


PROGRAMS = {
    **{f"grad, {k}": lambda x, w, f=f: cv.grad(f)(x) for k, f in {**FUNCTIONS, "putting": putting}.items()},
    **{f"jvp, {k}": lambda x, w, f=f: cv.jvp(f, (x,), (x,)) for k, f in {**FUNCTIONS, "putting": putting}.items()},
    "grad": lambda x, w: cv.grad(program, (0, 1))(x, w),
    "value_and_grad": lambda x, w: cv.value_and_grad(program)(x, w),
    "vjp": lambda x, w: cv.vjp(program, x, w)[1](program(x, w)),
    "jvp": lambda x, w: cv.jvp(program, (x, w), (x, w)),
    "vmap": lambda x, w: cv.vmap(lambda row, w: program(row.reshape((1, 3)), w), (0, None))(x, w),
    "vmap of grad": lambda x, w: cv.vmap(cv.grad(lambda row, w: program(row.reshape((1, 3)), w)), (0, None))(x, w),
    "vmap, axes and chunks": lambda x, w: cv.vmap(lambda c: c * c, 1, 1, chunk_size=2)(x),
    "vmap, a constant result": lambda x, w: cv.vmap(lambda row: w, out_axes=1)(x),
    "grad of grad": lambda x, w: cv.grad(lambda x: (cv.grad(program)(x, w) * x).sum())(x),
    "jacfwd": lambda x, w: cv.jacfwd(vector)(x),
    "jacrev": lambda x, w: cv.jacrev(vector)(x),
    "jacobian": lambda x, w: cv.jacobian(vector)(x),
    "jacobian, forward": lambda x, w: cv.jacobian(vector, mode="fwd", chunk_size=2)(x),
    "jacobian, reverse": lambda x, w: cv.jacobian(vector, mode="rev", chunk_size=2)(x),
    "jacobian of two arguments": lambda x, w: cv.jacobian(lambda x, w: x @ w, (0, 1))(x, w),
    "hessian": lambda x, w: cv.hessian(program, (0, 1))(x, w),
    "hvp": lambda x, w: cv.hvp(program, (x, w), (x, w)),
    "elementwise_grad": lambda x, w: cv.elementwise_grad(np.tanh)(x),
    "linearize": lambda x, w: linearized(x),
    "linear_transpose": lambda x, w: cv.linear_transpose(lambda v: 3.0 * v[:, 1:], x)(x[:, 1:]),
    "graph": lambda x, w: staged(program, x, w),
    "graph of grad": lambda x, w: staged(cv.grad(program, (0, 1)), x, w),
    "grad of a graph": lambda x, w: cv.grad(cv.make_graph(program)(x, w), (0, 1))(x, w),
    "checkpoint": lambda x, w: cv.grad(cv.checkpoint(program), (0, 1))(x, w),
    "hessian of checkpoint": lambda x, w: cv.hessian(cv.checkpoint(program))(x, w),
    "scan": lambda x, w: cv.grad(rows)(x),
    "jvp of scan": lambda x, w: cv.jvp(rows, (x,), (x,)),
    "vmap of scan": lambda x, w: cv.vmap(lambda r: cv.scan(lambda c, v: (c * v, c), r[0], r)[0])(x),
    "graph of grad of scan": lambda x, w: staged(cv.grad(rows), x),
    "cond": lambda x, w: cv.grad(branches)(x),
    "graph of grad of cond": lambda x, w: staged(cv.grad(branches), x),
    "vmap of cond": lambda x, w: cv.vmap(branches)(x),
    "fori_loop": lambda x, w: cv.grad(lambda x: cv.fori_loop(0, 3, lambda i, v: v * x, x).sum())(x),
    "custom rules": lambda x, w: (cv.grad(custom)(x), cv.jvp(custom, (x,), (x,)), cv.vmap(custom)(x)),
    "graph of custom rules": lambda x, w: staged(cv.grad(custom), x),
    "hessian of custom rules": lambda x, w: cv.hessian(custom)(x),
    "writes": lambda x, w: (cv.grad(written)(x), cv.hessian(written)(x)),
    "writes in a loop": lambda x, w: (cv.grad(in_a_loop)(x), cv.jvp(in_a_loop, (x,), (x,))),
    "vmap of writes": lambda x, w: cv.vmap(cv.grad(lambda r: written(r.reshape((2, 3)))))(x.reshape((1, 6))),
    "graph of writes": lambda x, w: staged(cv.grad(written), x),
    "unused": lambda x, w: cv.grad(lambda x, w: x.sum(), (0, 1))(x, w),
    "jacfwd of a constant": lambda x, w: cv.jacfwd(lambda x: w)(x),
}  # fmt: skip
