"""Storages: the memory below tensors as bytes, and the in-place operations that change what a tensor sees of it."""

import warnings
from weakref import ref

import numpy as np

from ..dispatch.call import attach
from ..dispatch.overriding import dispatching
from ..dispatch.signatures import takes
from ..graph import versions
from ..inplace.inplace import check_inplace
from ..modes.inference import check_write
from ..modes.modes import MODES
from ..types.arrays import ARRAYS, address, laid_out, namespace
from ..types.devices import CUDA, checked, device_of, moved
from ..types.dtypes import type_word
from ..types.size import CPU
from ..types.tensor_type import TensorBase, bottom, needs_grad
from ..views.memory import steps_of

ndarray = np.ndarray


class UntypedStorage:
    """The bytes below a tensor and all that share memory with it.

    >>> import covector.compat.torch as torch
    >>> torch.tensor([1, 2], dtype=torch.int8).untyped_storage().tolist()
    [1, 2]
    """

    __slots__ = ("root",)

    def __init__(self, size=0):
        self.root = size if type(size) in ARRAYS else np.zeros(size, np.uint8)

    @property
    def device(self):
        """The device of the bytes."""
        return device_of(self.root)

    @property
    def is_cuda(self):
        """Tell whether they lie on a GPU."""
        return self.device.type == "cuda"

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """The first `nbytes` bytes of a file, read when they are looked at.

        Args:
            shared: whether writes go to the file, which is made or lengthened if need be.
        """
        try:
            if shared:
                with open(filename, "ab") as file:
                    file.truncate(max(nbytes, file.tell()))
            if not nbytes:
                return cls()
            return cls(np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,)).view(ndarray))
        except (OSError, ValueError) as error:
            mode = "read-write" if shared else "read-only"
            raise RuntimeError(f"unable to open file <{filename}> in {mode} mode: {error}") from error

    def untyped(self):
        """Itself."""
        return self

    def bytes(self):
        """The memory as an array of bytes."""
        return versions.flat(self.root).view(np.uint8)

    def nbytes(self):
        """The number of bytes."""
        return self.root.nbytes

    size = __len__ = nbytes

    def element_size(self):
        """1: its elements are bytes."""
        return 1

    def data_ptr(self):
        """The address of the first byte."""
        return address(self.root)

    def __getitem__(self, key):
        found = self.bytes()[key]
        return UntypedStorage(found) if isinstance(key, slice) else int(found)

    def __setitem__(self, key, value):
        self.bytes()[key] = moved(value, self.device) if type(value) in ARRAYS else value
        versions.bump(self.root)

    def __iter__(self):
        return iter(self.tolist())

    def fill_(self, value):
        """Every byte becomes `value`."""
        self[:] = value
        return self

    def copy_(self, source, non_blocking=None):
        """The bytes become those of another storage, of any device."""
        self[:] = moved(source.bytes(), self.device)
        return self

    def clone(self):
        """A copy."""
        return UntypedStorage(self.bytes().copy())

    def tolist(self):
        """The bytes as a list."""
        return self.bytes().tolist()

    def cpu(self):
        """Itself, or a copy on the CPU."""
        return self if not self.is_cuda else UntypedStorage(moved(self.bytes(), CPU))

    def cuda(self, device=None, non_blocking=False):
        """Itself, or a copy on the GPU."""
        place = checked(CUDA if device is None else device)
        return self if self.is_cuda else UntypedStorage(moved(self.bytes(), place))

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and other.root is self.root

    def __hash__(self):
        return id(self.root)

    def __repr__(self):
        return "".join(f" {v}\n" for v in self.tolist()) + (
            f"[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]")


class TypedStorage:
    """The memory below a tensor as numbers of its dtype."""

    __slots__ = ("_untyped_storage", "dtype")

    def __init__(self, wrap_storage, dtype):
        self._untyped_storage = wrap_storage
        self.dtype = dtype

    @property
    def device(self):
        """The device of the elements."""
        return self._untyped_storage.device

    @property
    def is_cuda(self):
        """Tell whether they lie on a GPU."""
        return self._untyped_storage.is_cuda

    def numbers(self):
        """The memory as an array of the dtype."""
        return self._untyped_storage.bytes().view(self.dtype.numpy)

    def untyped(self):
        """The bytes."""
        return self._untyped_storage

    def __len__(self):
        return self.numbers().size

    size = __len__

    def nbytes(self):
        """The number of bytes."""
        return self._untyped_storage.nbytes()

    def data_ptr(self):
        """The address of the first number."""
        return self._untyped_storage.data_ptr()

    def element_size(self):
        """Bytes a number."""
        return self.dtype.itemsize

    def __getitem__(self, key):
        return self.numbers()[key].tolist()

    def __setitem__(self, key, value):
        self.numbers()[key] = value
        versions.bump(self._untyped_storage.root)

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        """The numbers as a list."""
        return self.numbers().tolist()


def memory(t, what):
    """The array of a tensor with memory of its own, outside transforms."""
    b = bottom(t)
    if type(b) not in ARRAYS or isinstance(t.value, TensorBase):
        raise NotImplementedError(f"{what} of a value of a running transform is not supported: it does not own its "
                                  f"memory")
    return b


def untyped_storage(self):
    """The memory below the tensor as bytes."""
    return UntypedStorage(versions.root_of(memory(self, "untyped_storage()")))


def storage(self):
    """The memory below the tensor as numbers; deprecated in favour of `untyped_storage`."""
    warnings.warn("TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only "
                  "storage class. This should only matter to you if you are using storages directly.  To access "
                  "UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()", UserWarning,
                  stacklevel=2)
    return TypedStorage(untyped_storage(self), self.dtype)


def over(root, dtype, offset, size, stride):
    """An array over memory; sizes, strides and offset in elements."""
    item = dtype.itemsize
    last = offset + sum((n - 1) * s for n, s in zip(size, stride)) + 1 if all(size) else 0
    if last * item > root.nbytes:
        raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
                           f"itemsize {item} requiring a storage size of {last * item} are out of bounds for storage "
                           f"of size {root.nbytes}")
    if not all(size):
        return namespace(root).empty(size, dtype)
    return laid_out(size, dtype, versions.flat(root), offset * item, [s * item for s in stride])


def contiguous_steps(size):
    """The strides of a tensor whose elements lie in order."""
    return steps_of(np.broadcast_to(np.empty((), np.int8), (*size, 0)))[:-1] if 0 in size else tuple(
        np.cumprod([1, *size[::-1]])[:-1][::-1].tolist())


def recorded(t, refusal):
    """Refuse to change the memory of a tensor with a history, and of one made in inference mode outside of that."""
    check_write(t)
    m = MODES.get()
    if needs_grad(t) and (m is None or m.grad):
        check_inplace(t)
        raise RuntimeError(refusal)
    if t.autograd_meta is not None and t.autograd_meta.base is not None:
        raise NotImplementedError("changing the memory of a view in place is not supported: its base would not be "
                                  "updated; "
                                  "detach() it first")


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Replace the memory, shape and strides of the tensor."""
    array = memory(self, "set_()")
    if isinstance(source, TensorBase):
        if source.dtype is not self.dtype:
            raise RuntimeError(f"Could not set tensor of type {c_word(source.dtype)} to a tensor of type "
                               f"{c_word(self.dtype)}")
        recorded(self, "set_ of a tensor that requires grad is not supported; set_ its detach()")
        value = memory(source, "set_()")
        check_place(self, value)
        if size is not None:
            root = versions.root_of(value)
            value = over(root, value.dtype, storage_offset, tuple(size), tuple(stride or contiguous_steps(size)))
    else:
        recorded(self, "set_ of a tensor that requires grad is not supported; set_ its detach()")
        if source is None:
            value = namespace(array).empty(0, array.dtype)
        elif not isinstance(source, TypedStorage | UntypedStorage):
            raise TypeError(f"set_() received an invalid combination of arguments - got ({type(source).__name__}), but "
                            "expected one of:\n * ()\n * (torch.Storage source)\n * (torch.Storage source, int "
                            "storage_offset, tuple of ints size, tuple of ints stride = None)\n * (Tensor source)\n * "
                            "(Tensor source, int storage_offset, tuple of ints size, tuple of ints stride = None)\n")
        else:
            if isinstance(source, TypedStorage) and source.dtype is not self.dtype:
                raise RuntimeError(f"Expected a Storage of type {c_word(self.dtype)} or an UntypedStorage, but got "
                                   f"type {type_word(source.dtype.numpy)} for argument 1 'storage'")
            root = (source._untyped_storage if isinstance(source, TypedStorage) else source).root
            check_place(self, root)
            size = (root.nbytes // array.itemsize,) if size is None else tuple(size)
            value = over(root, array.dtype, storage_offset, size,
                         contiguous_steps(size) if stride is None else tuple(stride))
    self.value = value
    return self


def check_place(t, memory):
    """Refuse memory of another device."""
    if device_of(memory) != t.device:
        raise RuntimeError(f'Attempted to set the storage of a tensor on device "{t.device}" to a storage on different '
                           f'device "{device_of(memory)}".  This is no longer allowed; the devices must match.')


def c_word(dtype):
    """The C++ name that torch shows."""
    return {"int64": "long int", "int32": "int", "float32": "float", "float64": "double", "int16": "short int",
            "int8": "signed char", "uint8": "unsigned char", "bool": "bool"}.get(dtype.name, dtype.name)


@takes("ints size, *, any memory_format=")
def resize_(self, *sizes, memory_format=None, size=None):
    """Change the shape of the tensor in place; its memory grows if necessary."""
    sizes = sizes if size is None else (*sizes, size)
    sizes = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    array = memory(self, "resize_()")
    if needs_grad(self) and not self.is_inference():
        raise RuntimeError("cannot resize variables that require grad")
    if any(n < 0 for n in sizes):
        raise RuntimeError("numel: integer multiplication overflow")
    if tuple(sizes) == array.shape:
        return self
    recorded(self, "")
    root = versions.root_of(array)
    count = int(np.prod(sizes, dtype=np.int64))
    offset = (address(array) - address(root)) // array.itemsize
    if (offset + count) * array.itemsize <= root.nbytes and root.dtype == array.dtype:
        self.value = over(root, array.dtype, offset, tuple(sizes), contiguous_steps(sizes))
        versions.bump(root)
        return self
    fresh = namespace(array).zeros(count, array.dtype)
    fresh[: root.size] = versions.flat(root)
    shape, steps = array.shape, [step // array.itemsize for step in array.strides]
    writes, alive = versions.version(root) + 1, ref(root)
    self.value = fresh.reshape(sizes)
    del array, root
    if (root := alive()) is not None:
        self.value = over(root, root.dtype, offset, shape, steps)
        raise NotImplementedError(f"resize_ to {list(sizes)} needs more memory than there is, and other tensors share "
                                  "it; make a new tensor, or resize before sharing")
    for _ in range(writes):
        versions.bump(fresh)  # the counter goes on
    return self


@dispatching
@takes("Tensor the_template, *, any memory_format=")
def resize_as_(self, the_template, *, memory_format=None):
    """`self.resize_(the_template.shape)`."""
    return resize_(self, tuple(the_template.shape))


def restride(self, size, stride, storage_offset):
    """`as_strided` in place, of a tensor without history."""
    array = memory(self, "as_strided_()")
    recorded(self, "")
    root = versions.root_of(array)
    offset = (address(array) - address(root)) // array.itemsize if storage_offset is None else storage_offset
    self.value = over(root, array.dtype, offset, tuple(size), tuple(stride))
    versions.bump(root)
    return self


@takes("Tensor tensor")
def is_set_to(self, tensor):
    """Tell whether both see the same memory in the same way."""
    a, b = memory(self, "is_set_to()"), memory(tensor, "is_set_to()")
    return (versions.root_of(a) is versions.root_of(b) and address(a) == address(b) and a.shape == b.shape
            and a.strides == b.strides)


def is_same_size(self, other):
    """Tell whether the shapes are equal."""
    return self.shape == other.shape


for _f in (untyped_storage, storage, set_, resize_, resize_as_, is_set_to, is_same_size):
    attach(_f.__name__, _f)
