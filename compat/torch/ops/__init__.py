"""The operations by family: each is written once, on core values, and attaches itself to torch and Tensor."""

from . import elementwise, indexing, joining, linalg, network, reductions, selecting, shaping

PLAIN = {**joining.PLAIN, **selecting.PLAIN}  # functions of tensors that are no operations of their own
__all__ = ["PLAIN", "elementwise", "indexing", "joining", "linalg", "network", "reductions", "selecting", "shaping"]
