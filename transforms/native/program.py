"""Programs in native code: one function where a graph is native as a whole, else NumPy's calls between segments."""

from ...core.arrays.compilers import unusable
from ...core.errors import MissingLibraryError
from ...core.lazy import LazyModule
from ...core.types import Any
from ..compile import costs
from ..compile.program import scalar_loops
from ..graph.draft import Draft
from .machine.layouts import functions
from .recall import Recall

_UNKNOWN, _OTHER, _SAME = range(3)  # what a plan begins with: whether the program for another layout is another one
_PARTITION: Any = LazyModule("covector.transforms.native.partition")
_PLANS: Any = LazyModule("covector.transforms.native.plans")


def native(program):
    """`(text, function)` of a program; the text of code that was compiled before is a function that writes it."""
    found = remembered(program, "native")
    if found:
        return found
    known = {}
    one = _PARTITION.whole(program.draft, known)
    if one is not None:
        return _as_a_whole(program, one)
    draft, segments, _ = _PARTITION.with_segments(program.draft, known, exchanges=True)
    return _between_calls(program, draft, segments, {})


def remembered(program, printer="auto"):
    """`(text, function)` of a program whose code another process compiled; None where none did.

    The graph before all passes tells it from others; the one after them where that has something without a name.
    """
    about = printer + "".join(" compact" if v in program.known else " any" for v in program.graph.inputs)
    recall = Recall(program.graph, program.drafted, about)
    program.recall = recall if recall.mark else Recall(program.draft, program.drafted, about)
    run = program.recall.function()
    if run is not None:
        return _found(program, run)
    return _as_planned(program, program.recall.plan, printer) if program.recall.plan else None


def native_if_faster(program, cost):
    """`(text, function)` of a program, as far as native code pays; None where it does not.

    Args:
        cost: what a call takes otherwise.
    """
    equations, known = program.draft.equations, {}
    pays = cost + costs.looked_at(program.draft.inputs) - costs.native(equations) >= costs.WORTH
    try:
        found = remembered(program) if program.recall is None else None
        if found or program.recall.is_unworthy:
            return found
        one = _PARTITION.whole(program.draft, known)
        if one is not None:
            return _as_a_whole(program, one) if pays else None
        draft, segments, saved = _PARTITION.with_segments(program.draft, known, costs.SEGMENT_WORTH, exchanges=True)
        if not segments or costs.estimated(equations) - saved > cost:
            return None
        return _between_calls(program, draft, segments, scalar_loops(draft))
    except MissingLibraryError as error:  # it is there
        unusable("llvmlite", error)
        return None


def unworthy(program):
    """Remember that a program is not worth native code."""
    if program.recall.plan is None:
        program.recall.note_plan([])


def _found(program, run):
    """A program whose code was found; who asks for its text has it written, as another process did."""
    _takes_all(program)
    return lambda: _PARTITION.whole(program.draft, {}).compiled()[0], run


def _as_planned(program, plan, printer):
    """A program that calls NumPy, divided as another process did; None where the plan is of another one."""
    before = program.draft
    try:
        equations, segments = _PLANS.planned(before, plan[1:])
    except _PLANS.Unplanned:
        program.recall.plan = None
        return None
    draft = Draft(before.inputs, equations, before.outputs)
    return _between_calls(program, draft, segments, scalar_loops(draft) if printer == "auto" else {})


def _takes_all(program):
    program.any_layout = True
    program.checks = functions() is not None  # else Python looks at values, which is no quicker


def _as_a_whole(program, one):
    _takes_all(program)
    return one.compiled(note=program.recall.note)


def _between_calls(program, draft, segments, loops):
    texts, functions = [], dict(loops)
    for segment in segments:
        text, functions[segment] = segment.part()
        texts.append(text)
    recall = program.recall
    if recall.plan is None and recall.mark:
        recall.note_plan([_UNKNOWN, *_PLANS.plan_of(program.draft, draft)])
    if recall.plan:
        program.depends = {_OTHER: True, _SAME: False}.get(recall.plan[0])
        program.settled = lambda depends: recall.note_plan([_OTHER if depends else _SAME, *recall.plan[1:]])
    program.draft = draft
    text, run = program.numpy(functions)
    marks = [segment.mark for segment in segments]
    program.told_by = (text, marks) if all(marks) else None
    return lambda: "\n".join([text, *[part() if callable(part) else part for part in texts]]), run
