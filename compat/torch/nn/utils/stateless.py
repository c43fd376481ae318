"""torch.nn.utils.stateless: a module called with other tensors in place of its own."""

import warnings

from ..._impl.func.modules import functional_call as _functional_call, replacing as _replacing


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """`torch.func.functional_call` under its old name."""
    warnings.warn("`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a "
                  "future version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in "
                  "replacement.", FutureWarning, stacklevel=2)
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False, stack_weights=False):
    """A context in which tensors stand in the place of a module's, as other people's modules use it."""
    return _replacing(module, parameters_and_buffers, tie_weights, strict)
