"""The short way of `backward()`: one ambient tensor outside all modes, straight into the sweep."""

from ..... import extend
from ..modes.errstate import restore_fp_warnings, suppress_fp_warnings
from ..modes.modes import DEFAULT, MODES
from ..state.levels import AMBIENT
from ..state.state import edge
from ..types.tensor_type import GENERAL, Tensor
from . import callbacks
from .graph_task import HOOKED, Sweep
from .root_gradients import ones

_IN_SWEEP = DEFAULT.but(grad=False, sweeping=True)


def quick_backward(t, gradient, retain):
    """`t.backward(gradient)` of ambient floats outside all modes; False for all else.

    The gradient is None for a number, or an ambient tensor of the same shape and dtype.
    """
    value = t.value
    if t.dispatch_key == GENERAL or t.node is None or HOOKED or MODES.get() is not None:
        return False
    if gradient is None:
        if value.size != 1:
            return False
        ct = ones(value.shape, value.dtype)
    else:
        if type(gradient) is not Tensor or gradient.dispatch_key:
            return False
        ct = gradient.value
        if ct.shape != value.shape or ct.dtype is not value.dtype:
            return False
    node = edge(t) if t.dispatch_key else t.node
    sweep = Sweep(AMBIENT, retain, False)
    MODES.set(_IN_SWEEP)
    token = suppress_fp_warnings()
    try:
        extend.sweep([(node, ct)], 0, drive=sweep)
        if callbacks.PENDING:
            callbacks.run()
    finally:
        restore_fp_warnings(token)
        MODES.set(None)
        if callbacks.PENDING:
            callbacks.end(())
    return True
