"""The distributions that are compared: kind, parameters, a value."""

import numpy as np

rng = np.random.default_rng(0)


def positive(*shape, low=0.3, high=2.0):
    return rng.uniform(low, high, shape)


def share(*shape):
    return rng.uniform(0.1, 0.9, shape)


def line(*shape):
    return rng.normal(size=shape)


def simplex(*shape):
    x = rng.uniform(0.2, 1, shape)
    return x / x.sum(-1, keepdims=True)


COVARIANCE = np.array([[1.5, 0.3, 0.2], [0.3, 1.0, -0.4], [0.2, -0.4, 2.0]])
FACTOR = np.linalg.cholesky(COVARIANCE)
CORRELATION = np.linalg.cholesky(np.array([[1, 0.3, 0.2], [0.3, 1, 0.1], [0.2, 0.1, 1]]))
COUNTS = np.array([0.0, 5, 2])
TOTALS = np.array([[1.0, 3, 0], [2, 1, 1]])

CASES = [
    ("Bernoulli", {"probs": share(3)}, np.array([0.0, 1, 1])),
    ("Bernoulli", {"logits": line(2, 3)}, np.array([0.0, 1, 1])),
    ("Bernoulli", {"probs": 0.3}, np.array(1.0)),
    ("Beta", {"concentration1": positive(3), "concentration0": positive(3)}, share(2, 3)),
    ("Binomial", {"total_count": 5, "probs": share(3)}, COUNTS),
    ("Binomial", {"total_count": np.array([5.0, 5, 5]), "logits": line(3)}, np.array([0.0, 3, 2])),
    ("Categorical", {"probs": positive(2, 4)}, np.array([0, 3])),
    ("Categorical", {"logits": line(4)}, np.array([0, 3, 1])),
    ("Cauchy", {"loc": line(3), "scale": positive(3)}, line(3)),
    ("Chi2", {"df": positive(3)}, positive(3)),
    ("ContinuousBernoulli", {"probs": np.array([0.1, 0.4999, 0.8])}, share(3)),
    ("ContinuousBernoulli", {"logits": line(3)}, share(3)),
    ("Dirichlet", {"concentration": positive(2, 3)}, simplex(2, 3)),
    ("Exponential", {"rate": positive(3)}, positive(3)),
    ("Exponential", {"rate": 2.0}, positive(3)),
    ("FisherSnedecor", {"df1": positive(3, low=5, high=9), "df2": positive(3, low=5, high=9)}, positive(3)),
    ("Gamma", {"concentration": positive(3), "rate": positive(3)}, positive(2, 3)),
    ("GeneralizedPareto", {"loc": np.float32(line(3)), "scale": np.float32(positive(3)),
                           "concentration": np.float32([0.2, 0.1, 0.4])},
     np.float32([5.0, 6, 7])),  # PyTorch compares concentrations with 0 in float32, and refuses float64
    ("Geometric", {"probs": share(3)}, COUNTS),
    ("Geometric", {"logits": line(3)}, COUNTS),
    ("Gumbel", {"loc": line(3), "scale": positive(3)}, line(3)),
    ("HalfCauchy", {"scale": positive(3)}, positive(3)),
    ("HalfNormal", {"scale": positive(3)}, positive(3)),
    ("InverseGamma", {"concentration": positive(3, low=2.1, high=4), "rate": positive(3)}, positive(3)),
    ("Kumaraswamy", {"concentration1": positive(3, low=1.1), "concentration0": positive(3, low=1.1)}, share(3)),
    ("Laplace", {"loc": line(3), "scale": positive(3)}, line(3)),
    ("LogNormal", {"loc": line(3), "scale": positive(3)}, positive(3)),
    ("LogisticNormal", {"loc": line(2, 3), "scale": positive(2, 3)}, simplex(2, 4)),
    ("LowRankMultivariateNormal", {"loc": line(2, 3), "cov_factor": line(3, 2), "cov_diag": positive(3)}, line(2, 3)),
    ("LKJCholesky", {"dim": 3, "concentration": positive(2)}, CORRELATION),
    ("Multinomial", {"total_count": 4, "probs": positive(2, 3)}, TOTALS),
    ("Multinomial", {"total_count": 4, "logits": line(3)}, TOTALS),
    ("MultivariateNormal", {"loc": line(2, 3), "covariance_matrix": COVARIANCE}, line(2, 3)),
    ("MultivariateNormal", {"loc": line(3), "precision_matrix": COVARIANCE}, line(2, 3)),
    ("MultivariateNormal", {"loc": line(3), "scale_tril": FACTOR}, line(2, 3)),
    ("NegativeBinomial", {"total_count": positive(3), "probs": share(3)}, COUNTS),
    ("NegativeBinomial", {"total_count": 4.0, "logits": line(3)}, COUNTS),
    ("Normal", {"loc": line(3), "scale": positive(3)}, line(2, 3)),
    ("Normal", {"loc": 0.0, "scale": 2.0}, line(2, 3)),
    ("OneHotCategorical", {"probs": positive(2, 4)}, np.eye(4)[:2]),
    ("OneHotCategoricalStraightThrough", {"logits": line(4)}, np.eye(4)[:2]),
    ("Pareto", {"scale": positive(3), "alpha": positive(3, low=2.2, high=4)}, positive(3, low=3, high=4)),
    ("Poisson", {"rate": positive(3)}, COUNTS),
    ("RelaxedBernoulli", {"temperature": positive(), "probs": share(3)}, share(3)),
    ("RelaxedOneHotCategorical", {"temperature": positive(), "logits": line(3)}, simplex(3)),
    ("StudentT", {"df": positive(3, low=2.5, high=5), "loc": line(3), "scale": positive(3)}, line(3)),
    ("Uniform", {"low": -positive(3), "high": positive(3)}, 0.2 * share(3)),
    ("VonMises", {"loc": line(3), "concentration": positive(3)}, line(3)),
    ("Weibull", {"scale": positive(3), "concentration": positive(3, low=1.1, high=3)}, positive(3)),
    ("Wishart", {"df": positive(2, low=4, high=6), "covariance_matrix": COVARIANCE},
     np.stack([COVARIANCE, 2 * COVARIANCE + np.eye(3)])),
    ("Wishart", {"df": 5.0, "scale_tril": FACTOR}, COVARIANCE),
]


def made(T, name, parameters):
    """A distribution, and the tensors among its parameters."""
    tensors = {k: T.tensor(np.asarray(v)).requires_grad_() for k, v in parameters.items()
               if isinstance(v, np.ndarray | np.floating)}
    return getattr(T.distributions, name)(**parameters | tensors), list(tensors.values())
