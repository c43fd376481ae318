"""Programs: what the body of an operation comes to for operands of some shapes, run again without the body.

Which signature fits, which axes are meant, which primitives run and which rule each of them takes: for plain tensors of
floats all that follows from shapes, dtypes and the other arguments of a call. The body of a call that is seen again is
staged to a graph, and from then on the source that `call_source.py` writes of it is run, nodes and all. A body that
looks at elements of a tensor, or does anything else that its operands' shapes do not decide, has no program, and goes
the general path.
"""


from ..modes.errstate import restore_fp_warnings, suppress_fp_warnings
from ..modes.modes import MODES
from ..modes.warnings import INSTEAD
from ..staged.recorder import Recorder, Unfit, traced
from ..state.edges import is_current, untangled
from ..types.dtypes import Default
from ..types.parameter import Parameter
from ..types.tensor_type import GENERAL, INFERENCE, Tensor
from .call_source import DECLINED, Program
from .signatures import title
from .staged_calls import KEPT, LARGE, NESTS, STATIC, alike, staged, tensors_of, whole

PATIENCE = [1]  # how often a call is seen before its program is made


def lookup(row, args, kwargs, m):
    """`(program, tensors)` of a call: its tensors in order.

    In place of the program there is a key where `compile_call` is to make it, and None where there is none.

    Args:
        row: the operation.
        m: the modes: None where operands that ask for gradients are recorded, else those of no_grad or inference_mode,
            or those in which nothing but saved-tensor hooks is in force.
    """
    recording = m is None or m.packing is not None
    key, tensors = [Default.float if m is None else (Default.float, recording, m.inference)], []
    if not described(args, key, tensors, recording, row.blind) or kwargs and not described_by_name(
            kwargs, key, tensors, recording, row.blind) or not tensors:
        return None, None
    key = tuple(key)
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


def described(args, key, tensors, recording, blind):
    """Add what a program depends on to a key, and the tensors to a list; False where there can be no program."""
    for a in args:
        kind = type(a)
        if kind is Tensor or kind is Parameter:
            x = a.value
            dtype = x.itemsize  # which tells floats apart, and hashes in 10 ns where a dtype takes 50
            if a.dispatch_key:
                if a.dispatch_key == GENERAL:
                    if not blind or not whole(a, recording):
                        return False
                    dtype = x.dtype
                elif a.dispatch_key == INFERENCE:
                    if recording:
                        return False
                elif not (is_current(a) if recording else untangled(a)):
                    return False
            tensors.append(a)
            key += (x.shape, x.strides, dtype, recording and (a.node is not None or a.wants_grad))
        elif kind in STATIC:
            key += (kind, a)
        elif kind is float:
            key += (kind, a if a and a == a else str(a))  # -0.0 equals 0.0, and NaN no other one
        elif kind in NESTS:
            key += (kind, len(a))
            if not described(a, key, tensors, recording, blind):
                return False
        else:
            return False
    return True


def described_by_name(kwargs, key, tensors, recording, blind):
    """`described` of the arguments that are given by name."""
    key += kwargs
    return "out" not in kwargs and described(kwargs.values(), key, tensors, recording, blind)


def compile_call(row, key, args, kwargs, tensors, m, answer):
    """Make the program of a call, None where there is none, and return the output of the general road."""
    program = None
    token, before = suppress_fp_warnings(), INSTEAD.get()
    INSTEAD.set(Unfit)
    try:
        program = build_program(row, args, kwargs, tensors, m, tensors_of(answer))
        if not fits(answer, trial(program, tensors, m)):
            program = None
    except NotImplementedError:  # Unfit; a function of NumPy's that refuses boxes in its own words
        program = None
    finally:
        INSTEAD.set(before)
        restore_fp_warnings(token)
    row.programs[key] = program
    return answer if PATIENCE[0] or program is None or m is not None and m.packing is not None else (
        program.run(*tensors))


def trial(program, tensors, m):
    """What a program gives; hooks of the user's do not hear of it."""
    if m is None or m.packing is None:
        return program.run(*tensors)
    MODES.set(m.but(hooks=(type(m.packing)(_same, _same),)))
    try:
        return program.run(*tensors)
    finally:
        MODES.set(m)


def _same(t):
    return t


def build_program(row, args, kwargs, tensors, m, like):
    """The program of a call whose output lies in memory as tensors do."""
    size = max([t.value.size for t in tensors])
    if size > LARGE:
        raise Unfit
    recorder = Recorder()
    answer, given, named, way = staged(recorder, row, args, kwargs, tensors)
    name = title(row, way, given, named)
    records = m is None or m.packing is not None
    recorded = [i for i, t in enumerate(tensors) if records and (t.node is not None or t.wants_grad)]
    call = row, tuple(unboxed(given)), dict(zip(named, unboxed(named.values())))
    return Program(recorder, answer, [t.value for t in like], recorded, name, call, m)


def unboxed(args):
    """Arguments as a node keeps them: an Ellipsis for what has tensors."""
    return [... if traced(a) else a for a in args]


def fits(theirs, mine):
    """Whether the output of the general path is that of the program."""
    theirs, mine = tensors_of(theirs), [] if mine is DECLINED else tensors_of(mine)
    return len(theirs) == len(mine) and all(map(alike, theirs, mine))
