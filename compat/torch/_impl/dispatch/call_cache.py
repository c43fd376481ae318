"""Programs: what the body of an operation comes to for operands of some shapes, run again without the body.

Which signature fits, which axes are meant, which primitives run and which rule each of them takes: for plain tensors of
floats all that follows from shapes, dtypes and the other arguments of a call. The body of a call that is seen again is
staged to a graph, and from then on the source that `call_source.py` writes of it is run, nodes and all. A body that
looks at elements of a tensor, or does anything else that its operands' shapes do not decide, has no program, and goes
the general path.
"""

import numpy as np

from ....._engine import library_of
from ..modes.errstate import error_state, restore_fp_warnings, suppress_fp_warnings
from ..modes.modes import MODES
from ..modes.warnings import INSTEAD
from ..staged.recorder import Recorder, Unfit, traced
from .call_key import key_of
from .call_source import DECLINED, Program
from .signatures import title
from .staged_calls import KEPT, LARGE, alike, staged, tensors_of

ndarray = np.ndarray
PATIENCE = [1]  # how often a call is seen before its program is made


def lookup(row, args, kwargs, m):
    """`(program, tensors)` of a call: its tensors in order.

    In place of the program there is a key where `compile_call` is to make it, and None where there is none.

    Args:
        row: the operation.
        m: the modes: None where operands that ask for gradients are recorded, else those of no_grad or inference_mode,
            or those in which nothing but saved-tensor hooks is in force.
    """
    tensors = []
    key = key_of(args, kwargs, m, row.blind, tensors)
    if key is None:
        return None, None
    programs = row.programs
    seen = programs.get(key, 0)
    if type(seen) is not int:
        return seen, tensors
    if len(programs) >= KEPT:
        programs.clear()
    if seen >= PATIENCE[0]:
        return key, tensors
    programs[key] = seen + 1
    return None, None


def compile_call(row, key, args, kwargs, tensors, m, answer):
    """Make the program of a call, None where there is none, and return the output of the general road."""
    program = None
    token, before = error_state(), INSTEAD.get()
    try:
        suppress_fp_warnings()
        INSTEAD.set(Unfit)
        program = build_program(row, args, kwargs, tensors, m, tensors_of(answer))
        if not fits(answer, trial(program, tensors, m)):
            program = None
    except NotImplementedError:  # Unfit; a function of NumPy's that refuses boxes in its own words
        program = None
    finally:
        try:
            INSTEAD.set(before)
        finally:
            restore_fp_warnings(token)
    row.programs[key] = program
    return answer if PATIENCE[0] or program is None or m is not None and m.packing is not None else (
        program.run(*tensors))


def trial(program, tensors, m):
    """What a program gives; hooks of the user's do not hear of it."""
    if m is None or m.packing is None:
        return program.run(*tensors)
    try:
        MODES.set(m.but(hooks=(type(m.packing)(_same, _same),)))
        return program.run(*tensors)
    finally:
        MODES.set(m)


def _same(t):
    return t


def build_program(row, args, kwargs, tensors, m, like):
    """The program of a call whose output lies in memory as tensors do."""
    size, (kind, *others) = max([t.value.size for t in tensors]), {type(t.value) for t in tensors}
    if others or kind is ndarray and size > LARGE:
        raise Unfit
    records = m is None or m.packing is not None
    recorded = [i for i, t in enumerate(tensors) if records and (t.node is not None or t.wants_grad)]
    recorder = Recorder(library_of(tensors[0].value), not recorded)
    answer, given, named, way = staged(recorder, row, args, kwargs, tensors)
    name = title(row, way, given, named)
    call = row, tuple(unboxed(given)), dict(zip(named, unboxed(named.values())))
    return Program(recorder, answer, [t.value for t in like], recorded, name, call, m)


def unboxed(args):
    """Arguments as a node keeps them: an Ellipsis for what has tensors."""
    return [... if traced(a) else a for a in args]


def fits(theirs, mine):
    """Tell whether the output of the general path is that of the program."""
    theirs, mine = tensors_of(theirs), [] if mine is DECLINED else tensors_of(mine)
    return len(theirs) == len(mine) and all(map(alike, theirs, mine))
