"""A module's tensors in another dtype, at another place."""

from ..dispatch.surface import asking_first
from ..factories import creation
from ..modes.grad_mode import no_grad
from ..modes.modes import restoring
from ..state.meta import is_meta
from ..types import dtypes
from ..types.parameter import Parameter
from ..types.size import device as Device
from ..types.tensor_type import TensorBase
from .held_tensors import is_lazy

_empty_like = asking_first("empty_like", creation.empty_like)


class Conversion:
    """`to` and its relatives: they change the module itself, and return it."""

    @restoring
    def _apply(self, fn, recurse=True):
        if recurse:
            for module in self.children():
                module._apply(fn)
        with no_grad():
            for name, param in self._parameters.items():
                if param is None:
                    continue
                given = fn(param.data)
                if is_meta(given) or is_meta(param):
                    self._parameters[name] = Parameter(given, param.requires_grad)
                    continue
                param.data = given
                if not is_lazy(param) and param.grad is not None:
                    grad = param.grad
                    given = fn(grad.data)
                    if is_meta(given) or is_meta(grad):
                        param.grad = None
                        param.grad = given.requires_grad_(grad.requires_grad)
                    else:
                        grad.data = given  # the same tensor, as others may hold it
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs):
        """Change the dtype of floating-point parameters and buffers: `to(dtype)`, `to(device, dtype)`, `to(tensor)`,
        `to(memory_format=…)`.

        Raises:
            TypeError: a dtype that is neither floating-point nor complex.
        """
        device, dtype, _, memory_format = parsed(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got desired "
                            f"dtype={dtype}")

        def convert(t):
            own = {} if memory_format is None or t.dim() not in (4, 5) else {"memory_format": memory_format}
            if device is not None:
                t = t.to(device)
            if dtype is not None and (t.is_floating_point() or t.is_complex()):
                return t.to(dtype, **own)
            return t.contiguous(**own) if own else t

        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        """Give parameters and buffers fresh memory without setting its values."""
        return self._apply(lambda t: _empty_like(t, device=device), recurse=recurse)

    def type(self, dst_type):
        """Cast all parameters and buffers to a dtype."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Cast floating-point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """Cast floating-point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """Cast floating-point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """Cast floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self):
        """Return the module: its tensors live on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Raise as `Tensor.cuda` does: tensors live on the CPU."""
        return self._apply(lambda t: t.cuda(device))

    def share_memory(self):
        """`share_memory_()` of all parameters and buffers."""
        return self._apply(lambda t: t.share_memory_())


def parsed(*args, device=None, dtype=None, non_blocking=False, copy=False, memory_format=None, tensor=None):
    """`(device, dtype, non_blocking, memory_format)` of the arguments of `to`."""
    args = list(args)
    if args and isinstance(args[0], TensorBase):
        tensor = args.pop(0)
    if tensor is not None:
        return tensor.device, tensor.dtype, args[0] if args else non_blocking, memory_format
    if args and not isinstance(args[0], dtypes.dtype | type | bool):
        device = args.pop(0)
    if args and isinstance(args[0], dtypes.dtype | type):
        dtype = args.pop(0)
    elif args and args[0] is None:
        args.pop(0)
    if len(args) > 1 or args and not isinstance(args[0], bool):
        raise TypeError("to() received an invalid combination of arguments - got "
                        f"({', '.join(type(a).__name__ for a in args)}); give a device, a dtype or a tensor")
    dtype = dtypes.torch_dtype(dtype)
    if dtype is not None and not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"to() received an invalid combination of arguments - got {dtype!r} as dtype; "
                        "give a torch.dtype")
    return None if device is None else Device(device), dtype, args[0] if args else non_blocking, memory_format


