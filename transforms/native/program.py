"""Programs in native code: one function where a graph is native as a whole, else NumPy's calls between segments."""

import os

from ...core.errors import MissingLibraryError
from ...core.lazy import LazyModule
from ...core.types import Any
from ..compile import costs
from ..compile.program import scalar_loops
from .machine.layouts import functions
from .recall import Recall

_SEGMENTS: Any = LazyModule("covector.transforms.native.segments")


def native(program):
    """`(text, function)` of a program; the text of code that was compiled before is a function that writes it."""
    recall = Recall(program.draft)
    run = recall.function()
    if run is not None:
        return _found(program, run)
    known = {}
    one = _SEGMENTS.whole(program.draft, known)
    if one is not None:
        return _as_a_whole(program, one, recall)
    draft, segments, _ = _SEGMENTS.with_segments(program.draft, known, exchanges=True)
    return _between_calls(program, draft, segments, {})


def native_if_faster(program, cost):
    """`(text, function)` of a program, as far as native code pays; None where it does not.

    Args:
        cost: what a call takes otherwise.
    """
    if os.environ.get("COVECTOR_NATIVE") == "0":
        return None
    equations, known = program.draft.equations, {}
    pays = cost + costs.looked_at(program.draft.inputs) - costs.native(equations) >= costs.WORTH
    try:
        recall = Recall(program.draft) if pays else None
        run = recall and recall.function()
        if run is not None:
            return _found(program, run)
        one = _SEGMENTS.whole(program.draft, known)
        if one is not None:
            return _as_a_whole(program, one, recall) if recall else None
        draft, segments, saved = _SEGMENTS.with_segments(program.draft, known, costs.SEGMENT_WORTH, exchanges=True)
        if not segments or costs.estimated(equations) - saved > cost:
            return None
        return _between_calls(program, draft, segments, scalar_loops(draft))
    except MissingLibraryError:  # it is there, but cannot be imported
        return None


def _found(program, run):
    """A program whose code was found; who asks for its text has it written, as another process did."""
    _takes_all(program)
    return lambda: _SEGMENTS.whole(program.draft, {}).compiled()[0], run


def _takes_all(program):
    program.any_layout = True
    program.checks = functions() is not None  # else Python looks at values, which is no quicker


def _as_a_whole(program, one, recall):
    _takes_all(program)
    return one.compiled(note=recall.note)


def _between_calls(program, draft, segments, loops):
    texts, functions = [], dict(loops)
    for segment in segments:
        text, functions[segment] = segment.compiled()
        texts.append(text)
    program.draft = draft
    text, run = program.numpy(functions)
    return "\n".join([text, *texts]), run
