"""Load all primitives with SciPy algorithms, for readers of the whole registry."""

from . import (
    banded as banded,
    correlation as correlation,
    equations as equations,
    filters as filters,
    functions as functions,
    lu as lu,
    riccati as riccati,
    schur as schur,
    trigonometric as trigonometric,
)
