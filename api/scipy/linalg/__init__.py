"""`scipy.linalg` beyond NumPy: triangular systems, Cholesky factors, matrix exponentials, structured matrices."""

from .exponential import expm as expm
from .patterns import block_diag as block_diag, toeplitz as toeplitz
from .triangular import (
    cho_factor as cho_factor,
    cho_solve as cho_solve,
    cholesky as cholesky,
    solve_triangular as solve_triangular,
)
