"""torch.backends: libraries that PyTorch computes with, and whether they are here."""

from .._impl.dispatch import surface as _surface
from . import (
    cpu as cpu,
    cuda as cuda,
    cudnn as cudnn,
    mkl as mkl,
    mkldnn as mkldnn,
    mps as mps,
    openmp as openmp,
    opt_einsum as opt_einsum,
)

__getattr__ = _surface.getter("backends.", "torch.backends")
