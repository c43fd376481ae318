"""torch.distributions: probability distributions, their transforms, and divergences between them."""

from ...._engine import LazyModule as _LazyModule
from .._impl.dispatch import surface as _surface
from .._impl.distributions.categorical import (
    Categorical,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from .._impl.distributions.combined import Independent, MixtureSameFamily
from .._impl.distributions.discrete import (
    Bernoulli,
    Binomial,
    ContinuousBernoulli,
    Geometric,
    NegativeBinomial,
    Poisson,
)
from .._impl.distributions.distribution import Distribution, ExponentialFamily
from .._impl.distributions.location_scale import Cauchy, Laplace, Normal, StudentT, Uniform, VonMises
from .._impl.distributions.normal_vectors import LowRankMultivariateNormal, MultivariateNormal
from .._impl.distributions.positive import (
    Chi2,
    Exponential,
    FisherSnedecor,
    Gamma,
    GeneralizedPareto,
)
from .._impl.distributions.random_matrices import LKJCholesky, Wishart
from .._impl.distributions.registry import biject_to, transform_to
from .._impl.distributions.simplex import Beta, Dirichlet
from .._impl.distributions.transformed import TransformedDistribution
from .._impl.distributions.transformed_families import (
    Gumbel,
    HalfCauchy,
    HalfNormal,
    InverseGamma,
    Kumaraswamy,
    LogisticNormal,
    LogNormal,
    Pareto,
    Weibull,
)
from . import constraint_registry, constraints, kl, transforms, utils
from .kl import kl_divergence, register_kl
from .transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)

_MODULES = """\
bernoulli beta binomial categorical cauchy chi2 continuous_bernoulli dirichlet distribution exp_family
exponential fishersnedecor gamma generalized_pareto geometric gumbel half_cauchy half_normal independent
inverse_gamma kumaraswamy laplace lkj_cholesky log_normal logistic_normal lowrank_multivariate_normal
mixture_same_family multinomial multivariate_normal negative_binomial normal one_hot_categorical pareto
poisson relaxed_bernoulli relaxed_categorical studentT transformed_distribution uniform von_mises weibull
wishart"""
__getattr__ = _surface.getter("distributions.", "torch.distributions", {
    name: _LazyModule(f"covector.compat.torch.distributions.{name}") for name in _MODULES.split()})
__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "identity_transform",
    "kl_divergence",
    "register_kl",
    "transform_to",
]
