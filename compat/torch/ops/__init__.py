"""The operations by family: each is written once, on core values, and attaches itself to torch and Tensor."""

from . import elementwise, indexing, linalg, network, reductions, shaping

__all__ = ["elementwise", "indexing", "linalg", "network", "reductions", "shaping"]
