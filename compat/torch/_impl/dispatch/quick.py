"""The fast road of a call: the lane of a primitive at a level, or the program of its key. Compiled with quick.pxd."""

from functools import partial

from ..state.levels import DUAL
from ..state.plain import OPEN
from . import dual_calls, lowering, map_calls
from .call_key import key_of
from .call_source import DECLINED, Program
from .staged_calls import MISSED, missed


def quick(row, args, kwargs, m):
    """The output of a call by the fast road, a lane or a program; a `Missed` where it takes the general one.

    Args:
        row: the operation.
        m: the modes. There are programs where operands that ask for gradients are recorded (None), in no_grad and
            inference mode, where nothing but saved-tensor hooks is in force, in a dual level and in the innermost vmap.
    """
    if not OPEN[0]:
        return MISSED
    if m is not None and m.mapped is not None:
        return map_calls.quick(row, args, kwargs, m)
    epoch = DUAL.get() if m is None else None
    if epoch is not None or m is not None and m.quick is not None:
        answer = None if row.at_level is None or kwargs else row.at_level(args, None if m is None else m.quick)
        if answer is None and epoch is not None:
            answer = dual_calls.quick(row, args, kwargs, epoch)
        if answer is not None:
            return answer
    if m is not None and not m.still and m.packing is None:
        return MISSED
    tensors = []
    key = key_of(args, kwargs, m, row.blind, tensors)
    if key is None:
        return MISSED
    program = row.programs.get(key)
    if type(program) is not Program:
        return missed(row.programs, key, partial(lowering.made, row, args, kwargs, tensors, m))
    answer = program.run(*tensors)
    return MISSED if answer is DECLINED else answer
