"""Random numbers from explicit keys: the same key gives the same numbers under every transform."""

from .continuous import (
    cauchy as cauchy,
    exponential as exponential,
    gumbel as gumbel,
    laplace as laplace,
    logistic as logistic,
    lognormal as lognormal,
    maxwell as maxwell,
    normal as normal,
    pareto as pareto,
    rayleigh as rayleigh,
    triangular as triangular,
    truncated_normal as truncated_normal,
    uniform as uniform,
    weibull_min as weibull_min,
)
from .discrete import (
    bernoulli as bernoulli,
    categorical as categorical,
    choice as choice,
    geometric as geometric,
    permutation as permutation,
    rademacher as rademacher,
    randint as randint,
)
from .gamma_family import (
    ball as ball,
    beta as beta,
    chisquare as chisquare,
    dirichlet as dirichlet,
    f as f,
    gamma as gamma,
    generalized_normal as generalized_normal,
    loggamma as loggamma,
    t as t,
)
from .keys import PRNGKey as PRNGKey, bits as bits, fold_in as fold_in, key as key, split as split
from .vectors import multivariate_normal as multivariate_normal, orthogonal as orthogonal
