"""Size, device, layout and memory formats: the small objects that tensors show."""

from operator import index

from ..modes.modes import enter, leave
from .arrays import cupy

of_ints = tuple.__new__  # `of_ints(Size, shape)`, of what is known to hold integers


def as_int(i, n):
    """An entry of a shape: an integer of any kind, tensors of one element among them."""
    try:
        return index(n)
    except TypeError:
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')") from None


class Size(tuple):
    """The shape of a tensor: a tuple that prints as torch's.

    >>> import covector.compat.torch as torch
    >>> torch.zeros(2, 3).size(), torch.Size([2, 3]).numel()
    (torch.Size([2, 3]), 6)
    """

    __slots__ = ()

    def __new__(cls, sizes=()):
        return of_ints(cls, [n if type(n) is int else as_int(i, n) for i, n in enumerate(sizes)])

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def numel(self):
        """The number of elements."""
        n = 1
        for k in self:
            n *= k
        return n

    def __getitem__(self, key):
        got = tuple.__getitem__(self, key)
        return Size(got) if isinstance(key, slice) else got

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other):
        return Size(tuple(other) + tuple(self))

    def __mul__(self, n):
        return Size(tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __reduce__(self):
        return Size, (tuple(self),)


class device:  # noqa: N801 (torch's name)
    """The device of a tensor: `"cpu"`, or `"cuda"` with an index.

    >>> import covector.compat.torch as torch
    >>> torch.device("cpu"), torch.device("cuda:0").index
    (device(type='cpu'), 0)
    """

    __slots__ = ("entered", "index", "type")

    def __init__(self, type=None, index=None):  # noqa: A002
        if isinstance(type, device):
            type, index = type.type, type.index  # noqa: A001
        if type is None:
            raise TypeError("device() received an invalid combination of arguments - got (), but expected one of:\n "
                            "* (torch.device device)\n * (str type, int index = -1)\n")
        if isinstance(type, int):
            if cupy() is None:
                raise RuntimeError("Cannot access accelerator device when none is available.")
            type, index = "cuda", type  # noqa: A001
        if ":" in type:
            if index is not None:
                raise RuntimeError("type (string) must not include an index because index was passed explicitly: "
                                   f"{type}")
            whole = type
            type, _, number = type.partition(":")  # noqa: A001
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{whole}'")
            index = int(number)
        if type not in _DEVICES:
            raise RuntimeError(f"Expected one of {', '.join(_DEVICES)} device type at start of device string: {type}")
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.type = type
        self.index = index
        self.entered = ()

    def __enter__(self):
        self.entered = (*self.entered, enter(device=None if self.type == "cpu" else self))
        return self

    def __exit__(self, kind, error, trace):
        *self.entered, last = self.entered
        leave(last)

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __repr__(self):
        return f"device(type='{self.type}'" + ("" if self.index is None else f", index={self.index}") + ")"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self):
        return device, (self.type, self.index)


_DEVICES = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla",
            "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone")


class layout:  # noqa: N801 (torch's name)
    """The layout of a tensor: `torch.strided`, or `torch.sparse_coo`; of others there are the names alone."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


class memory_format(layout):  # noqa: N801 (torch's name)
    """The order of a tensor's axes in memory, as `clone`, `empty_like` and friends take it."""

    __slots__ = ()


CPU = device("cpu")
strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr, sparse_csc = layout("sparse_csr"), layout("sparse_csc")
sparse_bsr, sparse_bsc = layout("sparse_bsr"), layout("sparse_bsc")
LAYOUTS = (strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


# Values that are no arrays: what tensors of a layout other than `torch.strided` hold, and their cotangents.


class OtherLayout:
    """A value with `shape` and `dtype`, whose `tensor()` is a tensor of its layout. NumPy computes nothing of it."""

    __slots__ = ()
    __array_ufunc__ = None

    def tensor(self):
        """A tensor that holds it, without a history."""
        raise NotImplementedError

    def memory(self):
        """The array whose writes count as writes to it."""
        raise NotImplementedError
