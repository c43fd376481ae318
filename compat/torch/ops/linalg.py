"""Products of matrices and vectors."""

import numpy as np

from .... import numpy as cnp
from ....extend import REGISTRY
from ..call import ROWS, attach, invoke, operation
from ..inplace import type_word
from ..modes import MODES
from ..product_lanes import AFFINE, affine, affine_rules, plain, product


def same_dtype(name, a, b):
    """torch's refusal of products of two dtypes."""
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_type(a.dtype)} != {c_type(b.dtype)}")


def c_type(dtype):
    """The C++ name that torch shows."""
    return {"float32": "float", "float64": "double", "int64": "long", "int32": "int", "bool": "bool",
            "float16": "c10::Half"}.get(np.dtype(dtype).name, type_word(dtype))


@operation("matmul", node="MmBackward0")
def matmul(input, other):
    """Product of matrices, vectors or batches; see PyTorch's documentation of `torch.matmul`."""
    same_dtype("matmul", input, other)
    if not input.ndim or not other.ndim:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {input.ndim}D and "
                           f"{other.ndim}D")
    k = other.shape[-2] if other.ndim > 1 else other.shape[0]
    if input.shape[-1] != k:
        raise RuntimeError(mismatch(input.shape, other.shape))
    return REGISTRY["matmul"].fun(input, other)


def mismatch(a, b):
    """torch's message for shapes that do not multiply."""
    if len(a) == 1 and len(b) == 1:
        return (f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of "
                f"elements, but got {a[0]} and {b[0]} elements respectively")
    if len(b) == 1:
        return f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})"
    if len(a) == 1:
        a = (1, *a)
    return f"mat1 and mat2 shapes cannot be multiplied ({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})"


def fast(row, fun):
    """Put a lane in the place of the general function."""
    fun.__name__ = fun.__qualname__ = row.name
    fun.__doc__ = row.body.__doc__
    fun.row = row
    row.fun = fun
    attach(row.name, fun)
    return fun


_matmul = fast(ROWS["matmul"], product(ROWS["matmul"]))
attach("__matmul__", lambda self, other: _matmul(self, other))
attach("__rmatmul__", lambda self, other: _matmul(other, self))


@operation("mm")
def mm(input, mat2):
    """Product of two matrices; see PyTorch's documentation of `torch.mm`."""
    if input.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    return matmul.row.body(input, mat2)


fast(ROWS["mm"], product(ROWS["mm"]))


@operation("addmm", inplace_form=True)
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """`beta * input + alpha * (mat1 @ mat2)`; see PyTorch's documentation of `torch.addmm`."""
    if mat1.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {mat1.ndim}-D tensor" if mat1.ndim != 2 else
                           f"mat2 must be a matrix, got {mat2.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(mismatch(mat1.shape, mat2.shape))
    same_dtype("addmm", mat1, mat2)
    same_dtype("addmm", input, mat1)
    shape = (mat1.shape[0], mat2.shape[1])
    if np.broadcast_shapes(shape, input.shape) != shape:
        raise RuntimeError(f"The expanded size of the tensor ({shape[-1]}) must match the existing size "
                           f"({input.shape[-1]}) at non-singleton dimension 1.  Target sizes: {list(shape)}.  Tensor "
                           f"sizes: {list(input.shape)}")
    if alpha == 1 and beta == 1:
        return AFFINE.fun(mat1, mat2, input)
    out = REGISTRY["matmul"].fun(mat1, mat2)
    out = out if alpha == 1 else out * alpha
    return out if beta == 0 else out + (input if beta == 1 else input * beta)


_ADDMM = affine_rules("AddmmBackward0", (2, 0, 1))


def _addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    if out is None and beta == 1 and alpha == 1 and plain(input) and plain(mat1) and plain(mat2) and MODES.get() is None:
        t = affine(mat1, mat2, input, _ADDMM)
        if t is not None:
            return t
    named = {"beta": beta, "alpha": alpha} | ({} if out is None else {"out": out})
    return invoke(ROWS["addmm"], _addmm, (input, mat1, mat2), named)


fast(ROWS["addmm"], _addmm)


@operation("dot")
def dot(input, tensor):
    """Product of two vectors; see PyTorch's documentation of `torch.dot`."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    if input.shape != tensor.shape:
        raise RuntimeError(mismatch(input.shape, tensor.shape))
    if input.dtype != tensor.dtype:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {type_word(input.dtype)} and "
                           f"{type_word(tensor.dtype)}")
    return cnp.sum(input * tensor)
