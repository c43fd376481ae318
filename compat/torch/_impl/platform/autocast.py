"""autocast: a context in which some operations run in a smaller type, and what programs ask about it."""

import functools
import warnings

import numpy as np

from ..modes.autocast_mode import cast_by, casting, narrowed, switched
from ..modes.context import ModeContext
from ..modes.grad_mode import ContextDecorator
from ..modes.modes import enter
from ..types import dtypes
from ..types.devices import count
from ..types.size import device as Device
from ..types.tensor_type import TensorBase

KINDS = frozenset(("cpu", "cuda", "xpu", "mps", "hpu", "mtia", "maia", "ipu", "xla"))
SUPPORTED = dtypes.bfloat16, dtypes.float16


class autocast(ModeContext, ContextDecorator):  # noqa: N801 (torch's name)
    """A context in which products of matrices and convolutions run in a smaller type, and losses in float32.

    Args:
        device_type: "cpu", or "cuda"; that is switched off where there is no device, as in PyTorch.
        dtype: the smaller type; by default bfloat16, on "cuda" float16.
        enabled: False switches it off inside.
        cache_enabled: what `is_autocast_cache_enabled` says inside; nothing is cached.
    Raises:
        NotImplementedError: it is switched on for a device that is there.

    >>> import covector.compat.torch as torch
    >>> x = torch.ones(2, 2)
    >>> with torch.autocast("cpu"):
    ...     y = x @ x
    >>> y.dtype, (y + x).dtype
    (torch.bfloat16, torch.float32)
    """

    gives_itself = True

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda" and not count():
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in SUPPORTED:
            kind = device_type.upper()
            warnings.warn(f"In {kind} autocast, but the target dtype is not supported. Disabling autocast.\n{kind} "
                          f"Autocast only supports dtypes of {', '.join(map(str, SUPPORTED))} currently.", stacklevel=2)
            enabled = False
        self._enabled = enabled
        super().__init__()

    def __call__(self, fun):
        if not callable(fun):
            raise TypeError(f"autocast()(func) requires a callable, but got {type(fun).__name__}. Did you mean to use "
                            "autocast as a context manager? For example:\n    with torch.autocast(device_type=...):\n"
                            "        output = model(input)")
        return super().__call__(fun)

    def clone(self):
        """The context itself, which can be entered again."""
        return self

    def switch(self):
        if self._enabled and self.device != "cpu":
            raise NotImplementedError(f"torch.autocast({self.device!r}, dtype={self.fast_dtype}) is not implemented: "
                                      "only operations on the CPU are cast; leave it out, or pass enabled=False, or "
                                      f"cast the model and its inputs with .to({self.fast_dtype})")
        new = narrowed(switched(casting(), self.device, self._enabled), self.device, self.fast_dtype,
                       usual(self.device))
        new = new._replace(cached=bool(self._cache_enabled), nesting=new.nesting + 1)
        return enter(autocast=new if new.on or new.small or not new.cached else None)


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Decorate the forward of a Function, whose backward then runs under autocast as forward did.

    Args:
        cast_inputs: the type that floating-point tensors are cast to under autocast; forward then runs without it.
    """
    check_kind(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args, **kwargs):
        ctx, on = args[0], is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = on and cast_inputs is None
        if not on or cast_inputs is None:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*cast_all(args, device_type, cast_inputs), **cast_all(kwargs, device_type, cast_inputs))

    return forward


def custom_bwd(bwd=None, *, device_type):
    """Decorate the backward of a Function whose forward has `custom_fwd`."""
    check_kind(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(*args, **kwargs):
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return backward


def check_kind(device_type):
    """Refuse what is no name of a kind of device."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def cast_all(value, device_type, dtype):
    """A nest with its floating-point tensors in another type, but for float64."""
    if isinstance(value, TensorBase):
        fits = value.is_floating_point() and value.device.type == device_type and value.dtype is not dtypes.float64
        return value.to(dtype) if fits else value
    if isinstance(value, str | bytes | np.ndarray):
        return value
    if isinstance(value, dict):
        return {cast_all(k, device_type, dtype): cast_all(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(cast_all(v, device_type, dtype) for v in value)
    return value


def usual(device_type):
    """The smaller type of a kind of device unless another is set: bfloat16 of "cpu", float16 of others."""
    return dtypes.bfloat16 if Device(device_type).type == "cpu" else dtypes.float16


def is_autocast_available(device_type):
    """Tell whether there is autocast for a kind of device; for all but "cpu" it can only be off here."""
    return Device(device_type).type in KINDS


def is_autocast_enabled(device_type="cuda"):
    """Tell whether autocast is on for a kind of device."""
    return device_type in casting().on


def is_autocast_cpu_enabled():
    """Tell whether autocast is on for the CPU."""
    return "cpu" in casting().on


def set_autocast_enabled(*args):
    """Switch autocast on or off: `(device_type, enabled)`, or `(enabled)` for "cuda"."""
    device_type, enabled = args if len(args) == 2 else ("cuda", *args)
    if enabled and device_type != "cpu" and count():
        raise NotImplementedError(f"set_autocast_enabled({device_type!r}, True) is not implemented: only operations on "
                                  "the CPU are cast")
    cast_by(switched(casting(), device_type, enabled))


def set_autocast_cpu_enabled(enabled):
    """Switch autocast on or off for the CPU."""
    set_autocast_enabled("cpu", enabled)


def get_autocast_dtype(device_type):
    """The smaller type of a kind of device: bfloat16 of "cpu", float16 of others, unless another is set."""
    return dict(casting().small).get(device_type) or usual(device_type)


def set_autocast_dtype(device_type, dtype):
    """Set the smaller type of a kind of device."""
    cast_by(narrowed(casting(), device_type, dtype, usual(device_type)))


def get_autocast_cpu_dtype():
    """The smaller type of the CPU."""
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype):
    """Set the smaller type of the CPU."""
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype():
    """The smaller type of "cuda"."""
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype):
    """Set the smaller type of "cuda"."""
    set_autocast_dtype("cuda", dtype)


def is_autocast_cache_enabled():
    """Tell whether casts of weights may be kept; nothing is cached here."""
    return casting().cached


def set_autocast_cache_enabled(enabled):
    """Set what `is_autocast_cache_enabled` says."""
    cast_by(casting()._replace(cached=bool(enabled)))


def clear_autocast_cache():
    """Nothing: casts are not kept."""


def autocast_increment_nesting():
    """Count an autocast that is entered."""
    cast_by(casting()._replace(nesting=casting().nesting + 1))
    return casting().nesting


def autocast_decrement_nesting():
    """Count an autocast that is left."""
    cast_by(casting()._replace(nesting=casting().nesting - 1))
    return casting().nesting
