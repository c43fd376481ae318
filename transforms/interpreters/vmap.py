"""Vectorizing map: the trace that carries a batch axis, and `vmap`."""

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.checks import check_function, whole
from ...core.errors import DtypeError, ShapeError, TreeError, at_user_line
from ...core.ops.shaping import broadcast_to, concatenate, transpose
from ...core.trace.device import library_of, refuse_avals
from ...core.trace.tracer import Batched, Trace, Tracer, call_inside, check_alive, make_batched
from ...core.types import Any, Callable, P, PyTree
from ..arguments.arguments import NAMESPACE, computable, flatten, optree, registration, settle
from ..arguments.escape_checks import abandon, check_escaped
from ..arguments.transformed import transformed
from ..reverse.nan_checks import WatchedBatched, Watching
from ..scope.axis_environment import bind, check_name, keeping_names, unbind
from ..scope.debug_modes import modes

ndarray = np.ndarray


class VmapTrace(Trace):
    """Computes all examples at once: batched values have the batch axis in front, unbatched ones have none.

    `units` is the identity matrix whose rows are the examples, where a Jacobian is pushed from there, else None.
    """

    __slots__ = ("size", "axis_name", "stands_for", "units", "library")
    kind = "vmap"
    tracer = Batched
    mesh = False  # whether the axis is one of a mesh, whose places may lie in other processes: `MeshTrace`
    group = None
    offset = 0
    total: Any = property(lambda self: self.size)  # the places of the axis, those in other processes, too

    def __init__(self, size, axis_name=None, stands_for=None):
        Trace.__init__(self)
        self.size = size
        self.axis_name = axis_name
        self.stands_for = stands_for  # an older trace of the same axis, whose values count as ours
        self.units = None
        self.library = None if stands_for is None else stands_for.library  # of the mapped arrays, for `axis_index`

    def collects(self, prim, params):
        """Tell whether an operation is a collective over this axis."""
        return prim.across is not None and self.runs_over(params)

    def runs_over(self, params):
        """Tell whether the parameters of a collective name this axis."""
        return params and self.axis_name in params[0]

    def process(self, prim, args):
        if self.done:
            check_alive(self, prim)
        if prim.handlers is not None:
            return prim.handlers["vmap"](self, prim, args)
        operands, params = prim.split(args)
        values, batched = self.unbox(operands)
        # Before the test for batched operands: a psum of an unbatched value is `size` times it, not the value.
        if prim.across is not None and self.runs_over(params):
            return self.box_all(prim.across(self, values, batched, *params))
        # A value that no example has a part in stays unbatched, and is computed once for all.
        if not any(batched):
            return prim.rebind((*values, *params))
        # A product with the identity matrix is the other factor, without the O(n³) of computing it.
        if self.units is not None and prim.of_units is not None:
            ans = prim.of_units(values, batched, self.units)
            if ans is not None:
                return self.box(ans)
        try:
            ans = prim.batch(values, params, batched, self.size)
        # The message must speak of the shapes of one example, which the user wrote, not of those with batch axes.
        except (TypeError, ValueError, IndexError, AttributeError):
            avals = [aval_of(v) for v in values]
            refuse_avals(prim, [make_aval(a.shape[1:], a.dtype) if b else a for a, b in zip(avals, batched)], params)
            raise
        return self.box_all(ans)

    def unbox(self, operands):
        """Split operands into values and flags of those with the batch axis in front."""
        values, batched = [], []
        for a in operands:
            # The last test: buffers have no owner, and most traces stand for none.
            mine = isinstance(a, Tracer) and (a.owner is self or a.owner is self.stands_for and a.owner is not None)
            values.append(a.value if mine else a)
            batched.append(mine)
        return values, tuple(batched)

    def box_all(self, ans):
        """Box an output, or each of several; what comes boxed as `Unbatched` leaves bare."""
        if type(ans) is tuple:
            return tuple([self.box(v) for v in ans])
        return self.box(ans)

    def box(self, value):
        """A tracer of this trace over a value with the batch axis in front."""
        if type(value) is Unbatched:
            return value.value
        return make_batched(self, value)


class WatchedVmapTrace(Watching, VmapTrace):
    """Raises where a NaN first appears."""

    __slots__ = ()
    tracer = WatchedBatched


class Mapping:
    """The scope of a batch trace and its axis name (a trace that checks for NaN under debug_nans).

    What leaves, leaves by `unbox_out` before the end; an error abandons the trace.
    """

    __slots__ = ("bound", "trace")

    def __init__(self, size, axis_name=None, stands_for=None, trace=None):
        if stands_for is not None and stands_for.mesh:
            trace = stands_for.again()
        self.trace = trace or (WatchedVmapTrace if modes().nans else VmapTrace)(size, axis_name, stands_for)

    def __enter__(self):
        trace = self.trace
        self.bound = None if trace.axis_name is None else bind(trace.axis_name, trace)
        return trace

    def __exit__(self, kind, error, traceback):
        if self.trace.axis_name is not None:
            unbind(self.bound)
        if error is not None:
            abandon(self.trace, error)
        self.trace.done = True


class Unbatched:
    """A collective's output that is the same for every example."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


def vmap(
    fun: Callable[P, Any],
    in_axes: PyTree = 0,
    out_axes: PyTree = 0,
    *,
    axis_name: Any = None,
    axis_size: int | None = None,
    chunk_size: int | None = None,
) -> Callable[P, Any]:
    """Return a function that maps `fun` over an axis of its arguments, all examples at once.

    Args:
        fun: written for one example.
        in_axes: which axis of each argument to map: an int, None (not mapped), or a tuple with one entry per argument;
            entries may be pytree prefixes of the argument. Keyword arguments are mapped over axis 0.
        out_axes: the position of the mapped axis in the outputs, likewise; None for outputs that do not depend on it.
        axis_name: a name for collectives (`psum` and others).
        axis_size: the length of the axis, needed only if no argument is mapped.
        chunk_size: map this many examples at a time, to limit memory.
    Returns:
        a function of the same arguments with one more axis each.
    Raises:
        ShapeError: the mapped axes differ in length, or nothing is mapped.
        TreeError: in_axes or out_axes does not match the pytrees.
        ConversionError: `fun` asks for the value of an example, as `if x > 0` does.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda a, b: a @ b)(np.ones((3, 2)), np.ones((3, 2)))
    array([2., 2., 2.])
    """
    check_function(fun, "vmap")
    if chunk_size is not None:
        chunk_size = whole(chunk_size, "chunk_size of vmap", 1)
    if axis_size is not None:
        axis_size = whole(axis_size, "axis_size of vmap", 0)
    check_name(axis_name, "axis_name of vmap")

    def vmap_fun(*args, **kwargs):
        leaves, rebuild = flatten((args, kwargs) if kwargs else args)
        axes = _argument_axes(in_axes, args, kwargs, len(leaves))
        leaves = [settle(x) for x in leaves]
        axes = _checked_axes(leaves, axes, args, kwargs)
        size = _size(leaves, axes, axis_size, args, kwargs)
        if chunk_size is not None and chunk_size < size:
            if axis_name is not None:
                raise ValueError("vmap with chunk_size cannot name its axis: a collective would see one chunk only; "
                                 f"drop axis_name or chunk_size{at_user_line()}")
            # Chunks are sliced in the outer trace, so derivatives of the slices are those of the whole.
            parts = []
            for start in range(0, size, chunk_size):
                stop = min(start + chunk_size, size)
                part = [x if a is None else x[(slice(None),) * a + (slice(start, stop),)] for x, a in zip(leaves, axes)]
                parts.append(run(part, axes, rebuild, stop - start, bool(kwargs)))
            return _join(parts, out_axes)
        return run(leaves, axes, rebuild, size, bool(kwargs))

    body: Callable[..., Any] = fun

    def mapped(leaves, axes, rebuild, size, named):
        with Mapping(size, axis_name) as trace:
            if axis_name is not None:
                trace.library = library_of(*leaves)
            boxed = rebuild([x if a is None else make_batched(trace, to_front(x, a)) for x, a in zip(leaves, axes)])
            result = call_inside(body, *boxed[0], **boxed[1]) if named else call_inside(body, *boxed)
            outs, rebuild_out = flatten(result)
            where = _result_axes(out_axes, result, len(outs))
            outs = [unbox_out(trace, settle(v), a) for v, a in zip(outs, where)]
        check_escaped(outs)
        return rebuild_out(outs)

    run = mapped if axis_name is None else keeping_names(mapped)
    options = {"axis_name": axis_name, "axis_size": axis_size, "chunk_size": chunk_size}
    return transformed(vmap_fun, fun, vmap, (fun, in_axes, out_axes), options)



def to_front(x, axis):
    """`x` with one axis moved to the front."""
    if axis == 0:
        return x
    return transpose(x, axes=(axis, *[i for i in range(x.ndim) if i != axis]))


def from_front(x, axis):
    """`x` with its first axis moved to `axis`."""
    if axis == 0:
        return x
    order = list(range(1, x.ndim))
    order.insert(axis, 0)
    return transpose(x, axes=tuple(order))


def _argument_axes(in_axes, args, kwargs, count):
    """Flatten `in_axes` to one axis, or None, for each leaf."""
    if type(in_axes) is int or in_axes is None:
        axes = [in_axes] * (count - (_count(kwargs) if kwargs else 0))
    else:
        if not isinstance(in_axes, (tuple, list)) or len(in_axes) != len(args):
            raise TreeError(f"vmap needs in_axes to be an int, None, or a tuple with one entry for each of the "
                            f"{len(args)} arguments, but got {in_axes!r}; "
                            f"{'put it in a tuple' if isinstance(in_axes, dict) else 'give one entry per argument'}"
                            f"{at_user_line()}")
        axes = []
        for entry, arg in zip(in_axes, args):
            axes += _spread(entry, arg, "in_axes")
    return axes + [0] * (count - len(axes))


def _count(tree):
    return len(flatten(tree)[0])


def _spread(prefix, tree, name):
    """A prefix pytree of axes as a flat list, one entry a leaf of `tree`."""
    if type(prefix) is int or prefix is None:
        return [prefix] * _count(tree)
    try:
        full = optree.tree_broadcast_prefix(prefix, tree, none_is_leaf=True, namespace=NAMESPACE)
        axes = optree.tree_leaves(full, none_is_leaf=True, namespace=NAMESPACE)
        leaves = optree.tree_leaves(tree, none_is_leaf=True, namespace=NAMESPACE)
    except ValueError as error:
        why = str(error).rstrip(".")
        raise TreeError(f"vmap was given {name}={prefix!r}, which is not a prefix of the pytree: {why}; give one "
                        f"axis for a subtree, in a pytree of the same types{at_user_line()}") from error
    return [a for a, leaf in zip(axes, leaves) if leaf is not None]


def _checked_axes(leaves, axes, args, kwargs):
    return [None if axis is None else _checked_axis(x, axis, k, args, kwargs)
            for k, (x, axis) in enumerate(zip(leaves, axes))]


def _checked_axis(x, axis, k, args, kwargs):
    _check_kind(axis, "in_axes")
    try:
        shape = aval_of(x).shape
    except DtypeError:
        shape = None
    if shape is None or type(x) is not ndarray and not computable(x):
        raise DtypeError(f"vmap maps axes of arrays, but one argument is {x!r} of type {type(x).__name__}; give it "
                         f"in_axes=None{registration(x)}, or convert it{at_user_line()}")
    if not -len(shape) <= axis < len(shape):
        other = f"give it an axis below {len(shape)}, or " if shape else "give it "
        raise ShapeError(f"vmap was asked to map axis {axis} of {_whose(k, args, kwargs)} of shape {shape}, which has "
                         f"{len(shape)} axes; {other}in_axes=None if it is not mapped{at_user_line()}")
    return int(axis) % len(shape)


def _whose(k, args, kwargs):
    """The name of leaf `k` of the arguments in a message."""
    for name, arg in (*enumerate(args), *((repr(key), kwargs[key]) for key in sorted(kwargs))):
        count = _count(arg)
        if k < count:
            return f"argument {name}" if count == 1 else f"a leaf of argument {name}"
        k -= count
    return "an argument"


def _check_kind(axis, name):
    if axis is not None and (not isinstance(axis, (int, np.integer)) or isinstance(axis, bool)):
        raise TypeError(f"vmap needs axes to be ints or None, but got {axis!r} in {name}; write {name}=0 for the first"
                        f"{at_user_line()}")


def _size(leaves, axes, axis_size, args, kwargs):
    sizes = {}
    for k, (x, a) in enumerate(zip(leaves, axes)):
        if a is not None:
            sizes.setdefault(x.shape[a], k)
    if axis_size is not None:
        sizes.setdefault(axis_size, None)
    if not sizes:
        raise ShapeError("vmap was given nothing to map: every argument has in_axes=None (or there is none); "
                         f"map one, or pass axis_size{at_user_line()}")
    if len(sizes) > 1:
        owners = ["axis_size" if k is None else f"{_whose(k, args, kwargs)} of shape {leaves[k].shape}"
                  for k in sizes.values()]
        shown = ", ".join(f"{n} ({owner})" for n, owner in zip(sizes, owners))
        raise ShapeError(f"vmap needs mapped axes of one length, but got {shown}; check in_axes{at_user_line()}")
    return next(iter(sizes))


def _result_axes(out_axes, result, count):
    if type(out_axes) is int or out_axes is None:
        return [out_axes] * count
    return _spread(tuple(out_axes) if isinstance(result, tuple) and isinstance(out_axes, list) else out_axes, result,
                   "out_axes")


def unbox_out(trace, value, axis):
    """Unbox a result with its batch axis at `axis`; broadcast an unbatched one."""
    mine = isinstance(value, Batched) and value.owner is trace
    _check_kind(axis, "out_axes")
    if axis is None:
        if mine:
            raise ValueError("vmap was given out_axes=None for a result that differs between examples; "
                             f"use an axis, or reduce it with a collective{at_user_line()}")
        return value
    try:
        aval = aval_of(value)
    except DtypeError:
        raise DtypeError(f"vmap needs a function that returns arrays and numbers, but one result is {value!r} of type "
                         f"{type(value).__name__}; return it with out_axes=None{registration(value)}, or keep it "
                         f"outside{at_user_line()}") from None
    rank = aval.ndim + 1
    if not -rank <= axis < rank:
        raise ShapeError(f"vmap cannot put the mapped axis at out_axes={axis} of a result with {rank} axes"
                         f"; count from 0 to the number of axes of a result{at_user_line()}")
    axis %= rank
    if mine:
        return from_front(value.value, axis)
    shape = (*aval.shape[:axis], trace.size, *aval.shape[axis:])
    if isinstance(value, Tracer):
        return broadcast_to(value.reshape((*aval.shape[:axis], 1, *aval.shape[axis:])), shape=shape)
    if isinstance(value, (ndarray, np.generic)) or not hasattr(value, "shape"):
        # A copy: the broadcast view is read-only and its rows share memory, which a user who writes to a result would
        # notice.
        return np.array(np.broadcast_to(np.expand_dims(value, axis), shape))
    return broadcast_to(value.reshape((*aval.shape[:axis], 1, *aval.shape[axis:])), shape=shape).copy()


def _join(parts, out_axes):
    """Concatenate the results of chunks along the mapped axis."""
    flat = [flatten(p) for p in parts]
    where = _result_axes(out_axes, parts[0], len(flat[0][0]))
    joined = []
    for k, axis in enumerate(where):
        pieces = [leaves[k] for leaves, _ in flat]
        joined.append(pieces[0] if axis is None else concatenate(*pieces, axis=axis % pieces[0].ndim))
    return flat[0][1](joined)
