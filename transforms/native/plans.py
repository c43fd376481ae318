"""Plans: how a draft was divided, as numbers that another process makes the same segments from, without asking why."""

from ..graph.draft import Draft, rewritten
from ..graph.equations import Body, Var
from .segments import Segment

_WHOLE, _INSIDE, _SEGMENT = range(3)  # an equation as it is, one with divided bodies, and equations of a segment


class Unplanned(Exception):  # noqa: N818 (no error: the draft is divided anew)
    """A draft that a plan does not fit."""


def plan_of(before, after):
    """The plan, a list of integers, of a draft whose equations are divided as in `after`."""
    places = {v: k for k, eq in enumerate(before.equations) for v in eq.outputs}
    numbers = {v: k for k, v in enumerate(_variables(before))}
    plan = [len(before.equations), len(after.equations)]
    for eq in after.equations:
        if type(eq) is Segment:
            plan += [_SEGMENT, len(eq.equations), *[places[part.outputs[0]] for part in eq.equations], len(eq.outputs)]
            for v in eq.outputs:
                plan += [numbers[v], v in eq.inner]
            continue
        place = places[eq.outputs[0]]
        was = before.equations[place]
        plan += [_WHOLE if eq is was else _INSIDE, place]
        for old, new in zip(was.bodies(), eq.bodies()) if eq is not was else ():
            plan += plan_of(old.graph, new.graph)
    return list(map(int, plan))


def planned(draft, plan):
    """`(equations, segments)` of a draft, divided as a plan says.

    Raises:
        Unplanned: it does not fit.
    """
    found, given = [], iter(plan)
    try:
        equations = _divided(draft, given, found)
    except (StopIteration, LookupError):
        raise Unplanned from None
    if next(given, None) is not None:
        raise Unplanned
    return equations, found


def _divided(graph, plan, found):
    """The equations of a graph or body; each value must be there before it is read, so none is missing."""
    if next(plan) != len(graph.equations):
        raise Unplanned
    variables, there, result = _variables(graph), set(graph.inputs), []
    for _ in range(next(plan)):
        kind = next(plan)
        if kind == _SEGMENT:
            eq = _segment([graph.equations[next(plan)] for _ in range(next(plan))], variables, there, plan)
            found.append(eq)
        else:
            eq = graph.equations[next(plan)]
            if kind == _INSIDE:
                eq = rewritten(eq, params=tuple([_body(p, plan, found) if type(p) is Body else p for p in eq.params]))
        _look(eq, there)
        there.update(eq.outputs)
        result.append(eq)
    if any(type(v) is Var and v not in there for v in graph.outputs):
        raise Unplanned
    return result


def _segment(equations, variables, there, plan):
    made = set()
    for eq in equations:
        _look(eq, there | made)
        made.update(eq.outputs)
    given = list(dict.fromkeys([v for eq in equations for v in eq.inputs if type(v) is Var and v not in made]))
    leaving = {variables[next(plan)]: next(plan) for _ in range(next(plan))}
    if not leaving or not made.issuperset(leaving):
        raise Unplanned
    return Segment(equations, given, list(leaving), None, frozenset([v for v, inner in leaving.items() if inner]))


def _body(body, plan, found):
    graph = body.graph
    return Body(Draft(graph.inputs, _divided(graph, plan, found), graph.outputs), body.run)


def _look(eq, there):
    if any(type(v) is Var and v not in there for v in eq.inputs):
        raise Unplanned


def _variables(graph):
    return [*graph.inputs, *[v for eq in graph.equations for v in eq.outputs]]
