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
    ball as ball,
    bernoulli as bernoulli,
    beta as beta,
    categorical as categorical,
    chisquare as chisquare,
    choice as choice,
    dirichlet as dirichlet,
    f as f,
    gamma as gamma,
    generalized_normal as generalized_normal,
    geometric as geometric,
    loggamma as loggamma,
    permutation as permutation,
    rademacher as rademacher,
    randint as randint,
    t as t,
)
from .keys import PRNGKey as PRNGKey, bits as bits, fold_in as fold_in, key as key, split as split
from .vectors import multivariate_normal as multivariate_normal, orthogonal as orthogonal
