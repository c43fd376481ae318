"""Running statistics: buffers that normalization writes to below every derivative, as PyTorch's kernels do."""

import numpy as np

from ..graph import versions
from ..inplace.inplace import open_array
from ..modes.modes import MODES, modes, restore, set_modes
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..state.levels import BatchTrace, GradTrace, mapped
from ..types.tensor_type import TensorBase, at_level

ndarray = np.ndarray


def check_running(input, *running):
    """Refuse to update what all examples of a vmap share, or what asks for a gradient, before any of it is written."""
    if mapped(input) and not all(r is None or mapped(r) for r in running):
        raise RuntimeError("Batch norm got a batched tensor as input while the running_mean or running_var, which will "
                           "be updated in place, were not batched.\nIf you are using a module and do not need eval "
                           "mode, please set `track_running_stats` to be False.If you are using a prebuilt module and "
                           "do not need eval mode, please see the functorch website for resources on how to patch your "
                           "module to work with vmap")
    check_constant(*running)


def check_constant(*running):
    """Refuse running statistics that ask for a gradient, where one is recorded."""
    for argument, r in zip(("running_mean", "running_var"), running):
        if r is not None and r.requires_grad and modes().grad:
            raise RuntimeError(f"The function 'native_batch_norm' is not differentiable with respect to argument "
                               f"'{argument}'. This input cannot have requires_grad True.")


def track(running, found, momentum, factor=1.0):
    """Move a running statistic towards a multiple of what was found; neither is differentiated, at any level."""
    array, new = open_array(running, MODES.get()), found.value
    if type(array) is type(new) is ndarray and array.dtype is new.dtype and array.shape == new.shape:
        token = error_state()
        try:
            suppress_fp_warnings()
            array *= 1 - momentum
            array += new * (momentum * factor)
        finally:
            restore_fp_warnings(token)
        versions.bump(array)
        return
    before = MODES.get()
    try:
        set_modes(level=None, lower=(), grad=False)
        _below(running).mul_(1 - momentum).add_(_below(found.detach()) * (momentum * factor))
    finally:
        restore(before)


def _below(t):
    """A tensor without the levels of derivatives, and with those of batches; it shares its memory."""
    if not isinstance(t.value, TensorBase):
        return t
    inner = _below(t.value)
    if type(t.level_trace) is GradTrace:
        return inner
    return t if inner is t.value or type(t.level_trace) is not BatchTrace else at_level(t.level_trace, inner)
