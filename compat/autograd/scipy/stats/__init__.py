"""autograd.scipy.stats: densities and distribution functions of traced values."""

from . import (
    beta as beta,
    chi2 as chi2,
    dirichlet as dirichlet,
    gamma as gamma,
    multivariate_normal as multivariate_normal,
    norm as norm,
    poisson as poisson,
    t as t,
)
