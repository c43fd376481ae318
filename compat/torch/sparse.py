"""torch.sparse: sums, products and softmax of sparse tensors in coordinate format."""

import numpy as _np

from ._impl.dispatch import surface as _surface
from ._impl.sparse import room as _room
from ._impl.types import dtypes as _dtypes
from ._impl.types.tensor_type import TensorBase as _TensorBase


def _needs_sparse(name, t):
    if isinstance(t, _TensorBase) and not t.is_sparse:
        raise RuntimeError("coalesce expected sparse coordinate tensor layout but got Strided; call .to_sparse() "
                           f"before sparse.{name}")


def mm(mat1, mat2, reduce=None):
    """The product of a sparse matrix with a dense or a sparse one; the gradient of the sparse one is sparse.

    >>> import covector.compat.torch as torch
    >>> s = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3), requires_grad=True)
    >>> torch.sparse.mm(s, torch.ones(3, 1)).sum().backward()
    >>> s.grad
    tensor(indices=tensor([[0, 1],
                           [2, 0]]),
           values=tensor([1., 1.]),
           size=(2, 3), nnz=2, layout=torch.sparse_coo)
    """
    if reduce is not None:
        raise NotImplementedError(f"sparse.mm(reduce={reduce!r}) is of CSR tensors, which there are not; leave reduce "
                                  "out")
    if not mat1.is_sparse and not mat2.is_sparse:
        return mat1 @ mat2
    return _room.mm(mat1, mat2, name="SparseAddmmBackward0")


def addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0):
    """`beta mat + alpha mat1 @ mat2` of a sparse matrix `mat1`."""
    return _room.addmm(mat, mat1, mat2, beta=beta, alpha=alpha, name="SparseAddmmBackward0")


def sum(input, dim=None, dtype=None):  # noqa: A001 (torch's name)
    """The sum of the elements of a sparse tensor, or along axes: sparse while a sparse axis is left."""
    _needs_sparse("sum", input)
    return _room.sparse_sum(input, dim, dtype)


def softmax(input, dim, *, dtype=None):
    """Softmax of the entries along an axis; where there is no entry, -inf is meant."""
    _needs_sparse("softmax", input)
    return _room.softmax(input, dim, dtype=dtype)


def log_softmax(input, dim, *, dtype=None):
    """The logarithm of `softmax`."""
    _needs_sparse("log_softmax", input)
    return _room.log_softmax(input, dim, dtype=dtype)


def spdiags(diagonals, offsets, shape, layout=None):
    """A sparse matrix of diagonals: `diagonals[i, j]` stands in column j of the diagonal `offsets[i]`."""
    if layout is not None and repr(layout) != "torch.sparse_coo":
        raise NotImplementedError(f"sparse.spdiags(layout={layout}): sparse tensors here are in coordinate format; "
                                  "leave layout out")
    lines = diagonals if diagonals.dim() == 2 else diagonals.unsqueeze(0)
    steps = offsets.detach().numpy().reshape(-1)
    if len(steps) != len(lines):
        raise RuntimeError(f"Number of diagonals ({len(lines)}) does not match the number of offsets ({len(steps)})")
    if len(_np.unique(steps)) != len(steps):
        raise RuntimeError("Offset tensor contains duplicate values")
    rows, columns = shape
    line, column = _np.meshgrid(_np.arange(len(steps)), _np.arange(min(lines.shape[1], columns)), indexing="ij")
    row = column - steps[:, None]
    kept = (row >= 0) & (row < rows)
    line, column, row = line[kept], column[kept], row[kept]
    tensor = type(offsets).new_tensor
    entries = lines[tensor(offsets, line), tensor(offsets, column)]
    return _room.sparse_coo_tensor(_np.stack((row, column)), entries, (rows, columns))


class check_sparse_tensor_invariants:  # noqa: N801 (torch's name)
    """A switch of PyTorch's: whether places and values are looked at. They always are here."""

    def __init__(self, enable=True):
        self.state = enable

    @staticmethod
    def is_enabled():
        """True."""
        return True

    @staticmethod
    def enable():
        """Nothing: places are always looked at."""

    @staticmethod
    def disable():
        """Nothing: places are always looked at."""

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False

    def __call__(self, fun):
        return fun


class _Typed(type):
    """The class of `sparse.FloatTensor` and the like: a constructor of sparse tensors, which are its instances."""

    def __call__(cls, *args):
        if len(args) in (2, 3) and not isinstance(args[0], int):
            return _room.sparse_coo_tensor(*args, dtype=cls.dtype)
        size = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
        return _room.sparse_coo_tensor(size, dtype=cls.dtype)

    def __instancecheck__(cls, other):
        return isinstance(other, _TensorBase) and other.is_sparse and other.dtype is cls.dtype


_WIDTHS = {"Float": "float32", "Double": "float64", "Half": "float16", "Long": "int64", "Int": "int32",
           "Short": "int16", "Char": "int8", "Byte": "uint8", "BFloat16": "bfloat16"}
globals().update({f"{word}Tensor": _Typed(f"{word}Tensor", (), {
    "__module__": __name__, "__doc__": f"A sparse tensor of {name}.", "dtype": _dtypes.NAMED[name]})
    for word, name in _WIDTHS.items() if name in _dtypes.NAMED})

__getattr__, __dir__ = _surface.look_up("sparse")
_surface.publish(globals())
