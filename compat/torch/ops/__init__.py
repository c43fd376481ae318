"""The operations by family: each is written once, on core values, and attaches itself to torch and Tensor."""

from . import elementwise, indexing, joining, linalg, more, network, reductions, selecting, shaping, strided, windows

PLAIN = {**joining.PLAIN, **more.PLAIN, **selecting.PLAIN}  # functions of tensors that are no operations of their own
__all__ = ["PLAIN", "elementwise", "indexing", "joining", "linalg", "more", "network", "reductions", "selecting",
           "shaping", "strided", "windows"]
