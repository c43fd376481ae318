"""The levels a tensor can live at: the ambient one, one for each running `func` transform, one for each vmap."""

import operator
from contextvars import ContextVar

import numpy as np

from ..... import _engine, _interpreters, extend
from ..graph.anomaly import stamp
from ..graph.node import GradNode
from ..modes.modes import MODES, modes, records, restore, set_modes
from ..types.arrays import ARRAYS
from ..types.number_cache import CONSTS, EXACT, FLOATS, constant
from ..types.tensor_type import FOREIGN, Tensor, TensorBase, at_level, bottom, more, shape_dtype
from .meta import is_meta

ndarray = np.ndarray
next_seq = _engine.next_seq
Ambient = _interpreters.Ambient
ADD = extend.REGISTRY["add"]
SUM, TERM, OTHER = (ADD.rule(active, True, ()) for active in ((0, 1), (0,), (1,)))
_plus = _engine.small(operator.add)
_TANGENT = object()  # in the place of the node of a value that has one


def following(prim, args):
    """The arguments of an operation; arrays of NumPy, which are constants of its body, follow others to a GPU."""
    if not any(type(x) is ndarray for x in args):
        return args
    count = len(args) if prim.variadic else len(prim.operands)
    return [extend.constant(x, *args[:count]) if type(x) is ndarray and i < count else x for i, x in enumerate(args)]


def exact(number, dtype):
    """A Python number as a 0-d array of a dtype that holds it, None for anything else."""
    if type(number) is float or type(number) is int and -EXACT <= number <= EXACT:
        found = CONSTS[dtype].get(number)
        return constant(number, dtype) if found is None else found
    return None


class GradTrace(_interpreters.AmbientTrace):
    """The compat tape: the ambient one, or one of a `func.grad`, `func.vjp` or `func.jvp`."""

    __slots__ = ()
    node_class = GradNode

    @property
    def recording(self):
        """Grad mode at this level."""
        return records(self)

    def process(self, prim, args):
        """An operation on values of this level; those by elements on floats of one width have a shorter way."""
        if len(ARRAYS) > 1:
            args = following(prim, args)
        if prim.handlers is None and prim.outputs is None and not (
                prim.flat or prim.nondiff or prim.variadic or prim.continued is not None):
            m = MODES.get()
            # Modes that pack what is saved, look at each operation or answer it have the general road.
            if m is None or not (
                    m.hooks or m.anomaly is not None or m.nans is not None or m.answers is not None):
                quick = self.by_elements if prim.elementwise and len(args) == len(prim.operands) < 3 else self.of_floats
                out = quick(prim, args)
                if out is not None:
                    return out
        return _interpreters.AmbientTrace.process(self, prim, args)

    def of_floats(self, prim, args):
        """A fast path of `process`, for arrays of floats of one width without tangents; None for anything else."""
        n = len(prim.operands)
        values, nodes, dtype = list(args), [], None
        for i in range(n):
            x = args[i]
            if type(x) is Ambient and x.owner is self:
                if x.tangent is not None:
                    return None
                if x.node is not None:
                    nodes.append(i)
                values[i] = x = x.value
            if type(x) is not ndarray or x.dtype not in FLOATS or dtype is not None and x.dtype is not dtype:
                return None
            dtype = x.dtype
        v = prim.fun(*values)
        # NumPy gives a scalar in place of an array without axes; the value of a tensor is an array.
        if type(v) is not ndarray and type(v) not in ARRAYS:
            v = np.asarray(v)
        if v.dtype is not dtype:
            return None
        node = None
        if nodes and self.recording:
            avals = [extend.aval_of(x) for x in values[:n]]
            rule = _interpreters.rule_for(prim, tuple(nodes), avals, [extend.aval_of(v)])
            node = GradNode()
            node.rule = rule
            node.parents = args[nodes[0]].node if len(nodes) == 1 else tuple([args[i].node for i in nodes])
            node.saved = None if rule.collect is None else rule.collect((*values, v, *avals, None))
            node.seq = next_seq()
            node.extra = None
        return self.quick_box(prim, v, node)

    def quick_box(self, prim, v, node):
        """A value of this level that has no tangent."""
        out = Ambient()
        out.owner = self
        out.value = v
        out.aval = extend.aval_of(v)
        out.node = node
        out.tangent = None
        if prim.zeros:
            self.masked = True
        return out

    def by_elements(self, prim, args):
        """A fast path of `process`, for elementwise operations on floats without tangents; None for anything else."""
        x = args[0]
        recording = self.recording
        if len(args) == 1:
            x, p = x.value, x.node if x.tangent is None else _TANGENT
            if p is _TANGENT or type(x) is not ndarray or x.dtype not in FLOATS:
                return None
            v = prim.fun(x)
            active = (0,) if recording and p is not None else ()
            values = x, v
            parents = p
            fixes = ()
        else:
            y = args[1]
            p = q = None
            if type(x) is Ambient and x.owner is self:
                x, p = x.value, x.node if x.tangent is None else _TANGENT
            if type(y) is Ambient and y.owner is self:
                y, q = y.value, y.node if y.tangent is None else _TANGENT
            if p is _TANGENT or q is _TANGENT:
                return None
            if type(x) is not ndarray:
                if type(y) is not ndarray or y.dtype not in FLOATS or (x := exact(x, y.dtype)) is None:
                    return None
            elif type(y) is not ndarray:
                if x.dtype not in FLOATS or (y := exact(y, x.dtype)) is None:
                    return None
            elif x.dtype is not y.dtype or x.dtype not in FLOATS:
                return None
            v = prim.fun(x, y)
            active = () if not recording else ((0, 1) if q is not None else (0,)) if p is not None else (
                (1,) if q is not None else ())
            parents = p if q is None else q if p is None else (p, q)
            if type(v) is not ndarray:
                v = np.asarray(v)
            # Operands that were broadcast: their rules sum the cotangent to their shape.
            fixes = tuple([i for i in active if (y if i else x).shape != v.shape])
            values = (x, y, v, extend.aval_of(x), extend.aval_of(y)) if fixes else (x, y, v)
        if type(v) is not ndarray:
            v = np.asarray(v)
        node = None
        if active:
            rule = prim.rule(active, True, fixes)
            node = GradNode()
            node.rule = rule
            node.parents = parents
            node.saved = None if rule.collect is None else rule.collect(values)
            node.seq = next_seq()
            node.extra = None
        return self.quick_box(prim, v, node)

    def plus(self, x, y):
        """The sum of two cotangents that meet in a recorded sweep; None for what the general road is to take."""
        if type(y) is not Ambient or x.owner is not self or y.owner is not self or (
                x.tangent is not None or y.tangent is not None):
            return None
        a, b = x.value, y.value
        if type(a) is not ndarray or type(b) is not ndarray or a.dtype is not b.dtype or a.dtype not in FLOATS or (
                a.shape != b.shape):
            return None
        m = MODES.get()
        if m is not None and (m.hooks or m.anomaly is not None or m.nans is not None or m.answers is not None):
            return None
        v = _plus(a, b)
        node, p, q = None, x.node, y.node
        if (p is not None or q is not None) and self.recording:
            node = GradNode()
            node.rule = SUM if q is not None and p is not None else TERM if p is not None else OTHER
            node.parents = (p, q) if q is not None and p is not None else q if p is None else p
            node.saved = None
            node.seq = next_seq()
            node.extra = None
        out = Ambient()
        out.owner = self
        out.value = v = v if type(v) is ndarray else np.asarray(v)
        out.aval = x.aval
        out.node = node
        out.tangent = None
        return out

    def below(self, prim, args):
        """The operation one level down, numbers as arrays without axes; in a selective checkpoint, what was kept."""
        m = MODES.get()
        v = prim.rebind(args) if m is None or m.answers is None or self.level else m.answers(
            prim, lambda: prim.rebind(args))
        if type(v) is tuple:
            return tuple([np.asarray(x) if isinstance(x, np.generic) else x for x in v])
        return np.asarray(v) if isinstance(v, np.generic) else v

    def node(self, rule, parents, saved, tangents=None):
        """A node with the next number; in anomaly mode it remembers where it was made."""
        made = _interpreters.AmbientTrace.node(self, rule, parents, saved, tangents)
        m = MODES.get()
        if m is not None and (m.anomaly is not None or m.nans is not None):
            stamp(made)
        return made

    @property
    def packing(self):
        """The saved-tensor hooks now, or None."""
        m = MODES.get()
        return None if m is None or not m.hooks or m.level is not None else m.hooks[-1]


AMBIENT = GradTrace()


class BatchTrace(_interpreters.VmapTrace):
    """A level of `func.vmap`, or of a sweep with several cotangents at once (`own`).

    Functions of any form run inside such a sweep; `func.vmap` asks them for a rule.
    """

    __slots__ = ("own", "randomness")

    def __init__(self, size, randomness="error", own=False):
        super().__init__(size)
        self.randomness = randomness
        self.own = own


def alive(t):
    """A tensor without the levels of gradients that have ended above its own: `vjp_fn` meets what was saved at them."""
    trace = getattr(t, "level_trace", None)
    while isinstance(trace, GradTrace) and trace.done:
        t = t.value
        trace = t.level_trace
    return t


class Epoch:
    """One open dual level of forward mode; tangents of a closed one are gone."""

    __slots__ = ("done",)

    def __init__(self):
        self.done = False


DUAL: ContextVar[Epoch | None] = ContextVar("covector_torch_dual_level", default=None)


def recorders(value):
    """The levels that keep a history or a tangent of a core value."""
    found = set()
    while isinstance(value, extend.Tracer):
        if isinstance(value, _interpreters.Ambient) and (value.node is not None or value.tangent is not None):
            found.add(value.owner)
        value = value.value
    return found


# Tell whether the elements of a tensor can be read, and the array that holds them.

ESCAPED = ("Either your tensor may have escaped from inside a function being vmapped, or it is used in another thread "
           "than that vmap's: it stands for one example of a batch of which the vmap has ended. Return it from the "
           "mapped function instead")


def concrete(t, what):
    """The array of a tensor whose value is known, below all levels but vmap."""
    u = t
    while True:
        if isinstance(u.level_trace, BatchTrace):
            if u.level_trace.done:
                raise RuntimeError(ESCAPED)
            raise RuntimeError(f"vmap: It looks like you're calling .{what}() on a Tensor. We don't support vmap over "
                               f"calling .{what}() on a Tensor, please try to rewrite what you're doing with other "
                               "operations. If error is occurring somewhere inside PyTorch internals, please file a "
                               "bug report.")
        if not isinstance(u.value, TensorBase):
            break
        u = u.value
    if u.level_trace is FOREIGN:
        return foreign_value(u, what)
    return u.value


def foreign_value(t, what):
    """Read a traced value of covector's own transforms: its bool for control flow, else a refusal."""
    if is_meta(t):
        if what in ("item", "numpy", "tolist"):
            raise RuntimeError(f"Tensor.{what}() cannot be called on meta tensors: they have a shape and a dtype, and "
                               "no elements")
    value = t.value
    if not hasattr(value, what):
        raise RuntimeError(f"{what}() of a value that a covector transform traces is not possible: it stands for many "
                           "values, or its derivative would be lost; use torch's operations, or detach() outside of it")
    return getattr(value, what)()


def all_true(t):
    """Tell whether all elements hold, those of every example that a running vmap maps included: for checks of
    arguments."""
    return bool(bottom(t).all())


def refuse_copy(t, what):
    """Refuse to copy the memory of a value of a running transform: the copy would be a constant to its derivative."""
    while isinstance(t.level_trace, GradTrace) and t.level_trace.done:
        t = t.value
    if t.level_trace is None or is_meta(t):
        return
    if isinstance(t.level_trace, BatchTrace) and t.level_trace.done:
        raise RuntimeError(ESCAPED)
    raise NotImplementedError(f"{what} of a value of a running transform is not supported: its derivative or its batch "
                              "would be lost; use clone(), or copy it outside of the transform")


def mapped(t):
    """Tell whether a running vmap maps a tensor."""
    while True:
        if isinstance(t.level_trace, BatchTrace) and not t.level_trace.done:
            return True
        if not isinstance(t.value, TensorBase):
            return False
        t = t.value


# Running a function of the values of a batch: tensors go in with the batch axis in front, and come out so.


def within(trace, func, args, kwargs):
    """Run a function of values of a batch; the trace is done when it ends."""
    before = MODES.get()
    try:
        set_modes(maps=(*modes().maps, trace))
        return func(*args, **kwargs)
    finally:
        restore(before)
        trace.done = True


def together(func, *stacked):
    """`func` of each slice of several tensors, all at once, as sweeps with several cotangents run it.

    `func` gives a tuple of tensors; so does this, each with the batch axis in front. None stays None, in and out.
    """
    size = batch_size(stacked, [None if x is None else 0 for x in stacked])
    trace = BatchTrace(size, own=True)
    try:
        outs = func(*[None if x is None else at_level(trace, x) for x in stacked])
    finally:
        trace.done = True
    outs = [alive(o) for o in outs]
    return tuple([None if o is None else lowered(trace, o) if o.level_trace is trace else
                  Tensor.expand(o, size, *shape_dtype(o)[0]) for o in outs])


def batched(trace, x, d):
    """A tensor as a value of the batch: its mapped axis goes in front, and is remembered for Functions."""
    if d is None:
        return x
    t = at_level(trace, Tensor.movedim(x, d, 0) if d else x)
    if d:
        more(t).mapped = x, d
    return t


def lowered(trace, x):
    """A tensor one level down from `trace`; others stay."""
    while isinstance(x, TensorBase) and x.level_trace is trace:
        x = x.value
    return x


def batch_size(flat, dims):
    """The length of the mapped axes."""
    sizes = [shape_dtype(x)[0][d] for x, d in zip(flat, dims) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{sizes} for the mapped dimension")
    return sizes[0]
