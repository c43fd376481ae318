"""Programs of calls on values of a vmap over plain tensors: all examples by one straight line of primitives.

The body of a call is staged as for any other program (`lowering.py`), on boxes that are values of a batch: what comes
of it is what the batching rules of its primitives give, and the program runs on the tensors one level down.
"""

from .....extend import make_batched
from ..staged.recorder import Recorder, Unfit
from ..state.levels import BatchTrace
from ..types.dtypes import Default
from ..types.tensor_type import TensorBase, at_level
from .call_key import NESTS, described, described_by_name
from .call_source import DECLINED, Program
from .staged_calls import LARGE, MISSED, alike, missed, staged, tensors_of


def quick(row, args, kwargs, m):
    """The output of a call at the innermost vmap, by its lane or program; a `Missed` where there is none."""
    answer = None if row.at_map is None or kwargs else row.at_map(args, m)
    if answer is not None:
        return answer
    trace = m.mapped
    if m.under() is not None:
        return MISSED
    mapped, tensors = [], []
    below = lowered(args, trace, mapped)
    named = dict(zip(kwargs, lowered(kwargs.values(), trace, mapped))) if kwargs else kwargs
    key = [BatchTrace, Default.float, *mapped]
    if not described(below, key, tensors, True, row.blind) or kwargs and not described_by_name(
            named, key, tensors, True, row.blind) or any(t.node is not None or t.wants_grad for t in tensors):
        return MISSED
    key = tuple(key)
    program = row.programs.get(key)
    if type(program) is not Program:
        return missed(row.programs, key, lambda answer: made(row, args, kwargs, trace, mapped, tensors, answer))
    answer = program.run(*tensors)
    return MISSED if answer is DECLINED else raised(answer, trace)


def lowered(args, trace, mapped):
    """Arguments one level down; notes of each tensor whether it was mapped."""
    out = []
    for a in args:
        if isinstance(a, TensorBase):
            mapped.append(a.level_trace is trace)
            out.append(a.value if a.level_trace is trace else a)
        else:
            out.append(lowered(a, trace, mapped) if type(a) in NESTS else a)
    return out


def raised(answer, trace):
    """The output of a program, lifted one level up."""
    if not isinstance(answer, tuple):
        return answer if answer is None else at_level(trace, answer)
    parts = [raised(a, trace) for a in answer]
    return type(answer)(*parts) if hasattr(answer, "_fields") else tuple(parts)


def made(row, args, kwargs, trace, mapped, tensors, answer):
    """The program of a call, beside its output by the general path; None where there is none."""
    like = tensors_of(answer)
    if any(t.level_trace is not trace or t.value.level_trace is not None for t in like) or (
            max([t.value.size for t in tensors]) > LARGE):
        return None
    like = [t.value for t in like]
    recorder = Recorder()
    batch = BatchTrace(trace.size)  # above the recorder
    flags = iter(mapped)
    try:
        found = staged(recorder, row, args, kwargs, tensors, (
            lambda box: make_batched(batch, box) if next(flags) else box))
        program = Program(recorder, unboxed(found[0], batch), [t.value for t in like], [], None, (row, (), {}))
        mine = program.run(*tensors)
        mine = [] if mine is DECLINED else tensors_of(mine)
        return program if len(like) == len(mine) and all(map(alike, like, mine)) else None
    finally:
        batch.done = True


def unboxed(answer, batch):
    """The output of a body, without the boxes of the batch."""
    if isinstance(answer, tuple):
        parts = [unboxed(a, batch) for a in answer]
        return type(answer)(*parts) if hasattr(answer, "_fields") else tuple(parts)
    if answer is not None and getattr(answer, "owner", None) is not batch:
        raise Unfit
    return answer if answer is None else answer.value
