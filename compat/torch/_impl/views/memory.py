"""The memory below a tensor: its array, and the same memory under another root."""

from operator import index

import numpy as np

from ..graph import versions
from ..state.aliases import Holder
from ..state.levels import BatchTrace
from ..types.arrays import ARRAYS, address, laid_out, over_memory
from ..types.devices import checked, moved
from ..types.tensor_type import TensorBase, shape_dtype, wrap
from .overlap import overlapping

ndarray = np.ndarray


def memory_of(t):
    """`(hidden axes, array)`: the memory below a tensor and how many axes of it vmap hides."""
    hidden = 0
    while isinstance(t.value, TensorBase):
        hidden += isinstance(t.level_trace, BatchTrace)
        t = t.value
    value = t.value
    if type(value) not in ARRAYS:
        shape, dtype = shape_dtype(t)
        value = np.broadcast_to(np.empty((), dtype), shape)
        return hidden, np.empty(shape, dtype) if value.size < 1 << 20 else value
    return hidden, value


def example_of(t):
    """The memory of a tensor, of its first example where a vmap runs: the others lie as it does."""
    hidden, array = memory_of(t)
    return array[(0,) * hidden + (Ellipsis,)] if array.size else array


def address_of(t):
    """The address of a tensor's first element; an example of a vmap has no memory of its own."""
    hidden, array = memory_of(t)
    if hidden:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
    return address(array)


def unlinked(array):
    """The same memory as an array that NumPy does not know as a view of `array`."""
    if not array.size:  # nothing to share
        return np.lib.stride_tricks.as_strided(np.empty(0, array.dtype), array.shape, array.strides) if (
            type(array) is ndarray) else over_memory(array, array.shape, array.dtype, array.data, array.strides)
    if array.dtype.kind == "V":
        return array.view()
    root = versions.root_of(array)
    if type(array) is not ndarray:
        if root is array or root.nbytes != extent(root):
            return over_memory(array, array.shape, array.dtype, array.data, array.strides)
        whole = over_memory(root, root.shape, root.dtype, root.data, root.strides)
        return laid_out(array.shape, array.dtype, versions.flat(whole), address(array) - address(root), array.strides)
    if root is array or root.nbytes != extent(root) or (
            array.nbytes == root.nbytes and array.flags.c_contiguous and root.flags.c_contiguous):  # all of it
        holder = Holder(array)
        if not array.flags.writeable and root.flags.writeable:  # NumPy's broadcasts are read-only
            holder.__array_interface__["data"] = (array.ctypes.data, False)
        out = np.asarray(holder)
    else:
        whole = np.asarray(Holder(versions.flat(root)))
        out = np.ndarray(array.shape, array.dtype, whole, array.ctypes.data - root.ctypes.data, array.strides)
    if overlapping(out):
        out.flags.writeable = False  # the lanes leave it to what refuses such writes
    return out


def twin(array, memo):
    """An array like `array` in a copy of its whole memory: two of one `deepcopy` share it as the originals do."""
    root = versions.root_of(array)
    if not root.size or root.nbytes != extent(root):
        return array.copy()
    key = ("memory", id(root))
    if key not in memo:
        memo[key] = (root.copy(order="K"), root)  # the root is held, so that its id stays its own
    new = memo[key][0]
    if array is root:
        return new
    return laid_out(array.shape, array.dtype, versions.flat(new), address(array) - address(root), array.strides)


def steps_of(array):
    """The strides of an array in elements; those of empty ones as torch gives them (NumPy's are zeros)."""
    if array.size:
        steps = [s // array.itemsize for s in array.strides]
        for i in range(len(steps) - 1, -1, -1):
            if steps[i] == 0 and array.shape[i] == 1:  # a new axis, of which NumPy says 0
                steps[i] = array.shape[i + 1] * steps[i + 1] if i + 1 < len(steps) else 1
        return tuple(steps)
    steps, n = [], 1
    for k in reversed(array.shape):
        steps.append(n)
        n *= k or 1
    return tuple(steps[::-1])


def at_axis(lengths, dim):
    """The entry of one axis in a shape or in strides, or torch's refusal."""
    if isinstance(dim, bool) or isinstance(dim, TensorBase) and (dim.dim() or dim.dtype.numpy.kind == "b"):
        raise TypeError(f"size() and stride() take an int for 'dim', but got {dim!r}; the first axis is 0")
    n, dim = max(len(lengths), 1), index(dim)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return lengths[dim]


def extent(array):
    """Bytes from the first to the last element of an array."""
    return array.itemsize + sum((n - 1) * abs(s) for n, s in zip(array.shape, array.strides))


def rebuilt(kind, array, requires, place="cpu"):
    """A tensor from its pickle, on the device where it lay."""
    t = wrap(array if place == "cpu" else moved(array, checked(place)), kind)
    t.wants_grad = requires
    return t


def counted(t):
    """A tensor whose writes are counted: any that was not made in inference mode."""
    if t.autograd_meta is not None and t.autograd_meta.inference:
        raise RuntimeError("Inference tensors do not track version counter.")
    return t
