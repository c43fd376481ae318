"""torch.library: operations that users define by a function and its derivative."""

import functools as _functools

from ._impl.dispatch import surface as _surface
from ._impl.dispatch.unbuilt import parts as _parts
from ._impl.function.custom_operators import (
    EARLY_FAKES as _EARLY_FAKES,
    OPERATORS as _OPERATORS,
    CustomOpDef as CustomOpDef,
    custom_op as custom_op,
)


def _registered(op):
    found = op if isinstance(op, CustomOpDef) else _OPERATORS.get(op)
    if found is None:
        raise RuntimeError(f"{op} is not an operation that was defined by torch.library.custom_op in this process; "
                           "define it first")
    return found


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """`register_autograd` of an operation, or of the name of one."""
    _registered(op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op, func=None, /, *, lib=None):
    """`register_vmap` of an operation, or of the name of one."""
    return _registered(op).register_vmap(*(() if func is None else (func,)))


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """`register_fake` of an operation, or of the name of one, which may be defined later."""
    if func is None:
        return _functools.partial(register_fake, op)
    if isinstance(op, str) and op not in _OPERATORS:
        _EARLY_FAKES[op] = func
        return func
    return _registered(op).register_fake(func)


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """`register_kernel` of an operation, or of the name of one."""
    return _registered(op).register_kernel(device_types, *(() if func is None else (func,)))


impl_abstract = register_fake
globals().update(_parts("library", "Library", "define fallthrough_kernel get_ctx impl infer_schema opcheck "
                                              "register_autocast register_torch_dispatch triton_op wrap_triton"))
__getattr__, __dir__ = _surface.look_up("library")
_surface.publish(globals())
