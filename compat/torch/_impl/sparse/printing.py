"""PyTorch's repr of sparse tensors."""

from ..graph.node_data import visible
from ..tensor.printing import represent_ambient, with_suffixes
from ..types import dtypes
from ..types.parameter import Parameter


def represent(self):
    """`repr(tensor)` as PyTorch prints it."""
    prefix = "tensor("
    indent = len(prefix)
    suffixes = [f"size={tuple(self.shape)}", f"nnz={self._nnz()}"]
    if self.dtype not in (dtypes.Default.float, dtypes.Default.float.to_complex(), dtypes.int64, dtypes.bool_):
        suffixes.append(f"dtype={self.dtype}")
    suffixes.append("layout=torch.sparse_coo")
    if self.node is not None:
        suffixes.append(f"grad_fn=<{visible(self.node)[0].name().rpartition('::')[2]}>")
    elif self.wants_grad:
        suffixes.append("requires_grad=True")
    text = part(self._indices(), "indices", indent) + ",\n" + " " * indent + part(self._values(), "values", indent)
    text = with_suffixes(prefix + text, suffixes, indent, True)
    return f"Parameter containing:\n{text}" if isinstance(self, Parameter) else text


def part(t, name, indent):
    """`indices=tensor([…])`."""
    prefix = f"{name}=tensor("
    if not t.numel():
        return f"{prefix}[], size={tuple(t.shape)})"
    return prefix + represent_numbers(t, indent + len(prefix)) + ")"


def represent_numbers(t, indent):
    """The numbers of a tensor alone."""
    text = represent_ambient(t, " " * indent, False, numbers=True)
    return text[indent:]


def formatted(self, spec):
    """`format(tensor, spec)`."""
    return object.__format__(self, spec) if spec else represent(self)
