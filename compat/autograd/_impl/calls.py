"""One call of a function whose derivatives are given by rules in autograd's form, as a record of covector's."""

from typing import Any

import numpy as np

from .... import numpy as cnp, tree
from ...._engine import Buffer, Dual, Rev, leniently
from ...._primitives import JvpCall, VjpCall, by_rows, call_pullback
from ....extend import Batched, Tracer, aval_of
from .spaces import dense

# Traces that the rule of a primitive is applied for, taken off values that its function or rule met otherwise.

NONE: frozenset = frozenset()


def levels(leaves):
    """The differentiating traces of some values."""
    found = set()
    for x in leaves:
        while isinstance(x, Tracer):
            if isinstance(x, Rev | Dual):
                found.add(x.owner)
            x = x.read() if type(x) is Buffer else x.value
    return found


def without(x, owners):
    """A value, or a pytree, whose derivatives in the traces `owners` are dropped: a rule stands for them.

    An object may hold a traced value that is an argument, too. What a function or its rule computes from there is a
    constant to these traces, as in autograd.

    Raises:
        ValueError: such a trace lies below one that is none of them.
    """
    if not isinstance(x, Tracer):
        return tree.map(lambda v: without(v, owners), x) if owners and isinstance(x, tuple | list | dict) else x
    if type(x) is Buffer:
        return without(x.read(), owners)
    if x.owner in owners:
        return without(x.value, owners)
    if owners.isdisjoint(levels([x])):
        return x
    if isinstance(x, Batched):
        return x.owner.box(without(x.value, owners))
    raise ValueError(
        f"a primitive computed with a traced value ({x.aval!r}) that an object holds, which depends on its arguments "
        "and on what they do not; pass the value itself as an argument and give it a rule")


class Operands:
    """The arguments of a call, of which the traced leaves are the operands.

    Args:
        args, kwargs: the arguments.
        peeled: the traces that the rule has been applied for, in calls that led to this one.
    """

    __slots__ = ("args", "kwargs", "peeled", "places", "leaves")

    def __init__(self, args, kwargs, peeled=NONE):
        self.args = args
        self.kwargs = kwargs
        self.peeled = peeled
        self.places = places = []  # of each operand: its argument, and its leaf there (None: the argument itself)
        self.leaves = leaves = []
        for k, x in enumerate(args):
            if isinstance(x, Tracer):
                places.append((k, None))
                leaves.append(x)
            elif type(x) in _CONTAINERS or isinstance(x, tuple):
                for j, leaf in enumerate(tree.leaves(x)):
                    if isinstance(leaf, Tracer):
                        places.append((k, j))
                        leaves.append(leaf)

    def filled(self, values):
        """The arguments with `values` in place of the operands."""
        args = list(self.args)
        parts: dict[int, list] = {}
        for (k, j), v in zip(self.places, values):
            if j is None:
                args[k] = v
            else:
                parts.setdefault(k, []).append((j, v))
        for k, found in parts.items():
            leaves, structure = tree.flatten(args[k])
            for j, v in found:
                leaves[j] = v
            args[k] = tree.unflatten(structure, leaves)
        return tuple(args)

    def argnums(self, operands):
        """The arguments that some operands lie in, in order."""
        return tuple(sorted({self.places[i][0] for i in operands}))

    def ruled(self):
        """The traces whose derivative is the rule's, not that of what the function computes: this call's, and above."""
        return self.peeled.union(sorted(levels(self.leaves), key=_level)[-1:])


_CONTAINERS = frozenset({list, tuple, dict})


def _level(trace):
    return trace.level


class Owner:
    """The owner of a function with rules, as messages and the transforms see it."""

    __slots__ = ("fun",)

    def __init__(self, fun):
        self.fun = fun


def inexact(values):
    """The places of the values that can be differentiated."""
    return [i for i, v in enumerate(values) if aval_of(v).dtype.kind in "fc"]


class ReverseCall(VjpCall):
    """A call with a reverse rule, and possibly a forward one."""

    pushes: Any = False

    def __init__(self, primitive, operands, vjpmaker, jvpmaker, given=None):
        self.given = given
        self.owner = primitive.owner
        self.static = ()
        self.primitive = primitive
        self.operands = operands
        self.vjpmaker = vjpmaker
        self.jvpmaker = jvpmaker
        self.pushes = jvpmaker is not None
        self.rebuild = operands.filled
        self.rebuild_out = None

    def body(self, *values):
        """The function itself."""
        operands = self.operands
        return self.outputs(without(self.primitive.raw(*operands.filled(values), **operands.kwargs), operands.ruled()))

    def outputs(self, ans):
        """The leaves of an output."""
        if isinstance(ans, _ONE):
            self.rebuild_out = _first
            return [ans]
        leaves, structure = tree.flatten(ans)
        self.rebuild_out = lambda values: tree.unflatten(structure, values)
        return [v.read() if type(v) is Buffer else v for v in leaves]

    def forward(self, values, active=None):
        """The outputs, and as the residual what the rule gives for a cotangent."""
        operands = self.operands
        active = inexact(values) if active is None else active
        args = operands.filled(values)
        if self.given is None:
            ans = self.primitive(args, operands.kwargs, operands.ruled())
        else:
            (ans,), self.given = self.given, None
        outs = self.outputs(ans)
        if not active:
            return outs, [], lambda residuals: None
        argnums = operands.argnums(active)
        vjp = self.vjpmaker(argnums, ans, args, operands.kwargs)
        return outs, [(vjp, argnums)], _first

    def backward(self, residuals, cts, avals, call=call_pullback):
        """Cotangents of the operands; None for zero, and for those that were not asked for.

        A rule that cannot be batched, or that chooses by cotangents, is called for each row, as autograd does.
        """
        return by_rows(lambda given: self.pulled(residuals, given, avals, call), cts, linear=False)

    def pulled(self, residuals, cts, avals, call):
        """`backward` of cotangents that the rule takes."""
        vjp, argnums = residuals
        operands = self.operands
        found = dict(zip(argnums, call(vjp, self.rebuild_out(list(cts)))))
        ruled = operands.ruled()
        out: list[Any] = []
        parts: dict[int, list] = {}
        for (k, j), aval in zip(operands.places, avals):
            ct = found.get(k)
            if ct is not None and j is not None:
                if k not in parts:
                    parts[k] = leaves_like(without(ct, ruled), operands.args[k], self.primitive.name)
                ct = parts[k][j]
            out.append(None if ct is None else conform(without(dense(ct), ruled), aval, self.primitive.name))
        return out

    def push(self, values, tangents):
        """The outputs and their tangents; None stands for a zero tangent."""
        operands = self.operands
        args = operands.filled(values)
        ans = self.primitive(args, operands.kwargs, operands.ruled())
        live = [i for i in inexact(values) if tangents[i] is not None]
        argnums = operands.argnums(live)
        full = operands.filled([np.zeros(aval_of(v).shape, aval_of(v).dtype) if t is None else t
                                for v, t in zip(values, tangents)])
        moved = leniently(self.jvpmaker, argnums, [full[k] for k in argnums], ans, args, operands.kwargs)
        outs = self.outputs(ans)
        moved = [moved] if self.rebuild_out is _first else leaves_like(
            without(moved, operands.ruled()), ans, self.primitive.name, "tangent")
        moved = [None if t is None else without(dense(t), operands.ruled()) for t in moved]
        return outs, [None if t is None else conform(t, aval_of(v), self.primitive.name, "tangent")
                      for t, v in zip(moved, outs)]


class ForwardCall(JvpCall):
    """A call with a forward rule alone, which reverse mode transposes."""

    body = ReverseCall.body
    outputs = ReverseCall.outputs
    push = ReverseCall.push

    def __init__(self, primitive, operands, jvpmaker):
        self.owner = primitive.owner
        self.static = ()
        self.primitive = primitive
        self.operands = operands
        self.jvpmaker = jvpmaker
        self.rebuild = operands.filled
        self.rebuild_out = None

    def rule(self, values, tangents):
        """The outputs and their tangents."""
        return self.push(values, tangents)


_ONE = (Tracer, np.ndarray, float, complex, np.generic)


def _first(values):
    return values[0]


def leaves_like(ct, x, name, kind="cotangent"):
    """The parts of a cotangent that a rule gave for `x`, one for each leaf of `x`; None for zero.

    As in autograd, that of a tuple or list may be any sequence of one part an element, an array among them.
    """
    count = len(tree.leaves(x))
    if ct is None or not count:
        return [None] * count
    ct = dense(ct)
    kind_of = type(x)
    if isinstance(x, tuple | list) and not (isinstance(ct, tuple) and type(ct) is kind_of not in _CONTAINERS):
        if not hasattr(ct, "__getitem__") or isinstance(ct, dict) or getattr(ct, "ndim", 1) == 0 or len(ct) != len(x):
            raise ValueError(f"a rule of the primitive {name} gave {_outline(ct)} as the {kind} of a "
                             f"{kind_of.__name__} of {len(x)} values; return one {kind} for each, None for zero")
        return [leaf for part, v in zip(ct, x) for leaf in leaves_like(part, v, name, kind)]
    if kind_of is dict:
        if not isinstance(ct, dict) or ct.keys() - x.keys():
            raise ValueError(f"a rule of the primitive {name} gave {_outline(ct)} as the {kind} of a dict with the "
                             f"keys {list(x)}; return a dict with {kind}s for these keys")
        found = tree.unflatten(tree.flatten(x)[1], range(count))  # where each leaf lies
        out = [None] * count
        for key, part in ct.items():
            for place, leaf in zip(tree.leaves(found[key]), leaves_like(part, x[key], name, kind)):
                out[place] = leaf
        return out
    if count == 1 and tree.leaves(x)[0] is x:
        return [ct]
    leaves = tree.leaves(ct)
    if len(leaves) != count:
        raise ValueError(f"a rule of the primitive {name} gave {_outline(ct)} as the {kind} of a {kind_of.__name__} of "
                         f"{count} arrays; return one of the same structure")
    return leaves


def _outline(ct):
    return f"an array of shape {tuple(ct.shape)}" if hasattr(ct, "shape") else \
        f"a {type(ct).__name__} of {len(ct)}" if hasattr(ct, "__len__") else f"a {type(ct).__name__}"


def conform(ct, aval, name, kind="cotangent"):
    """A cotangent that a rule gave, as one of an operand: autograd's rules may give another shape, or complex values.

    Of complex values for a real operand it is the real part; a wider shape is summed over the axes along which the
    operand was broadcast, a narrower one repeated, and one with as many elements reshaped.
    """
    ct = dense(ct)
    if isinstance(ct, list | tuple) or not hasattr(ct, "dtype"):
        ct = cnp.asarray(ct)
    if ct.dtype.kind == "c" and aval.dtype.kind != "c":
        ct = ct.real
    if ct.dtype.kind not in "fc":
        ct = ct.astype(aval.dtype)
    shape, target = tuple(ct.shape), aval.shape
    if shape == target:
        return ct
    lead = len(shape) - len(target)
    if lead >= 0 and all(n in (1, m) for n, m in zip(target, shape[lead:])):
        axes = tuple(range(lead)) + tuple([k + lead for k, n in enumerate(target) if n == 1 != shape[k + lead]])
        return cnp.reshape(cnp.sum(ct, axis=axes), target)
    if lead <= 0 and all(n in (1, m) for n, m in zip(shape, target[-lead:])):
        return cnp.broadcast_to(ct, target)
    if ct.size == aval.size:
        return cnp.reshape(ct, target)
    raise ValueError(f"a rule of the primitive {name} gave a {kind} of shape {shape} for a value of shape {target}, "
                     "which it neither broadcasts to nor is broadcast from; return one of the shape of the value")
