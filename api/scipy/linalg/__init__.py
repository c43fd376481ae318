"""`scipy.linalg`: systems, factors, functions of matrices, matrix equations, banded and structured matrices."""

from .banded import (
    block_diag as block_diag,
    cholesky_banded as cholesky_banded,
    solve_banded as solve_banded,
    solveh_banded as solveh_banded,
    toeplitz as toeplitz,
)
from .dense import (
    det as det,
    eigh as eigh,
    eigvalsh as eigvalsh,
    inv as inv,
    lstsq as lstsq,
    lu as lu,
    norm as norm,
    pinv as pinv,
    qr as qr,
    solve as solve,
    svd as svd,
    svdvals as svdvals,
)
from .equations import (
    solve_continuous_are as solve_continuous_are,
    solve_continuous_lyapunov as solve_continuous_lyapunov,
    solve_discrete_are as solve_discrete_are,
    solve_discrete_lyapunov as solve_discrete_lyapunov,
    solve_sylvester as solve_sylvester,
)
from .exponential import expm as expm, expm_frechet as expm_frechet, logm as logm, sqrtm as sqrtm
from .factors import ldl as ldl, lu_factor as lu_factor, lu_solve as lu_solve, polar as polar, schur as schur
from .triangular import (
    cho_factor as cho_factor,
    cho_solve as cho_solve,
    cholesky as cholesky,
    solve_triangular as solve_triangular,
)
