"""torch.utils._python_dispatch: nothing dispatches in Python here; its modes are refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts(
    "utils._python_dispatch",
    "BaseTorchDispatchMode TorchDispatchMode",
    "return_and_correct_aliasing transform_subclass"))


def is_traceable_wrapper_subclass(t):
    """False: no subclass wraps tensors by `__tensor_flatten__`."""
    return False
