"""Running statistics: buffers that normalization writes to below every derivative, as PyTorch's kernels do."""

from ..modes.modes import restore, set_modes
from ..state.concrete import mapped
from ..state.levels import BatchTrace, GradTrace
from ..types.tensor_type import TensorBase, at_level


def check_running(input, *running):
    """Refuse to update what all examples of a vmap share, or what asks for a gradient, before any of it is written."""
    if mapped(input) and not all(r is None or mapped(r) for r in running):
        raise RuntimeError("Batch norm got a batched tensor as input while the running_mean or running_var, which will "
                           "be updated in place, were not batched.\nIf you are using a module and do not need eval "
                           "mode, please set `track_running_stats` to be False.If you are using a prebuilt module and "
                           "do not need eval mode, please see the functorch website for resources on how to patch your "
                           "module to work with vmap")
    for argument, r in zip(("running_mean", "running_var"), running):
        if r is not None and r.requires_grad:
            raise RuntimeError(f"The function 'native_batch_norm' is not differentiable with respect to argument "
                               f"'{argument}'. This input cannot have requires_grad True.")


def track(running, found, momentum):
    """Move a running statistic towards the one that was found; neither is differentiated, at any level."""
    before = set_modes(level=None, lower=(), grad=False)
    try:
        _below(running).mul_(1 - momentum).add_(_below(found.detach()) * momentum)
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
