"""Sobol sequences: points that fill a cube evenly, those of SciPy, whose direction numbers are PyTorch's."""

from typing import Any

import numpy as np

from ..... import _engine
from ..types.dtypes import Default
from ..types.tensor_type import wrap
from .generator import stream

qmc: Any = _engine.LazyModule("scipy.stats.qmc")


class SobolEngine:
    """Points of a Sobol sequence; Sobol (1967), with the direction numbers of Joe, Kuo (2008).

    Args:
        dimension: of the points, at most 21201.
        scramble: whether they are scrambled; Owen (1998). By the numbers of SciPy, not those of PyTorch.
        seed: of the scrambling.

    >>> import covector.compat.torch as torch
    >>> torch.quasirandom.SobolEngine(2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension, scramble=False, seed=None):
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        given = seed if seed is not None or not scramble else int(stream(None).integers(2**63))
        self.sequence = _engine.loaded(qmc).Sobol(dimension, scramble=scramble, bits=self.MAXBIT,
                                                  rng=np.random.default_rng(given))

    @property
    def num_generated(self):
        """The number of points drawn so far."""
        return self.sequence.num_generated

    def draw(self, n=1, out=None, dtype=None):
        """The next `n` points, `(n, dimension)`."""
        first = self.sequence.random(int(n > 0 and not self.num_generated))  # alone, or SciPy warns of odd numbers
        found = np.concatenate([first, self.sequence.random(n - len(first))]) if n > len(first) else first
        points = wrap(found.astype((dtype or Default.float).numpy))
        return points if out is None else out.resize_as_(points).copy_(points)

    def draw_base2(self, m, out=None, dtype=None):
        """The next `2**m` points.

        Raises:
            ValueError: with them the points drawn are no power of two.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError("The balance properties of Sobol' points require n to be a power of 2. "
                             f"{self.num_generated} points have been previously generated, then: "
                             f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                             "'SobolEngine.draw()' instead.")
        return self.draw(n, out, dtype)

    def reset(self):
        """Begin anew."""
        self.sequence.reset()
        return self

    def fast_forward(self, n):
        """Leave out `n` points."""
        self.sequence.fast_forward(n)
        return self

    def __repr__(self):
        more = ", scramble=True" * bool(self.scramble) + (f", seed={self.seed}" if self.seed is not None else "")
        return f"{type(self).__name__}(dimension={self.dimension}{more})"
