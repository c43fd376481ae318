"""Programs in native code: one function where a graph is native as a whole, else NumPy's calls between segments."""

import os

from ...core.errors import MissingLibraryError
from ..compile import costs
from ..compile.program import scalar_loops
from .machine.layouts import functions
from .segments import whole, with_segments


def native(program):
    """`(text, function)` of a program."""
    known = {}
    one = whole(program.draft, known)
    if one is not None:
        return _as_a_whole(program, one)
    draft, segments, _ = with_segments(program.draft, known, exchanges=True)
    return _between_calls(program, draft, segments, {})


def native_if_faster(program, cost):
    """`(text, function)` of a program, as far as native code pays; None where it does not.

    Args:
        cost: what a call takes otherwise.
    """
    if os.environ.get("COVECTOR_NATIVE") == "0":
        return None
    equations, known = program.draft.equations, {}
    try:
        one = whole(program.draft, known)
        if one is not None:
            if cost - costs.native(equations) < costs.WORTH:
                return None
            return _as_a_whole(program, one)
        draft, segments, saved = with_segments(program.draft, known, costs.SEGMENT_WORTH, exchanges=True)
        if not segments or costs.estimated(equations) - saved > cost:
            return None
        return _between_calls(program, draft, segments, scalar_loops(draft))
    except MissingLibraryError:  # it is there, but cannot be imported
        return None


def _as_a_whole(program, one):
    program.any_layout = True
    program.checks = functions() is not None  # else Python looks at values, which is no quicker
    return one.compiled()


def _between_calls(program, draft, segments, loops):
    texts, functions = [], dict(loops)
    for segment in segments:
        text, functions[segment] = segment.compiled()
        texts.append(text)
    program.draft = draft
    text, run = program.numpy(functions)
    return "\n".join([text, *texts]), run
