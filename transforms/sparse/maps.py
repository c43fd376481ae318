"""The flat array-to-array map behind a sparse derivative, and the graph of its derivative."""

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.arrays.dtypes import is_inexact
from ...core.errors import DtypeError, ShapeError, TreeError, at_user_line
from ...core.trace.tracer import Tracer, is_concrete, unwrap
from ..arguments.arguments import described, differentiable, flatten, normal_argnums, settle, structure
from ..graph.equations import walk
from ..interpreters.forward import jvp
from ..interpreters.gradient import vjp
from ..staging.graph import ShapeDtype
from ..staging.staging import stage
from .pattern import dependence
from .relations import Relation, stacked


class FlatMap:
    """A function with its arguments taken apart.

    Args:
        fun: the function.
        argnums: position(s) of the arguments that it is differentiated with respect to.
        name: of the transform, for messages.
        args, kwargs: arrays or `ShapeDtype`. Floating values that are not differentiated may be others at each call;
            integers, booleans and other objects are part of what the pattern was found for, and must stay as they are.
    """

    def __init__(self, fun, argnums, name, args, kwargs):
        self.fun = fun
        self.name = name
        self.argnums = normal_argnums(argnums, len(args), name)
        self.count = len(args)
        leaves, rest = self.taken_apart(args, kwargs)
        self.avals = [_aval(x, name) for x in leaves]
        self.free, self.fixed = [], {}
        for k, x in enumerate(rest):
            if _is_free(x):
                self.free.append(k)
            elif isinstance(x, ShapeDtype):
                raise DtypeError(f"{name} needs the values of integer and boolean arguments, on which the pattern may "
                                 f"depend, but got {x!r}; pass the array itself{at_user_line()}")
            else:
                self.fixed[k] = x
        self.free_avals = [_shape_of(rest[k]) for k in self.free]
        self.form = structure(self._trees(args, kwargs))
        self.width = sum(a.size for a in self.avals)

    def _trees(self, args, kwargs):
        return (tuple([args[k] for k in self.argnums]),
                ([x for k, x in enumerate(args) if k not in self.argnums], kwargs))

    def taken_apart(self, args, kwargs):
        """`(leaves of the differentiated arguments, other leaves)`; notes how they are put together again."""
        chosen, others = self._trees(args, kwargs)
        leaves, self.rebuild = flatten(chosen)
        rest, self.rebuild_rest = flatten(others)
        return [settle(x) for x in leaves], [settle(x) for x in rest]

    def values(self, args, kwargs):
        """`(leaves, free values)` of a call, which must be like the one that this was made for."""
        if len(args) != self.count:
            raise TypeError(f"the plan of {self.name} was made for {self.count} positional arguments, but got "
                            f"{len(args)}; pass the same ones{at_user_line()}")
        trees = self._trees(args, kwargs)
        if structure(trees) != self.form:
            raise TreeError(f"the plan of {self.name} was made for arguments {described(self.form)}, but got "
                            f"{described(trees)}; make another plan for them{at_user_line()}")
        leaves, rest = self.taken_apart(args, kwargs)
        for x, aval in [*zip(leaves, self.avals), *zip([rest[k] for k in self.free], self.free_avals)]:
            found = aval_of(x)
            if found.shape != aval.shape:
                raise ShapeError(f"the plan of {self.name} was made for an argument of shape {aval.shape}, but got "
                                 f"shape {found.shape}; make another plan for it, {self.name}(f).plan(x)"
                                 f"{at_user_line()}")
            if found.dtype.kind != aval.dtype.kind and not np.can_cast(found.dtype, aval.dtype, "same_kind"):
                raise DtypeError(f"the plan of {self.name} was made for an argument of dtype {aval.dtype}, but got "
                                 f"{found.dtype}; cast it, or make another plan for it{at_user_line()}")
        for k, was in self.fixed.items():
            if not _same(rest[k], was):
                raise ValueError(f"the plan of {self.name} was made for {_brief(was)}, on which the pattern may "
                                 f"depend, but got {_brief(rest[k])}; pass the same, or make another plan for it"
                                 f"{at_user_line()}")
        leaves = [_inexact(x, a) for x, a in zip(leaves, self.avals)]
        return leaves, [rest[k] for k in self.free]

    def call(self, leaves, free):
        """The outputs, flat."""
        rest = dict(self.fixed) | dict(zip(self.free, free))
        others, kwargs = self.rebuild_rest([rest[k] for k in range(len(rest))])
        args = list(others)
        chosen = self.rebuild(leaves)
        # In ascending order, so that no insertion moves one that was placed before.
        for k, x in sorted(zip(self.argnums, chosen), key=lambda pair: pair[0]):
            args.insert(k, x)
        return [settle(v) for v in flatten(self.fun(*args, **kwargs))[0]]

    def of_leaves(self, free):
        """A function of the differentiated leaves alone."""
        return lambda *leaves: self.call(list(leaves), free)

    def stage_outputs(self):
        """Find the shapes of the outputs, and whether reverse rules alone are known, or forward ones.

        A loop with a condition on values has forward rules alone where it is staged, as in a compiled function.
        """
        plain, _ = stage(lambda *v: self.call(list(v[: len(self.avals)]), list(v[len(self.avals) :])),
                         [*self.avals, *self.free_avals], tuple, self.name, watch=False)
        self.out_avals = list(plain.out_avals)
        self.by_rows_only = any(eq.prim.only == "vjp" for eq in walk(plain.equations))
        self.by_columns_only = any(eq.prim.only == "jvp" for eq in walk(plain.equations))

    def derivative_graph(self, by_rows=None):
        """Stage the derivative at unknown values, as a linear map of its last inputs: tangents, or by rows cotangents.

        By default forward, unless there is a `custom_vjp`, which has no other than the reverse rule.
        """
        self.stage_outputs()
        if by_rows is None:
            by_rows = self.by_rows_only
        live = [k for k, a in enumerate(self.out_avals) if is_inexact(a.dtype)]
        n, m = len(self.avals), len(self.free_avals)

        def forward(*values):
            leaves, free, tangents = values[:n], list(values[n : n + m]), values[n + m :]
            out = jvp(lambda *v: _chosen(self.call(list(v), free), live), tuple(leaves), tuple(tangents))[1]
            return list(out)

        def backward(*values):
            leaves, free, cts = values[:n], list(values[n : n + m]), values[n + m :]
            return list(vjp(lambda *v: _chosen(self.call(list(v), free), live), *leaves)[1](list(cts)))

        last = [self.out_avals[k] for k in live] if by_rows else self.avals
        graph, _ = stage(backward if by_rows else forward, [*self.avals, *self.free_avals, *last], tuple, self.name,
                         watch=False)
        return graph, by_rows, live

    def pattern(self):
        """The pattern of the Jacobian as a boolean `csr_array`: rows are outputs, columns inputs."""
        graph, by_rows, live = self.derivative_graph()
        outs = [self.out_avals[k] for k in live] if by_rows else self.avals
        total = sum(a.size for a in outs)
        # None for the values at which the derivative is taken: only its linear inputs count.
        given = [None] * len(graph.inputs)
        before = 0
        for k, a in enumerate(outs, len(self.avals) + len(self.free_avals)):
            # Each element of a linear input depends on itself.
            given[k] = Relation.identity(before, a.size, total)
            before += a.size
        found = dependence(graph, given)
        answers = self.avals if by_rows else [self.out_avals[k] for k in live]
        parts = [Relation.empty(a.size, total) if r is None else r for r, a in zip(found, answers)]
        whole = stacked(parts) if parts else Relation.empty(0, total)
        matrix = whole.matrix()
        if by_rows:
            matrix = matrix.T.tocsr()
        if len(live) == len(self.out_avals):
            return matrix
        # Outputs that are not floating keep their rows, without elements.
        sizes = [a.size for a in self.out_avals]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        places = np.concatenate([np.zeros(0, int), *[np.arange(starts[k], starts[k + 1]) for k in live]]).astype(int)
        return _spread(matrix, places, int(starts[-1]))


def _spread(matrix, places, rows):
    counts = np.zeros(rows, np.int64)
    counts[places] = np.diff(matrix.indptr)
    return Relation(np.concatenate([[0], np.cumsum(counts)]), matrix.indices, matrix.shape[1]).matrix()


def _chosen(outs, live):
    return [outs[k] for k in live]


def _aval(x, name):
    if isinstance(x, ShapeDtype):
        if not is_inexact(x.dtype):
            raise DtypeError(f"{name} needs floating or complex inputs, but an argument has dtype {x.dtype}; exclude "
                             f"it with argnums, or take another dtype{at_user_line()}")
        return make_aval(x.shape, x.dtype)
    aval = differentiable(x, name)
    return make_aval(aval.shape, aval.dtype)


def _is_free(x):
    """Tell whether an argument that is not differentiated may have other values at each call."""
    if isinstance(x, ShapeDtype):
        return is_inexact(x.dtype)
    if isinstance(x, Tracer) and not is_concrete(x):
        return True
    return type(x) is float or hasattr(x, "dtype") and hasattr(x, "shape") and is_inexact(np.dtype(x.dtype))


def _shape_of(x):
    aval = make_aval(x.shape, x.dtype) if isinstance(x, ShapeDtype) else aval_of(x)
    return make_aval(aval.shape, aval.dtype)


def _same(a, b):
    if a is b:
        return True
    a, b = unwrap(a), unwrap(b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == np.asarray(b)))
    return bool(a == b)


def _brief(x):
    text = repr(x)
    return text if len(text) < 60 else f"{text[:56]} …"


def _inexact(x, aval):
    if isinstance(x, Tracer):
        return x
    if not hasattr(x, "dtype") or not is_inexact(x.dtype):
        return np.asarray(x, aval.dtype)
    return x

