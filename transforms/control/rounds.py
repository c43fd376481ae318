"""The trip count of a staged loop, where it depends only on values known while staging."""

import operator

from ...core.arrays.backend import is_array
from ...core.trace.tracer import Tracer
from ...core.types import Any
from ..graph.equations import Literal, Var
from ..scope.errstate import quiet
from ..staging.graph import part_of

_MOST = 1 << 16  # rounds that are tried one by one
_TESTS = (operator.lt, operator.le, operator.gt, operator.ge, operator.ne)


def known_rounds(test, body, values, consts):
    """The trip count of `body` while `test` holds; None where that is not known.

    Args:
        test, body: graphs of constants and carry.
        values: of these, of which `consts` are constants.
    """
    places = _decisive(test, body, consts)
    if any(isinstance(values[k], Tracer) or is_array(values[k]) and type(values[k]).__module__ != "numpy"
           for k in places):
        return None
    now = dict(zip([test.inputs[k] for k in places], [values[k] for k in places]))
    carried = [k for k in places if k >= consts]
    going = part_of(test, [test.inputs[k] for k in places], test.equations, test.outputs)
    outputs = [body.outputs[k - consts] for k in carried]
    step = part_of(body, [body.inputs[k] for k in places], body.equations, outputs)
    # The trial would make effects happen.
    if any(eq.acts or eq.prim.effects for part in (going, step) for eq in part.equations):
        return None
    counted = _counted(going, step, list(now.values()), len(places) - len(carried))
    if counted is not None:
        return counted
    given, fixed = list(now.values()), len(places) - len(carried)
    # The trial runs what the loop will run: it must not warn twice.
    with quiet():
        for turn in range(_MOST):
            if not going.interpret(given)[0]:
                return turn
            given[fixed:] = step.interpret(given)
    return None


def _decisive(test, body, consts):
    """The places of the inputs that the test depends on, in some round."""
    found, todo = set(), _read(test, test.outputs)
    while todo - found:
        new = todo - found
        found |= new
        todo = set().union(*[_read(body, [body.outputs[k - consts]]) for k in new if k >= consts])
    return sorted(found)


def _read(graph, outputs):
    """The places of the inputs that some outputs depend on."""
    needed = {v for v in outputs if type(v) is Var}
    for eq in reversed(graph.equations):
        if not needed.isdisjoint(eq.outputs):
            needed.update(v for v in eq.inputs if type(v) is Var)
    return {k for k, v in enumerate(graph.inputs) if v in needed}


def _counted(going, step, given, fixed):
    """The rounds of a counter of integers that is compared with one number; None where the loop has another form."""
    if len(given) != fixed + 1 or len(going.equations) != 1 or len(step.equations) != 1:
        return None

    def number(graph, v):
        x: Any = v.value if type(v) is Literal else given[graph.inputs.index(v)] if v in graph.inputs else None
        return int(x) if getattr(getattr(x, "dtype", None), "kind", "i" if type(x) is int else "") in "iu" else None

    (test,), (move,) = going.equations, step.equations
    holds, moves = (eq.prim.ufunc[1] if eq.prim.ufunc is not None else None for eq in (test, move))
    if holds not in _TESTS or moves not in (operator.add, operator.sub) or len(move.inputs) != 2:
        return None
    x, end = test.inputs
    counter, by = move.inputs
    start, end, by = number(going, x), number(going, end), number(step, by)
    if x is not going.inputs[fixed] or counter is not step.inputs[fixed] or None in (start, end, by):
        return None
    by = by if moves is operator.add else -by
    if not holds(start, end):
        return 0
    if holds is operator.ne:
        return (end - start) // by if by and (end - start) % by == 0 and (end - start) // by > 0 else None
    if by == 0 or (by > 0) != (holds in (operator.lt, operator.le)):
        return None
    end += (holds in (operator.le, operator.ge)) * (1 if by > 0 else -1)
    return len(range(start, end, by))
