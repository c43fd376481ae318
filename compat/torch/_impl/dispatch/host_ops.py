"""Integer and boolean outputs that NumPy alone computes: no derivative passes, and vmap calls once an example."""

import numpy as np

from ....._interpreters import Ambient
from ....._primitives import ShapeDtype, host_callback, stop_gradient
from .....extend import Batched, Opaque, make_batched
from ..state.python_data import filling
from ..types.arrays import ARRAYS
from ..types.devices import CUDA, moved
from ..types.size import CPU

ndarray = np.ndarray
DYNAMIC = ("vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. "
           "Use torch.where(mask, x, 0), or another operation whose output has one shape for all examples.")


def primal_of(v):
    """A core value without derivatives: an array, or batches of one."""
    if type(v) is Ambient:
        return primal_of(v.value)
    if isinstance(v, Batched):
        inner = primal_of(v.value)
        return v if inner is v.value else make_batched(v.owner, inner)
    if isinstance(v, Opaque):
        return v.value  # which raises: a call has no program if its body looks at elements
    return v if isinstance(v, ndarray) or type(v) in ARRAYS else stop_gradient(v)


def peek(v):
    """`bare`, or None where elements cannot be read: for shortcuts that an operation can do without."""
    return None if isinstance(v, Opaque) else primal_of(v)


def stripped(v):
    """`bare`, of a value that is only computed with."""
    return v if isinstance(v, Opaque) else primal_of(v)


def detached(v):
    """`primal_of`, of a value that is only computed with: of an operand of a program its value without derivatives."""
    return stop_gradient(v) if isinstance(v, Opaque) else primal_of(v)


def insist(check, *values):
    """`check(*arrays)`, which raises where elements are not allowed; a program asks it in each run.

    Arrays that differ between the examples of a vmap have those axes in front.
    """
    recorder = next((v.owner for v in values if isinstance(v, Opaque)), None)
    if recorder is not None:
        recorder.insist(check, values)
        return
    arrays = [numbers(v) for v in values]
    if all(a is not None for a in arrays):
        check(*arrays)


def insist_there(check, value):
    """`insist`, where what runs on a GPU looks at its elements there."""
    if isinstance(value, Opaque):
        insist(check, value)
    elif type(array := primal_of(value)) in ARRAYS:
        check(array)


def filled(value, dtype):
    """Fill value for memory of a NumPy dtype: a number, or a value without axes, which has to fit as a number does."""
    if not hasattr(value, "dtype"):
        return filling(value, dtype)
    if value.dtype == dtype:
        return value
    insist(lambda a: [filling(v, dtype) for v in a.reshape(-1).tolist()], value)
    return (value.real if value.dtype.kind == "c" and dtype.kind not in "cb" else value).astype(dtype)


def assume(test, *values):
    """Tell whether `test(*arrays)` is known to hold, for a shorter way that an operation then takes.

    A program that was made where it held asks it in each run, and gives way to the general path where it does not.
    """
    recorder = next((v.owner for v in values if isinstance(v, Opaque)), None)
    if recorder is not None:
        return recorder.assume(test, values)
    arrays = [numbers(v) for v in values]
    return all(a is not None for a in arrays) and bool(test(*arrays))


def hosted(fun, shape, dtype, *values):
    """`fun` of plain arrays, whatever transform runs.

    Args:
        fun: a function of arrays, whose output has `shape` and `dtype`.
        values: core values: arrays, or what transforms trace.
    """
    recorder = next((v.owner for v in values if isinstance(v, Opaque)), None)
    if recorder is not None:
        return recorder.hosted(fun, dtype, values)
    values = [primal_of(v) for v in values]
    if all(isinstance(v, ndarray | np.generic) for v in values):
        return np.asarray(fun(*[np.asarray(v) for v in values])).astype(dtype, copy=False)

    def answer(*arrays):
        found = np.asarray(fun(*[on_host(a) for a in arrays])).astype(dtype, copy=False)
        return moved(found, CUDA) if any(type(a) in ARRAYS and type(a) is not ndarray for a in arrays) else found

    if all(map(is_plain, values)):
        return answer(*values)
    return host_callback(answer, ShapeDtype(tuple(shape), np.dtype(dtype)), *values)


def numbers(value):
    """The plain array below a value, with those of all examples where a vmap runs; None where there is none."""
    value = primal_of(value)
    while isinstance(value, Batched):
        value = value.value
    return on_host(value)


def is_plain(value):
    """Tell whether the elements of a core value can be read."""
    return isinstance(value, ndarray | np.generic) or type(value) in ARRAYS


def constant_here(v):
    """Tell whether a core value is known to have no derivatives."""
    return type(v) in ARRAYS or isinstance(v, Opaque) and v.owner.plain


def recorded(v):
    """Tell whether a core value of the ambient level has a history or a tangent."""
    return type(v) is Ambient and (v.node is not None or v.tangent is not None)


def on_host(value):
    """The elements of a plain value as an array of NumPy, copied from a GPU; None of what is traced."""
    if isinstance(value, ndarray | np.generic):
        return np.asarray(value)
    return moved(value, CPU) if type(value) in ARRAYS else None


def known(name, value):
    """The plain array of a value whose contents decide the shape of the output, or a refusal under vmap."""
    value = primal_of(value)
    array = on_host(value)
    if array is None:
        raise NotImplementedError(f"{name} under vmap is not supported: the shape of its output depends on the values, "
                                  "which differ between examples; call it on each example")
    return array
