"""Densities and distribution functions on arrays and traced arrays, with SciPy's names and signatures."""

from .continuous import (
    beta as beta,
    cauchy as cauchy,
    chi2 as chi2,
    expon as expon,
    f as f,
    gamma as gamma,
    gennorm as gennorm,
    gumbel_l as gumbel_l,
    gumbel_r as gumbel_r,
    halfcauchy as halfcauchy,
    halfnorm as halfnorm,
    invgamma as invgamma,
    laplace as laplace,
    logistic as logistic,
    lognorm as lognorm,
    norm as norm,
    pareto as pareto,
    t as t,
    truncnorm as truncnorm,
    uniform as uniform,
    vonmises as vonmises,
    weibull_min as weibull_min,
)
from .discrete import bernoulli as bernoulli, binom as binom, geom as geom, nbinom as nbinom, poisson as poisson
from .distribution import Continuous as Continuous, Discrete as Discrete
from .vectors import (
    dirichlet as dirichlet,
    multinomial as multinomial,
    multivariate_normal as multivariate_normal,
    multivariate_t as multivariate_t,
)
