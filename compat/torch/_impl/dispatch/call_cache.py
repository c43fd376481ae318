"""Programs: what the body of an operation comes to for operands of some shapes, run again without the body.

Which signature fits, which axes are meant, which primitives run and which rule each of them takes: for plain tensors of
floats all that follows from shapes, dtypes and the other arguments of a call. The body of a call that is seen again is
staged to a graph, and from then on the source that `call_source.py` writes of it is run, nodes and all. A body that
looks at elements of a tensor, or does anything else that its operands' shapes do not decide, has no program, and goes
the general path.
"""

import numpy as np

from .....extend import aval_of
from ..graph.node_data import visible
from ..modes.errstate import restore_fp_warnings, suppress_fp_warnings
from ..modes.modes import MODES
from ..modes.warnings import INSTEAD
from ..staged.recorder import Recorder, Unfit, traced
from ..state.edges import is_current, untangled
from ..types.dtypes import Default, dtype as Dtype
from ..types.parameter import Parameter
from ..types.size import Size, memory_format
from ..types.tensor_type import GENERAL, INFERENCE, Tensor, TensorBase
from .call_source import DECLINED, Program
from .signatures import check, synonyms, title

LARGE = 1 << 20  # elements: an operation on more costs far more than the road to it
LARGE_STEPS = 1 << 16  # the same for what one of several primitives gives: a run keeps all it computes to its end
_STATIC = frozenset({bool, int, str, type(None), Dtype, memory_format})
_NESTS = frozenset({tuple, list, Size})
_KEPT = 64  # programs of an operation
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
    if len(programs) >= _KEPT:
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
        elif kind in _STATIC:
            key += (kind, a)
        elif kind is float:
            key += (kind, a if a and a == a else str(a))  # -0.0 equals 0.0, and NaN no other one
        elif kind in _NESTS:
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


def whole(t, recording):
    """Whether a tensor is an ambient one of integers or booleans; of inference mode only where nothing is recorded."""
    meta = t.autograd_meta
    return t.level_trace is None and t.value.dtype.kind in "biu" and (meta is None or not (
        recording and meta.inference))


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


def staged(recorder, row, args, kwargs, tensors):
    """What the body of a call gives on boxes; beside it the arguments as it takes them, and their signature."""
    boxes = iter([recorder.input(aval_of(t.value), t.value) for t in tensors])
    given = boxed(args, boxes)
    named = synonyms(row.name, dict(zip(kwargs, boxed(kwargs.values(), boxes))))
    placed, _, way = check(row, args, kwargs)
    given += [named.pop(p.name) for p in way.parameters[len(args):len(placed)]] if way is not None else []
    answer = row.body(*given, **named)
    if len(recorder.equations) > 1 and any(
            np.size(recorder.values[v]) > LARGE_STEPS for eq in recorder.equations
            if not getattr(eq.prim, "view", False) for v in eq.outputs):
        raise Unfit
    return answer, given, named, way


def boxed(args, boxes):
    """Arguments as a body takes them, with the next boxes in place of tensors."""
    return [next(boxes) if isinstance(a, TensorBase) else a.numpy if type(a) is Dtype else
            type(a)(boxed(a, boxes)) if type(a) in _NESTS else a for a in args]


def unboxed(args):
    """Arguments as a node keeps them: an Ellipsis for what has tensors."""
    return [... if traced(a) else a for a in args]


def fits(theirs, mine):
    """Whether the output of the general path is that of the program."""
    theirs, mine = tensors_of(theirs), [] if mine is DECLINED else tensors_of(mine)
    return len(theirs) == len(mine) and all(map(alike, theirs, mine))


def alike(a, b):
    """Whether two tensors have the same elements in the same places, and histories of the same name."""
    x, y = a.value, b.value
    return (x.dtype is y.dtype and x.shape == y.shape and x.strides == y.strides and close(x, y)
            and (a.node is None) is (b.node is None) and (a.node is None or shown(a) == shown(b)))


def close(x, y):
    """Whether two arrays are the same but for the last bits, which depend on where matrices lie in memory."""
    if x.dtype.kind not in "fc":
        return bool((x == y).all())
    scale = 64 * np.finfo(x.dtype).eps
    top = np.max(np.abs(x), initial=0.0, where=np.isfinite(x))
    return np.allclose(x, y, scale, scale * top, equal_nan=True)


def shown(t):
    """torch's name of the node of a tensor."""
    return visible(t.node)[0].name()


def tensors_of(answer):
    """The tensors of an output, in order."""
    if not isinstance(answer, tuple):
        return [] if answer is None else [answer]
    return [t for v in answer for t in tensors_of(v)]
