"""Fast dispatch of non-elementwise primitives: one operand, pairs, any number. Compiled with call_lanes.pxd."""

import numpy as np

from ..arrays.avals import SCALARS, aval_of
from ..errors import RuleError
from ..slots import AvalSlots, TracerSlots, TraceSlots
from ..tape.recording import make_node, recorded, traced
from ..trace.device import refuse_operands
from ..trace.tracer import Dual, Rev, Tracer, share
from .forward_lanes import joined, read
from .primitive import RAW, bind

ndarray = np.ndarray
_MANY = 8  # operands that are looked at all at once


def single_lane(prim):
    """Make the public function of a non-elementwise primitive with one array operand and one output."""
    impl = prim.impl
    arity = len(prim.params)
    # `bare` leaves out un-broadcast and cast, which an `exact` vjp of plain floats does not need.
    rule = bare = None if prim.flat or 0 in prim.nondiff else prim.rule((0,))
    collect = bare_collect = None if rule is None else rule.collect
    if prim.exact:
        bare = prim.rule((0,), True)
        bare_collect = bare.collect or (lambda record: None)
    masks = prim.zeros
    view = prim.view
    weak = prim.weak

    def apply(x, *params, **named):
        t: TracerSlots
        known: AvalSlots
        aval: AvalSlots
        owner: TraceSlots
        if named or len(params) != arity:
            x, *params = prim.arrange((x, *params), named)
        kind = type(x)
        if kind is ndarray:
            try:
                return impl(np, x, *params)
            except (TypeError, ValueError, IndexError):
                refuse_operands(prim, (x,), params)
        if kind is Rev and rule is not None and not x.owner.done:
            t = x
            owner = t.owner
            xv = t.value
            try:
                v = impl(np, xv, *params) if type(xv) in RAW else apply(xv, *params)
            except (TypeError, ValueError, IndexError):
                refuse_operands(prim, (x,), params)
            aval = aval_of(v)
            # An integer output (argmax) carries no derivative and leaves as a plain value.
            if aval.dtype.kind not in "fcV":
                return v
            known = t.aval
            record = (xv, *params, v, known)
            node = make_node(bare, t.node, bare_collect(record)) if known.plain else make_node(
                rule, t.node, collect(record))
            if masks:
                owner.masked = True
            out = traced(owner, v, known if weak and known.weak else aval, node)
            if view and (aval.ndim or view is True or view(*params)):
                share(x, out, prim, params)
            return out
        return bound(prim, x, params) if view else bind(prim, (x, *params))

    return apply


def bound(prim, x, params):
    """The output of a view primitive by the general road, which sees later writes to `x`."""
    out = bind(prim, (x, *params))
    if isinstance(out, Tracer) and out.owner is not None and x.owner is not None and (
            prim.view is True or out.ndim or prim.view(*params)):
        share(x, out, prim, params)
    return out


def reading_lane(prim):
    """Make the public function of `getitem`: a single lane with its commonest case inlined."""
    general = single_lane(prim)
    rule = prim.rule((0,), True)
    # The lane passes the two positionally, without `collect`: another rule would get the wrong values silently.
    if rule.names != ("x_aval", "index"):
        raise RuleError(f"reading_lane saves the aval and the index, but the rule of {prim.name} asks for {rule.names}")

    def apply(x, index):
        t: TracerSlots
        known: AvalSlots
        aval: AvalSlots
        owner: TraceSlots
        if type(x) is Rev:
            t = x
            owner = t.owner
            known = t.aval
            xv = t.value
            if known.plain and type(xv) is ndarray and not owner.done:
                try:
                    v = xv[index]
                except (TypeError, ValueError, IndexError):
                    refuse_operands(prim, (x,), (index,))
                # The cotangent of `x` is zero outside of the index: in the sweep zeros may meet infinities.
                owner.masked = True
                aval = SCALARS.get(type(v)) or aval_of(v)
                out = traced(owner, v, aval, make_node(rule, t.node, (known, index)))
                if aval.shape or type(v) is ndarray:
                    share(x, out, prim, (index,))
                return out
        elif type(x) is Dual and type(x.value) is ndarray and type(x.tangent) is ndarray and not x.owner.done:
            try:
                return read(prim, x, index)
            except (TypeError, ValueError, IndexError):
                refuse_operands(prim, (x,), (index,))
        return general(x, index)

    return apply


def pair_lane(prim):
    """Make the public function of a non-elementwise primitive of two operands without parameters (matmul)."""
    impl = prim.impl
    # Plain rules hold for up to two axes of one dtype (`real_vjp`); leading axes need the general ones, which sum.
    both, both_plain = prim.rule((0, 1)), prim.rule((0, 1), True)
    left, left_plain = prim.rule((0,)), prim.rule((0,), True)
    right, right_plain = prim.rule((1,)), prim.rule((1,), True)
    left_keeps_y = prim.operands[1] in left.names
    right_keeps_x = prim.operands[0] in right.names

    def beside(x, y, first: bool):
        """Apply to a traced value and an array; `first` if the array is the first operand."""
        t: TracerSlots = y if first else x
        aval: AvalSlots = t.aval
        owner: TraceSlots = t.owner
        c = x if first else y
        xv = t.value
        # The rule saves the array itself, which the user may write to before the sweep.
        if right_keeps_x if first else left_keeps_y:
            c = owner.keep(c)
        operands = (c, xv) if first else (xv, c)
        v = impl(np, *operands) if type(xv) is ndarray else apply(*operands)
        # NumPy's native dtypes are single objects; any other instance takes the general rule.
        plain = aval.plain and aval.ndim <= 2 and c.ndim <= 2 and c.dtype is aval.dtype
        rule = (right_plain if plain else right) if first else left_plain if plain else left
        return recorded(owner, rule, t.node, rule.collect((*operands, v, *((None, aval) if first else (aval, None)))),
                        v, aval)

    def apply(x, y):
        t: TracerSlots
        u: TracerSlots
        aval: AvalSlots
        like: AvalSlots
        kind = type(x)
        other = type(y)
        try:
            if kind is ndarray:
                if other is ndarray:
                    return impl(np, x, y)
                if other is Rev and not y.owner.done:
                    return beside(x, y, True)
            elif kind is Rev and not x.owner.done:
                if other is ndarray:
                    return beside(x, y, False)
                if other is Rev and y.owner is x.owner:
                    t = x
                    u = y
                    xv, yv = t.value, u.value
                    aval = t.aval
                    like = u.aval
                    v = impl(np, xv, yv) if type(xv) is ndarray and type(yv) is ndarray else apply(xv, yv)
                    plain = aval.plain and like.plain and aval.dtype is like.dtype and aval.ndim <= 2 and like.ndim <= 2
                    rule = both_plain if plain else both
                    return recorded(t.owner, rule, (t.node, u.node), rule.collect((xv, yv, v, aval, like)), v, like)
        except (TypeError, ValueError):
            refuse_operands(prim, (x, y))
        return bind(prim, (x, y))

    return apply


def write_lane(prim):
    """Make the public function of a primitive that writes its second operand into part of its first (`index_update`).

    Its rules need shapes alone, so that of several floats of one dtype nothing is kept.
    """
    impl = prim.impl
    total = len(prim.operands) + len(prim.params)
    both, left, right = (prim.rule(active, True) for active in ((0, 1), (0,), (1,)))
    # Values are not guarded against later writes here, which is right only as long as none is saved.
    if any(r.keeps for r in (both, left, right)):
        raise RuleError(f"write_lane is for rules that need shapes alone, but that of {prim.name} saves {both.names}")

    def apply(*args, **named):
        if named or len(args) != total:
            args = prim.arrange(args, named)
        x, v, *params = args
        kind = type(x)
        other = type(v)
        if kind is Rev:
            owner, aval, xv = x.owner, x.aval, x.value
            if other is Rev and v.owner is owner:
                rule, parents, like, vv = both, (x.node, v.node), v.aval, v.value
            elif other is float or other is int or other is ndarray:
                rule, parents, like, vv = left, x.node, aval_of(v), v
            else:
                return bind(prim, args)
        elif kind is ndarray and other is Rev:
            rule, parents, owner, aval, like, xv, vv = right, v.node, v.owner, aval_of(x), v.aval, x, v.value
        else:
            return bind(prim, args)
        if owner.done or not aval.plain or like.dtype is not aval.dtype and not (like.weak and other is not Rev):
            return bind(prim, args)
        try:
            ans = impl(np, xv, vv, *params) if type(xv) in RAW and type(vv) in RAW else apply(xv, vv, *params)
        except (TypeError, ValueError, IndexError):
            refuse_operands(prim, (xv, vv), params)
        owner.masked = True
        return recorded(owner, rule, parents, rule.collect((None, None, *params, ans, aval, like)), ans, aval)

    return apply


def joining_lane(prim):
    """Make the public function of a variadic primitive with one parameter whose rules need shapes alone."""
    (name,) = prim.params
    impl = prim.impl
    masks = prim.zeros

    def apply(*xs, **named):
        if len(named) != 1 or name not in named:
            return bind(prim, prim.arrange(xs, named))
        param = named[name]
        # Many plain arrays, such as rows to be stacked: one test of all their types instead of a loop.
        if len(xs) > _MANY and RAW.issuperset(map(type, xs)):
            try:
                return impl(np, param, xs)
            except (TypeError, ValueError):
                refuse_operands(prim, xs, (param,))
        if Dual in map(type, xs):
            try:
                out = joined(prim, xs, param)
            except (TypeError, ValueError):
                refuse_operands(prim, xs, (param,))
            return bind(prim, (*xs, param)) if out is None else out
        owner = None
        values = []
        avals = []
        active = []
        nodes = []
        for i, x in enumerate(xs):
            # Operands of one reverse trace: a value of a second one fails the test below, and goes to `bind`.
            if type(x) is Rev and (owner is None or x.owner is owner):
                owner = x.owner
                active.append(i)
                avals.append(x.aval)
                nodes.append(x.node)
                x = x.value
            else:
                avals.append(None)
            if type(x) not in RAW:
                return bind(prim, (*xs, param))
            values.append(x)
        if owner is not None and owner.done:
            return bind(prim, (*xs, param))
        try:
            v = impl(np, param, values)
        except (TypeError, ValueError):
            refuse_operands(prim, xs, (param,))
        if owner is None:
            return v
        if masks:
            owner.masked = True
        rule = prim.rule(tuple(active))
        avals = tuple([aval_of(x) if a is None else a for a, x in zip(avals, xs)])
        saved = rule.collect((None, param, v, avals, None))
        return recorded(owner, rule, nodes[0] if len(nodes) == 1 else tuple(nodes), saved, v, aval_of(v))

    return apply


def general_lane(prim):
    """Make the public function of primitives with several operands, several outputs, or variadic operands."""
    impl = prim.impl
    count = len(prim.operands)
    total = len(prim.params) + (0 if prim.variadic else count)
    plain = not prim.variadic
    view = prim.view and plain and count == 1

    def apply(*args, **named):
        if named or (plain and len(args) != total) or (not plain and prim.params):
            args = prim.arrange(args, named)
        if plain:
            for x in args[:count]:
                if type(x) is not ndarray:
                    return bound(prim, x, tuple(args[1:])) if view else bind(prim, args)
            try:
                return impl(np, *args)
            except (TypeError, ValueError, IndexError):
                refuse_operands(prim, args[:count], args[count:])
        return bind(prim, args)

    return apply
