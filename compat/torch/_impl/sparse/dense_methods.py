"""The methods by which dense tensors become sparse; the room of sparse tensors is loaded when one is called."""

from ....._engine import LazyModule
from ..dispatch.call import attach

ROOM = LazyModule("covector.compat.torch._impl.sparse.room")
EMBEDDING = LazyModule("covector.compat.torch._impl.sparse.embedding")


def to_sparse(self, *args, **kwargs):
    """The elements that are not zero, as a sparse tensor.

    Args:
        sparse_dim: how many of the axes have indices, by default all; or `layout=torch.sparse_coo`.
    """
    return ROOM.to_sparse(self, *args, **kwargs)


def to_sparse_coo(self):
    """The elements that are not zero, as a sparse tensor."""
    return ROOM.to_sparse(self)


def sparse_mask(self, mask):
    """The elements at the places of a sparse tensor, as a sparse tensor."""
    return ROOM.sparse_mask(self, mask)


def _sparse_rows(self, input, padding_idx, by_frequency):
    """`nn.functional.embedding` of this table with a sparse gradient."""
    return EMBEDDING.embedding(input, self, padding_idx, by_frequency)


def _sparse_bags(self, input, *options):
    """`nn.functional.embedding_bag` of this table with a sparse gradient."""
    return EMBEDDING.embedding_bag(input, self, *options)


def refused_layout(name):
    """The conversion to a layout that there is not."""

    def method(self, *args, **kwargs):
        raise NotImplementedError(f"{name} is not supported: sparse tensors of covector.compat.torch are in coordinate "
                                  "format; use to_sparse(), or scipy.sparse matrices with covector.numpy")

    method.__doc__ = "Refused: sparse tensors here are in coordinate format."
    return method


def of_sparse_alone(name):
    """A method that PyTorch refuses of dense tensors."""

    def method(self):
        if name.startswith("_"):
            raise NotImplementedError(f"Could not run 'aten::{name}' with arguments from the 'CPU' backend: the tensor "
                                      "is dense; call .to_sparse() first")
        raise RuntimeError(f"{name} expected sparse {'' if name == 'values' else 'coordinate '}tensor layout but got "
                           "Strided; call .to_sparse() first")

    method.__doc__ = "Refused: of sparse tensors alone."
    return method


for _fun in (to_sparse, to_sparse_coo, sparse_mask, _sparse_rows, _sparse_bags):
    attach(_fun.__name__, _fun)
for _name, _make in {**dict.fromkeys(("to_sparse_csr", "to_sparse_csc", "to_sparse_bsr", "to_sparse_bsc"),
                                     refused_layout),
                     **dict.fromkeys(("coalesce", "is_coalesced", "indices", "values", "_nnz", "_indices", "_values"),
                                     of_sparse_alone)}.items():
    _method = _make(_name)
    _method.__name__ = _method.__qualname__ = _name
    attach(_name, _method)
