"""torch.quasirandom: Sobol sequences."""

from ._impl.random.sobol import SobolEngine as SobolEngine

__all__ = ["SobolEngine"]
