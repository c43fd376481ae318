"""torch.nn.utils.init: modules without initial values."""

import inspect

from ..._impl.module.module import Module


def skip_init(module_cls, *args, **kwargs):
    """A module whose parameters and buffers are not initialized: fresh memory.

    Args:
        module_cls: a class whose constructor takes `device`; `args` and `kwargs` are its arguments.
    Raises:
        RuntimeError: another class.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs).to_empty(device=device)
