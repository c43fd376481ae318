"""autocast: a context in which operations run in a smaller type. Switched off it changes nothing; on it is refused."""

from ..modes.grad_mode import ContextDecorator
from ..types import dtypes
from ..types.devices import count
from ..types.size import device as Device


class autocast(ContextDecorator):  # noqa: N801 (torch's name)
    """A context in which PyTorch runs some operations in a smaller type.

    Args:
        device_type: "cpu", or "cuda"; that is switched off where there is no device, as in PyTorch.
        dtype: the smaller type; by default bfloat16.
        enabled: False changes nothing.
    Raises:
        NotImplementedError: it is switched on: which operation is cast is not implemented; cast the model
            and its inputs with `.to(torch.bfloat16)`.
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = device_type
        self.fast_dtype = dtypes.bfloat16 if dtype is None else dtype
        self._enabled = bool(enabled) and (device_type == "cpu" or device_type == "cuda" and count() > 0)

    def clone(self):
        """A context with the same arguments."""
        return type(self)(self.device, self.fast_dtype, self._enabled)

    def __enter__(self):
        if self._enabled:
            raise NotImplementedError(
                f"torch.autocast({self.device!r}, dtype={self.fast_dtype}) is not implemented: which operations "
                "PyTorch casts is not known here; leave it out, or pass enabled=False, or cast the model and its "
                "inputs with .to(torch.bfloat16)")
        return self

    def __exit__(self, *exc):
        return False


def custom_fwd(fwd=None, *, device_type="cpu", cast_inputs=None):
    """The forward of a Function as it is: no operation is cast here."""
    return fwd if fwd is not None else lambda f: f


def custom_bwd(bwd=None, *, device_type="cpu"):
    """The backward of a Function as it is: no operation is cast here."""
    return bwd if bwd is not None else lambda f: f


def is_autocast_available(device_type):
    """False: autocast can only be switched off."""
    return False


def is_autocast_enabled(device_type=None):
    """False: there is no autocast."""
    return False


def is_autocast_cpu_enabled():
    """False: there is no autocast."""
    return False


def is_autocast_cache_enabled():
    """True, as in PyTorch unless it is switched off; nothing is cached."""
    return True


def get_autocast_dtype(device_type):
    """The smaller type of a kind of device: bfloat16 of "cpu", float16 of others."""
    return dtypes.bfloat16 if Device(device_type).type == "cpu" else dtypes.float16


def get_autocast_cpu_dtype():
    """bfloat16."""
    return dtypes.bfloat16


def get_autocast_gpu_dtype():
    """float16."""
    return dtypes.float16
