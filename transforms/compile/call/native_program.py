"""Native programs: one function where the whole graph is native, else native segments between NumPy calls."""

import warnings

from ....core.arrays.backend import unusable
from ....core.errors import MissingLibraryError, PerformanceWarning
from ....core.lazy import LazyModule
from ....core.types import Any
from ..analysis import cost as costs
from ..machine.layouts import functions
from ..program import described, scalar_loops

_PARTITION: Any = LazyModule("covector.transforms.compile.call.partition")
_COMPLEX: Any = LazyModule("covector.transforms.compile.lower.complex_parts")
_LOWERINGS: Any = LazyModule("covector.transforms.compile.lower.lowerings")


def native(program):
    """`(text, function)` of a program."""
    known = {}
    whole = _COMPLEX.without_complex(program.draft, known)
    one = _PARTITION.whole(whole, known)
    if one is not None:
        return _as_a_whole(program, one)
    program.left = whole.equations, known
    draft, segments, _ = _PARTITION.with_segments(whole, known, exchanges=True)
    return _between_calls(program, draft, segments, {})


def native_if_faster(program, cost):
    """`(text, function)` of a program, as far as native code pays; None where it does not.

    Args:
        cost: what a call takes otherwise.
    """
    equations, known = program.draft.equations, {}
    pays = cost + costs.looked_at(program.draft.inputs) - costs.native(equations) >= costs.WORTH
    try:
        whole = _COMPLEX.without_complex(program.draft, known)
        one = _PARTITION.whole(whole, known)
        if one is not None:
            # Legality costs nothing to find out; code costs 5 to 100 ms.
            return _as_a_whole(program, one) if pays else None
        program.left = whole.equations, known
        draft, segments, saved = _PARTITION.with_segments(whole, known, costs.SEGMENT_WORTH, exchanges=True)
        if not segments or costs.estimated(equations) - saved > cost:
            return None
        return _between_calls(program, draft, segments, scalar_loops(draft))
    except MissingLibraryError as error:  # it is there
        unusable("llvmlite", error)
        return None


# A round in Python takes some microseconds, one in native code a hundredth: fewer of them take less than a millisecond,
# and an operation on more elements takes longer than the round around it.
_MANY_ROUNDS, _MANY_ELEMENTS = 200, 10_000


def tell_of_loops(program, on_floats):
    """Warn, once for a place in the code, of loops that an operation without native form keeps in Python.

    Args:
        on_floats: the first outputs of loops that run on Python floats.
    """
    if program.left is not None:
        equations, known = program.left
        _tell_of([eq for eq in equations if not eq.outputs or eq.outputs[0] not in on_floats], known, program.name,
                 program.told)


def _tell_of(equations, known, name, told, rounds=1):
    for eq in equations:
        if eq.acts or not eq.bodies() or _LOWERINGS.is_native(eq, known):
            continue
        count = eq.prim.turns(*eq.params) if eq.prim.turns is not None else 1
        times = _MANY_ROUNDS if count is None else rounds * count
        part = _LOWERINGS.culprit(eq, known)
        avals = [v.aval for v in (*part.inputs, *part.outputs)]
        ours = part.line == eq.line and (count is None or rounds > 1)  # as of a solver's loops, which nobody can change
        if (eq.prim.turns is not None and times >= _MANY_ROUNDS and part is not eq and not part.acts and not ours
                and max(a.size for a in avals) <= _MANY_ELEMENTS):
            what, _ = described(part)
            if (eq.line, part.prim.name) not in told:
                told.add((eq.line, part.prim.name))
                much = "any number of" if count is None else count
                _tell(f"jit of {name} runs a {eq.prim.name} of {much} rounds in Python, for {what} "
                      f"(at {part.line or 'a derivative'}) has no native form: each round takes microseconds; keep it "
                      "out of the loop, or write it in other operations, and see jit(f).explain(*args)", eq.line)
            continue
        for body in eq.bodies():
            if body.graph is not None:
                _tell_of(body.graph.equations, known, name, told, times)


def _tell(message, line):
    if line is None:
        warnings.warn(message, PerformanceWarning, stacklevel=2)
    else:
        warnings.warn_explicit(message, PerformanceWarning, line.file, line.number)


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
    tell_of_loops(program, {eq.outputs[0] for eq in loops})
    text, run = program.numpy(runs)
    return "\n".join([text, *texts]), run
