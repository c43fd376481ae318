"""From tensors to numbers, lists and NumPy, and between dtypes."""

import numpy as np

from .....extend import REGISTRY
from ..dispatch.call import ROWS, attach, compute, operation
from ..dispatch.layouts import LIKE_FIRST
from ..dispatch.overriding import default_torch_function, dispatching
from ..dispatch.telling import by_mode, given
from ..inplace.inplace import chain
from ..modes.modes import MODES, modes
from ..state.aliases import expose
from ..state.levels import BatchTrace, GradTrace, concrete
from ..state.meta import NO_DATA, is_meta, meta_tensor, on_device, on_meta
from ..state.python_data import warn_imaginary, warn_of_history
from ..types import dtypes
from ..types.devices import NO_BFLOAT16, checked, count
from ..types.memory_formats import order_of, preserves
from ..types.parameter import made_subclass
from ..types.size import CPU, device as Device
from ..types.tensor_type import FOREIGN, TensorBase, needs_grad
from ..values.core_values import transfer
from ..values.tangents import tangent_of
from ..views.fast import counting
from .type_names import meant, name_of

ndarray = np.ndarray


def item(self):
    """The only element as a Python number."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(item, (self,), {})
    if type(self.value) is not ndarray and is_meta(self):
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")
    b = self.value if self.level_trace is None else concrete(self, "item")
    if isinstance(b, int | float | complex | bool):
        return b
    if b.size != 1:
        raise RuntimeError(f"a Tensor with {b.size} elements cannot be converted to Scalar")
    return b.item()


item = counting(item)


def tolist(self):
    """Nested lists of Python numbers."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(tolist, (self,), {})
    b = self.value if self.level_trace is None else concrete(self, "tolist")
    return b.tolist()


def numpy(self, *, force=False):
    """The memory as a NumPy array, shared; writes on either side are seen on the other."""
    if type(self.value) is not ndarray and is_meta(self):
        raise TypeError("can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                        "memory first.")
    if type(self.value) is not ndarray and on_device(self):
        if not force:
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                            "host memory first.")
        self = self.detach().to(CPU)
    if force:
        b = concrete(self, "numpy")
        return b.copy() if needs_grad(self) else expose(b)
    if modes().grad and needs_grad(self) and not isinstance(self.level_trace, BatchTrace):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    b = concrete(self, "numpy")
    if self.level_trace is not None and any(
            isinstance(u.level_trace, GradTrace) and tangent_of(u) is not None for u in chain(self)):
        raise RuntimeError("Can't call numpy() on a Tensor that func.jvp pushes a tangent through: it would be lost. "
                           "Use tensor.detach().numpy() instead.")
    if self.dtype is dtypes.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    return expose(b)


def as_array(self, dtype=None, copy=None):
    """NumPy's `__array__`."""
    array = numpy(self)
    if dtype is not None and np.dtype(dtype) != array.dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


def number(kind, what):
    """`float(t)` and related functions."""
    warns = kind in (float, complex)

    def convert(self):
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(convert, (self,), {})
        if warns and needs_grad(self):
            warn_of_history(stacklevel=3)
        b = self.value if self.level_trace is None else concrete(self, "item")
        if b.size != 1:
            if kind in (bool,):
                if b.size == 0:
                    raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
                raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
            raise ValueError("only one element tensors can be converted to Python scalars")
        value = b.item()
        if kind is not complex and isinstance(value, complex) and kind is not bool:
            if value.imag:
                raise RuntimeError(f"value cannot be converted to type {what} without overflow")
            value = value.real
        return kind(value)

    return convert


def truth(self):
    """`bool(t)` of one element; under vmap torch's refusal."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(truth, (self,), {})
    u = self
    while isinstance(u.value, TensorBase):
        if isinstance(u.level_trace, BatchTrace) and not u.level_trace.done:
            raise RuntimeError("vmap: It looks like you're attempting to use a Tensor in some data-dependent control "
                               "flow. We don't support that yet; use torch.where(condition, x, y), which takes a "
                               "branch for each example.")
        u = u.value
    if u.level_trace is FOREIGN and not is_meta(u):
        return bool(u.value)
    return _BOOL(self)


_BOOL = number(bool, "bool")


def index(self):
    """`operator.index(t)`: an integer of one element."""
    if self.dtype.category > 1 or self.numel() != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(self))


def iterate(self):
    """The indices of the first axis."""
    if not self.dim():
        raise TypeError("iteration over a 0-d tensor")
    return iter(ROWS["unbind"].fun(self, 0))


def contains(self, element):
    """Tell whether any element equals `element`."""
    if isinstance(element, TensorBase | int | float | complex | bool):
        return bool((element == self).any())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


@operation("_to_copy", method=False, register=False, node="ToCopyBackward0", out=False, blind=True, layout=LIKE_FIRST)
def cast(input, dtype):
    """A copy in another dtype."""
    if input.dtype.kind == "c" and dtype.kind not in "cb":
        warn_imaginary()
        input = input.real
    if input.dtype.itemsize == 2 and dtype.kind == "f":
        return REGISTRY["cast"].fun(input, dtype)  # which has loops for half precision
    return input.astype(dtype)


@operation("_copy", method=False, register=False, node="ToCopyBackward0", out=False, layout=LIKE_FIRST)
def copied(input):
    """A copy."""
    return REGISTRY["duplicate"].fun(input)


@operation("_to_device", method=False, register=False, node="ToCopyBackward0", out=False)
def transferred(input, here, there):
    """A copy on another device."""
    return transfer(input, here, there)


def placed(self, place):
    """A tensor on the CPU or on a GPU; itself where it lies there."""
    here = self.device.type
    if place.type == "cuda" and self.dtype is dtypes.bfloat16:
        raise NotImplementedError(NO_BFLOAT16)
    return self if here == place.type else compute(transferred.row, transferred, (self, here, place.type), {})


def converted(self, dtype, copy=False, memory_format=None):
    """A tensor of another dtype and order of axes; itself if it has them."""
    out = self
    if dtype is not None and dtype is not self.dtype:
        if dtype is dtypes.bfloat16 and self.is_cuda:
            raise NotImplementedError(NO_BFLOAT16)
        out = cast(self, dtype)
    if not preserves(memory_format) and not out.is_contiguous(memory_format):
        order_of(memory_format, out.ndim)
        return ROWS["clone"].fun(out, memory_format=memory_format)
    return copied(out) if copy and out is self else out


_SIGNATURES = """ * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = \
False, *, torch.memory_format memory_format = None)
 * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)
 * (Tensor other, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)"""


@dispatching
def to(self, *args, **kwargs):
    """A tensor of another dtype or device: `to(dtype)`, `to(device, dtype)`, `to(other)`."""
    if len(args) == 1 and not kwargs and type(self.value) is ndarray:
        (given,) = args
        kind = given if type(given) is dtypes.dtype else given.dtype if (
            isinstance(given, TensorBase) and type(given.value) is ndarray) else None
        if kind is not None:
            return converted(self, kind)
        if type(given) is str and given == "cpu":
            return self
    names = ["non_blocking", "copy"]
    if args and (isinstance(args[0], TensorBase | dtypes.dtype) or type(args[0]) is type):
        names = ["other" if isinstance(args[0], TensorBase) else "dtype", *names]
    elif args and (isinstance(args[0], str | Device) or args[0] is None or type(args[0]) is int):
        names = ["device", "dtype", *names]
    given = dict(zip(names, args))
    known = {"device", "dtype", "other", "non_blocking", "copy", "memory_format"}
    if len(args) > len(names) or given.keys() & kwargs.keys() or not kwargs.keys() <= known:
        words = ", ".join([type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()])
        raise TypeError(f"to() received an invalid combination of arguments - got ({words}, ), but expected one of:\n"
                        + _SIGNATURES)
    given |= kwargs
    dtype, device = dtypes.torch_dtype(given.get("dtype")), given.get("device")
    if "other" in given:
        dtype = given["other"].dtype
    if dtype is not None and not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"to(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")
    for name in ("non_blocking", "copy"):
        if not isinstance(given.get(name, False), bool):
            raise TypeError(f"to(): argument '{name}' must be bool, not {type(given[name]).__name__}")
    if "other" in given:
        device = given["other"].device
    if on_meta(device) and not is_meta(self):
        return meta_tensor(self.shape, (dtype or self.dtype).numpy, self.requires_grad and self.is_leaf)
    if device is not None and not on_meta(device):
        place = checked(device)
        if is_meta(self):
            raise NotImplementedError(NO_DATA + "Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() "
                                      "when moving module from meta to a different device.")
        there = placed(self, place)
        if there is not self:
            return converted(there, dtype, False, given.get("memory_format"))
    return converted(self, dtype, given.get("copy", False), given.get("memory_format"))


def type_(self, dtype=None, non_blocking=False):
    """The name of the tensor's type, or the tensor cast to one."""
    if dtype is None:
        return name_of(self)
    kind, place = meant(dtype)
    return converted(self if place is None else placed(self, place), kind)


def pin_memory(self, device=None):
    """A copy in ordinary memory, from which copies to a GPU are made as well: none is pinned.

    Raises:
        RuntimeError: there is no device that memory could be pinned for, or the tensor lies on it.
    """
    if self.is_cuda:
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    if count():
        return copied(self)
    raise RuntimeError("Cannot access accelerator device when none is available: pin_memory() keeps memory in place "
                       "for a device, and there is none; leave it out")


def casting(dtype):
    """`Tensor.float` and related methods."""

    def cast_to(self, memory_format=None):
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(cast_to, (self,), given(memory_format=memory_format))
        return converted(self, dtype, False, memory_format)

    return cast_to


def cpu(self, memory_format=None):
    """A copy in ordinary memory; the tensor itself if it lies there."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(cpu, (self,), given(memory_format=memory_format))
    return self if type(self.value) is ndarray else self.to(CPU)


def type_as(self, other):
    """`self.to(other)`."""
    if not isinstance(other, TensorBase):
        raise TypeError(f"type_as(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    return to(self, other)


def cuda(self, device=None, non_blocking=False, memory_format=None):
    """A copy on the GPU; the tensor itself if it lies there.

    Raises:
        AssertionError: CuPy is not installed, or finds no device.
    """
    return to(self, "cuda" if device is None else device, memory_format=memory_format)


for _name, _fun in {"item": item, "tolist": tolist, "numpy": numpy, "__array__": as_array,
                    "__float__": number(float, "double"), "__int__": number(int, "int64_t"),
                    "__complex__": number(complex, "complex"), "__bool__": truth, "__index__": index,
                    "__iter__": iterate, "__contains__": contains, "to": to, "type": type_, "type_as": type_as,
                    "cpu": cpu, "cuda": cuda,
                    "resolve_conj": lambda self: self,
                    "resolve_neg": lambda self: self, "is_conj": lambda self: False, "is_neg": lambda self: False,
                    "is_pinned": lambda self, device=None: False, "pin_memory": pin_memory,
                    "share_memory_": lambda self: self, "is_shared": lambda self: False,
                    "get_device": lambda self: 0 if self.is_cuda else -1}.items():
    attach(_name, _fun)
for _name, _dtype in {**dtypes.ALIASES, "bool": dtypes.bool_, "byte": dtypes.uint8, "char": dtypes.int8,
                      "bfloat16": dtypes.bfloat16}.items():
    attach(_name, casting(_dtype))
attach("__torch_function__", classmethod(default_torch_function))
attach("_make_subclass", staticmethod(made_subclass))
