"""Plans of sparse derivatives: a pattern, its colouring, and the position of each element in the compressed sweeps."""

import numpy as np

from ...core.arrays.dtypes import is_inexact
from ...core.errors import DtypeError, RuleError, ShapeError, at_user_line
from ...core.ops.indexing.indexing import take
from ...core.ops.shaping import concatenate
from ...core.trace.device import constant
from ...core.trace.tracer import Tracer
from ...core.types import Any
from ..arguments.arguments import settle
from ..arguments.escape_checks import check_escaped
from ..compile.call.jit import jit
from ..interpreters.basis import chunks
from ..interpreters.forward import jvp
from ..interpreters.gradient import vjp
from ..interpreters.vmap import Mapping, unbox_out
from .colouring import Coloured, check_columns, coloured, colours_of
from .relations import SPARSE
from .symmetric import Adjacency, Recovery, acyclic_colours, star_colours, symmetric_pattern, vertex_order

_KEPT = 1 << 24  # bytes of sums of unit vectors that a plan keeps


class SparsePlan:
    """A plan of a sparse Jacobian or Hessian for arguments of given shapes; see `sparse_jacobian`.

    Attributes:
        shape: of the matrix.
        pattern: its pattern, a boolean `scipy.sparse.csr_array` with sorted rows.
        rows, columns: of the elements, in the order of `values`.
        passes: how many forward and how many backward ones an evaluation takes.
    """

    def __init__(self, flat, pattern, options):
        self.flat = flat
        self.options = options
        self.pattern = pattern
        self.shape = pattern.shape
        self.rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        self.columns = pattern.indices
        self.live = [k for k, a in enumerate(flat.out_avals) if is_inexact(a.dtype)]
        check_kinds(flat.avals, [flat.out_avals[k] for k in self.live], options.holomorphic, flat.name)
        self.recovery: Any = None
        self.seeds: dict[Any, Any] = {}
        self.compiled: Any = jit(self._elements) if options.jit else None

    def __repr__(self):
        forward, reverse = self.passes
        return (f"<plan of {self.flat.name}: {self.shape[0]} x {self.shape[1]} with {self.pattern.nnz} elements, by "
                f"{forward} forward and {reverse} backward passes>")

    @property
    def passes(self):
        """`(forward, backward)`: how many."""
        return self.colours.passes

    def coloured_as(self, colours):
        """Note a `Coloured`, and where each element is found."""
        self.colours = colours
        sizes = [a.size for a in self.flat.out_avals]
        # Rows of the matrix count all outputs, those of a sweep the floating ones alone: `place` leads from one to the
        # other.
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        place, count = np.full(starts[-1], -1), 0
        for k in self.live:
            place[starts[k] : starts[k + 1]] = np.arange(count, count + sizes[k])
            count += sizes[k]
        self.outputs, self.inputs = count, self.shape[1]
        by_rows = np.broadcast_to(colours.by_rows, self.rows.shape)
        self.parts = []
        for turned in (False, True):
            mine = np.flatnonzero(by_rows == turned)
            colour = (colours.rows[self.rows] if turned else colours.columns[self.columns])[mine]
            at = self.columns[mine] if turned else place[self.rows[mine]]
            self._add_part(turned, mine, colour, at)
        return self

    def symmetric_as(self, colours):
        """Note colours of a symmetric matrix, and where each element is found."""
        graph = Adjacency(self.pattern)
        # A symmetric colouring has colours of columns only: all elements come from forward passes.
        self.colours = Coloured(colours, np.full(self.shape[0], -1), False)
        self.recovery = Recovery(graph, colours)
        self.outputs = self.inputs = self.shape[0]
        places = self.recovery.places(self.shape[0])
        self.parts = []
        self._add_part(False, np.arange(len(places)), places // max(self.shape[0], 1), places % max(self.shape[0], 1))
        return self

    def _add_part(self, turned, mine, colour, at):
        if len(mine):
            width = self.inputs if turned else self.outputs
            total = int(colour.max()) + 1
            cuts = list(chunks(total, 4 * max(self.inputs, self.outputs), 8, (self.options.chunk_size, None,
                self.flat.name)))
            # A stable order by colour keeps the elements of a chunk in their order; a single chunk needs none.
            order = np.argsort(colour, kind="stable") if len(cuts) > 1 else None
            sorted_colours = colour if order is None else colour[order]
            positions = []
            for start, stop in cuts:
                if order is None:
                    positions.append(colour * width + at)
                else:
                    these = order[np.searchsorted(sorted_colours, start) : np.searchsorted(sorted_colours, stop)]
                    positions.append((colour[these] - start) * width + at[these])
            self.parts.append((turned, cuts, positions, mine if order is None else mine[order]))

    def finished(self):
        """Note how the parts are put together."""
        whole = np.concatenate([mine for *_, mine in self.parts]) if self.parts else np.zeros(0, int)
        # The inverse of the order in which the parts list the elements; None for the identity, which saves a gather.
        back = np.empty(len(whole), np.int64)
        back[whole] = np.arange(len(whole))
        self.back = None if np.array_equal(back, np.arange(len(back))) else back
        return self

    def values(self, *args: Any, **kwargs: Any) -> Any:
        """The elements of the matrix, in the order of `rows` and `columns`: a function that transforms take.

        Args:
            args, kwargs: like those that the plan was made for.
        Returns:
            a vector.
        Raises:
            ShapeError, TreeError, DtypeError, ValueError: the arguments are not like those of the plan.
            RuleError: the pattern that the user gave lacks an element that is not 0.
        """
        leaves, free = self.flat.values(args, kwargs)
        data = (self._elements if self.compiled is None else self.compiled)(leaves, free)
        if self.recovery is not None:
            data = self.recovery.undone(data)
        if self.options.check and not isinstance(data, Tracer):
            self._probe(self._sweeps(leaves, free), data)
        return data

    def _sweeps(self, leaves, free):
        return Sweeps(self.flat.of_leaves(free), leaves, self.flat.avals, self.flat.out_avals, self.live,
                      self.options.holomorphic)

    def _elements(self, leaves, free):
        """The places in the sweeps where each element is read off."""
        sweeps, found = self._sweeps(leaves, free), []
        for turned, cuts, positions, _ in self.parts:
            colours = self.colours.rows[self._live_rows()] if turned else self.colours.columns
            for (start, stop), places in zip(cuts, positions):
                seeds = self._seeds(turned, colours, start, stop)
                swept = sweeps.pull(seeds) if turned else sweeps.push(seeds)
                found.append(_taken(swept, places))
        if not found:
            found = [np.zeros(0, np.result_type(float, *[a.dtype for a in self.flat.avals]))]
        data = found[0] if len(found) == 1 else concatenate(*found, axis=0)
        return data if self.back is None else _taken(data, self.back)

    def _seeds(self, turned, colours, start, stop):
        """The unit sums of some colours; small ones are kept."""
        found = self.seeds.get((turned, start))
        if found is None:
            found = unit_sums(colours, start, stop)
            # At most four, so that a plan of many chunks does not hold all of them.
            if found.nbytes <= _KEPT:
                self.seeds = {**self.seeds, (turned, start): found} if len(self.seeds) < 4 else {(turned, start): found}
        return found

    def _live_rows(self):
        if len(self.live) == len(self.flat.out_avals):
            return slice(None)
        starts = np.concatenate([[0], np.cumsum([a.size for a in self.flat.out_avals])]).astype(int)
        return np.concatenate([np.arange(starts[k], starts[k + 1]) for k in self.live] or [np.zeros(0, int)])

    def _probe(self, sweeps, data):
        """Compare a product with a random vector with one by the function's own derivative."""
        matrix = SPARSE.csr_array((data, self.columns, self.pattern.indptr), shape=self.shape)[self._live_rows()]
        if not matrix.shape[0] or not matrix.shape[1]:
            return
        turned = all(part[0] for part in self.parts) and bool(self.parts) or self.flat.by_rows_only
        matrix = matrix.T if turned else matrix
        # Away from 0, so that no column is left out of the product.
        vector = np.random.default_rng(0).uniform(0.5, 1.5, matrix.shape[1])
        want = np.asarray(sweeps.pull(vector[None]) if turned else sweeps.push(vector[None]))[0]
        got, scale = matrix @ vector, abs(matrix) @ vector + abs(want)
        level = 1e-3 if np.finfo(want.dtype).eps > 1e-10 else 1e-6
        # Infinite elements give NaN here, which compares as False: they do not tell of a missing element.
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero(abs(got - want) > level * (scale + scale.max(initial=0.0) * 1e-6))
        if len(wrong):
            what = "column" if turned else "row"
            raise RuleError(f"the pattern of {self.flat.name} lacks an element of {what} {wrong[0]} (and of "
                            f"{len(wrong) - 1} more): a product with a random vector gives {want[wrong[0]]}, the "
                            f"sparse matrix {got[wrong[0]]}; leave pattern out, give one with all elements, or pass "
                            f"check=False{at_user_line()}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The matrix as a `scipy.sparse.csr_array`, for arguments like those that the plan was made for."""
        data = self.values(*args, **kwargs)
        if isinstance(data, Tracer):
            raise RuleError(f"{self.flat.name} was called with traced values, and a scipy.sparse array cannot hold "
                            f"those; use the elements themselves, plan.values(x), which belong to plan.rows and "
                            f"plan.columns{at_user_line()}")
        # Copies, since the caller may change the matrix in place, and the plan is used again.
        return SPARSE.csr_array((data, self.columns.copy(), self.pattern.indptr.copy()), shape=self.shape)


class Options:
    """The options of a sparse derivative."""

    __slots__ = ("pattern", "colouring", "check", "holomorphic", "chunk_size", "mode", "jit")

    def __init__(self, pattern, colouring, check, holomorphic, chunk_size, mode, compiled):
        self.pattern = pattern
        self.colouring = colouring
        # A pattern that was found is complete; one that the user gave may lack elements.
        self.check = pattern is not None if check is None else check
        self.holomorphic = holomorphic
        self.chunk_size = chunk_size
        self.mode = mode
        self.jit = compiled


def _taken(x, places):
    """Elements of an array at flat positions."""
    return take(x.reshape((-1,)), places, axis=0)


def jacobian_plan(flat, options):
    """The plan of a Jacobian."""
    pattern = _pattern_of(flat, options)
    plan = SparsePlan(flat, pattern, options)
    way = {"fwd": "columns", "rev": "rows"}.get(options.mode, options.mode)
    if flat.by_rows_only:
        if way in ("columns", "both"):
            raise RuleError(f"{flat.name} was asked for forward passes (mode={options.mode!r}), but the function has a "
                            f'custom_vjp, which has none; use mode="rev", or custom_jvp{at_user_line()}')
        way = "rows"
    elif flat.by_columns_only and way in ("auto", "both"):
        way = "columns"
    given = options.colouring
    if given is None:
        return plan.coloured_as(coloured(pattern, way)).finished()
    by_rows = way == "rows"
    colours = _given(given, pattern.shape[0 if by_rows else 1], "row" if by_rows else "column")
    check_columns(pattern.T.tocsr() if by_rows else pattern, colours, "row" if by_rows else "column")
    rest = np.full(pattern.shape[1 if by_rows else 0], -1)
    found = Coloured(rest, colours, True) if by_rows else Coloured(colours, rest, False)
    return plan.coloured_as(found).finished()


def hessian_plan(flat, options):
    """The plan of a Hessian, from the map of its gradient."""
    pattern = symmetric_pattern(_pattern_of(flat, options))
    plan = SparsePlan(flat, pattern, options)
    way = options.colouring
    if not isinstance(way, str):
        return plan.symmetric_as(_given(way, pattern.shape[0], "row")).finished()
    if way == "columns":
        return plan.coloured_as(coloured(pattern, "columns")).finished()
    graph, colour = Adjacency(pattern), {"star": star_colours, "acyclic": acyclic_colours}[way]
    # The number of colours depends on the order of the vertices: the better of two is taken.
    return plan.symmetric_as(min([colour(graph, vertex_order(pattern, order)) for order in ("natural", "largest")],
                                 key=colours_of)).finished()


def _given(colours, count, what):
    colours = np.asarray(colours)
    if colours.shape != (count,) or colours.dtype.kind not in "iu":
        raise ShapeError(f"a colouring is one integer for each {what}, {count} here, but got an array of shape "
                         f"{colours.shape} and dtype {colours.dtype}; give as many{at_user_line()}")
    # Renumbered from 0; where there are negative ones, the least stands for no colour and becomes -1.
    return np.unique(colours, return_inverse=True)[1] - int(bool(np.any(colours < 0)))


def _pattern_of(flat, options):
    """The pattern, found or given, with sorted rows."""
    if options.pattern is None:
        pattern = flat.pattern()
    else:
        flat.stage_outputs()
        # Comparing drops stored zeros, too.
        pattern = SPARSE.csr_array(options.pattern) != 0
        shape = (sum(a.size for a in flat.out_avals), flat.width)
        if pattern.shape != shape:
            raise ShapeError(f"{flat.name} needs a pattern of shape {shape} (outputs by inputs), but got "
                             f"{pattern.shape}; give one of that shape, or leave it out{at_user_line()}")
    pattern = pattern.tocsr()
    pattern.sum_duplicates()
    return pattern


# Compressed sweeps: a derivative applied to sums of unit vectors, as many at a time as fit a memory budget.


class Sweeps:
    """The derivative of a function of flat leaves at one point, applied to rows of tangents or cotangents."""

    def __init__(self, fun, leaves, avals, out_avals, live, holomorphic):
        self.fun = fun
        self.leaves = leaves
        self.avals = avals
        self.out_avals = [out_avals[k] for k in live]
        self.live = live
        self.holomorphic = holomorphic
        self.pullback: Any = None

    def of_live(self, *leaves):
        """The floating outputs."""
        outs = self.fun(*leaves)
        return [outs[k] for k in self.live]

    def push(self, seeds):
        """`(k, outputs)` from tangents `(k, inputs)`."""
        with Mapping(seeds.shape[0]) as trace:
            boxed = [trace.box(s) for s in _cut(seeds, self.avals, self.leaves)]
            tangents = jvp(self.of_live, tuple(self.leaves), tuple(boxed))[1]
            out = [unbox_out(trace, settle(v), 0) for v in tangents]
        check_escaped(out)
        return _beside(out, seeds.shape[0])

    def pull(self, seeds):
        """`(k, inputs)` from cotangents `(k, outputs)`: the rows of the Jacobian, added up by `seeds`."""
        # One forward pass for all chunks of rows.
        if self.pullback is None:
            outs, self.pullback = vjp(self.of_live, *self.leaves)
        rows = self._pulled(seeds)
        if self.holomorphic or not any(a.dtype.kind == "c" for a in self.out_avals):
            return rows
        return rows + 1j * self._pulled(seeds * -1j)  # real inputs receive the real part of a complex row

    def _pulled(self, seeds):
        with Mapping(seeds.shape[0]) as trace:
            boxed = [trace.box(s) for s in _cut(seeds, self.out_avals, self.leaves)]
            out = [unbox_out(trace, settle(v), 0) for v in self.pullback(boxed)]
        check_escaped(out)
        return _beside(out, seeds.shape[0])


def _cut(seeds, avals, like):
    """Rows of seeds as arrays of the shapes of `avals`."""
    out, start = [], 0
    for a in avals:
        part = seeds[:, start : start + a.size]
        if part.dtype.kind == "c" and a.dtype.kind != "c":
            part = part.real * 0.0
        out.append(constant(part.astype(a.dtype, copy=False).reshape((seeds.shape[0], *a.shape)), *like))
        start += a.size
    return out


def _beside(parts, count):
    flat = [v.reshape((count, v.size // max(count, 1))) for v in parts]
    return flat[0] if len(flat) == 1 else concatenate(*flat, axis=1)


def unit_sums(colours, start, stop):
    """For each colour from `start` to `stop` the sum of the unit vectors that have it."""
    seeds = np.zeros((stop - start, len(colours)))
    places = np.flatnonzero((colours >= start) & (colours < stop))
    seeds[colours[places] - start, places] = 1.0
    seeds.flags.writeable = False
    return seeds


def check_kinds(avals, out_avals, holomorphic, name):
    """Raise for complex inputs that nobody said to be those of a holomorphic function."""
    for a in avals:
        if (a.dtype.kind == "c") != holomorphic:
            wanted = "complex inputs with" if holomorphic else "real inputs without"
            raise DtypeError(f"{name} needs {wanted} holomorphic=True, but got {a!r}; pass holomorphic=True if the "
                             f"function is complex-differentiable, or differentiate with respect to real and imaginary "
                             f"part{at_user_line()}")
    for a in out_avals:
        if holomorphic and a.dtype.kind != "c":
            raise DtypeError(f"{name} with holomorphic=True needs complex outputs, but the function returned {a!r}; "
                             f"drop holomorphic{at_user_line()}")
