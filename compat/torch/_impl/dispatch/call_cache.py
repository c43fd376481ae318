"""Programs: what the body of an operation comes to for operands of some shapes, run again without the body.

Which signature fits, which axes are meant, which primitives run and which rule each of them takes: for plain tensors of
floats all that follows from shapes, dtypes and the other arguments of a call. The body of a call that is seen again is
staged to a graph, and from then on the source that `call_source.py` writes of it is run, nodes and all. It computes by
the same functions in the same order: when it is made changes no bit of a result. A body that looks at elements of a
tensor, or does anything else that its operands' shapes do not decide, has no program, and goes the general path.
"""

import numpy as np

from ....._engine import library_of
from ..modes.modes import MODES
from ..staged.recorder import Recorder, Unfit, traced
from .call_source import DECLINED, Program
from .signatures import title
from .staged_calls import LARGE, alike, staged, tensors_of

ndarray = np.ndarray


def made(row, args, kwargs, tensors, m, answer):
    """The program of a call, whose output by the general road this is; None where it gives another one."""
    program = build_program(row, args, kwargs, tensors, m, tensors_of(answer))
    return program if fits(answer, trial(program, tensors, m)) else None


def trial(program, tensors, m):
    """Run a program without calling the user's hooks."""
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
