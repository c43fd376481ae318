"""Native programs: one function where the whole graph is native, else native segments between NumPy calls."""

from ....core.arrays.backend import unusable
from ....core.errors import MissingLibraryError
from ....core.lazy import LazyModule
from ....core.types import Any
from ..analysis import cost as costs
from ..machine.layouts import functions
from ..program import scalar_loops

_PARTITION: Any = LazyModule("covector.transforms.compile.call.partition")


def native(program):
    """`(text, function)` of a program."""
    known = {}
    one = _PARTITION.whole(program.draft, known)
    if one is not None:
        return _as_a_whole(program, one)
    draft, segments, _ = _PARTITION.with_segments(program.draft, known, exchanges=True)
    return _between_calls(program, draft, segments, {})


def native_if_faster(program, cost):
    """`(text, function)` of a program, as far as native code pays; None where it does not.

    Args:
        cost: what a call takes otherwise.
    """
    equations, known = program.draft.equations, {}
    pays = cost + costs.looked_at(program.draft.inputs) - costs.native(equations) >= costs.WORTH
    try:
        one = _PARTITION.whole(program.draft, known)
        if one is not None:
            # Legality costs nothing to find out; code costs 5 to 100 ms.
            return _as_a_whole(program, one) if pays else None
        draft, segments, saved = _PARTITION.with_segments(program.draft, known, costs.SEGMENT_WORTH, exchanges=True)
        if not segments or costs.estimated(equations) - saved > cost:
            return None
        return _between_calls(program, draft, segments, scalar_loops(draft))
    except MissingLibraryError as error:  # it is there
        unusable("llvmlite", error)
        return None


def _as_a_whole(program, one):
    program.native = program.any_layout = True  # its entry copies what does not lie in order
    program.checks = functions() is not None  # else Python looks at values, which is no quicker
    return one.compiled()


def _between_calls(program, draft, segments, loops):
    texts, runs = [], dict(loops)
    for segment in segments:
        text, runs[segment] = segment.compiled(inside=True)
        texts.append(text)
    program.draft = draft  # what is left for NumPy, with segments as its operations
    text, run = program.numpy(runs)
    return "\n".join([text, *texts]), run
