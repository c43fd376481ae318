"""Normal distributions of vectors: MultivariateNormal and LowRankMultivariateNormal."""

import math

from ..public_names import torch
from . import constraints
from .distribution import Distribution
from .parameters import NO_AXES, lazy_property, standard_normal


def mahalanobis(tril, x):
    """The squared length of the solution of `tril @ y = x`, with broadcasting."""
    y = torch.linalg.solve_triangular(tril, x.unsqueeze(-1), upper=False).squeeze(-1)
    return (y**2).sum(-1)


def times(matrix, x):
    """`matrix @ x` of vectors, with broadcasting."""
    return torch.matmul(matrix, x.unsqueeze(-1)).squeeze(-1)


def log_diagonal(tril):
    """The sum of the logarithms of the diagonals."""
    return tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def precision_to_scale_tril(precision):
    """The Cholesky factor of the inverse, without that inverse."""
    flipped = torch.linalg.cholesky(torch.flip(precision, (-2, -1)))
    upper = torch.transpose(torch.flip(flipped, (-2, -1)), -2, -1)
    eye = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return torch.linalg.solve_triangular(upper, eye, upper=False)


class _ByMatrix(Distribution):
    """A distribution with one of `covariance_matrix`, `precision_matrix` and `scale_tril`."""

    _forms = ("covariance_matrix", "precision_matrix", "scale_tril")

    def _factor(self):
        """The Cholesky factor of the covariance matrix."""
        if "scale_tril" in self.__dict__:
            return self.scale_tril
        if "covariance_matrix" in self.__dict__:
            return torch.linalg.cholesky(self.covariance_matrix)
        return precision_to_scale_tril(self.precision_matrix)

    def _expand_forms(self, new, shape):
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        for name in self._forms:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(shape))

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance matrix."""
        n = self._event_shape[-1]
        return self._unbroadcasted_scale_tril.expand((*self._batch_shape, n, n))

    @lazy_property
    def covariance_matrix(self):
        """The covariance matrix."""
        n, half = self._event_shape[-1], self._unbroadcasted_scale_tril
        return torch.matmul(half, half.mT).expand((*self._batch_shape, n, n))

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance matrix."""
        n = self._event_shape[-1]
        return torch.cholesky_inverse(self._unbroadcasted_scale_tril).expand((*self._batch_shape, n, n))


class MultivariateNormal(_ByMatrix):
    """The normal distribution of vectors.

    Args:
        loc: `(*batch, n)`.
        covariance_matrix, precision_matrix, scale_tril: `(*batch, n, n)`, one of them.
    """

    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {k: v for k, v in given.items() if v is not None}
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions"
                             if name != "scale_tril" else "scale_tril matrix must be at least two-dimensional, with "
                             "optional leading batch dimensions")
        batch = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch, -1, -1)))
        self.loc = loc.expand((*batch, -1))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = matrix if name == "scale_tril" else torch.linalg.cholesky(
            matrix) if name == "covariance_matrix" else precision_to_scale_tril(matrix)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(MultivariateNormal, _instance)
        batch_shape = torch.Size(batch_shape)
        shape = (*batch_shape, *self.event_shape)
        new.loc = self.loc.expand(shape)
        self._expand_forms(new, (*shape, *self.event_shape))
        super(MultivariateNormal, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape=NO_AXES):
        eps = standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + torch.matmul(self._unbroadcasted_scale_tril, eps.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value):
        self._checked(value)
        half = self._unbroadcasted_scale_tril
        m = mahalanobis(half, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + m) - log_diagonal(half)

    def entropy(self):
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_diagonal(
            self._unbroadcasted_scale_tril)
        return found if not self._batch_shape else found.expand(self._batch_shape)


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors with covariance `W @ W.T + diag(D)`.

    Args:
        loc: `(*batch, n)`.
        cov_factor: W, `(*batch, n, k)`.
        cov_diag: D, `(*batch, n)`.
    """

    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        n = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != n:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {n[0]} x m")
        if cov_diag.shape[-1:] != n:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {n}")
        try:
            batch = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag "
                             f"{cov_diag.shape}") from error
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self.loc = loc.expand((*batch, *n))
        self.cov_diag = cov_diag.expand((*batch, *n))
        self.cov_factor = cov_factor.expand((*batch, *n, cov_factor.shape[-1]))
        self._capacitance_tril = capacitance(cov_factor, cov_diag)
        super().__init__(batch, n, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(LowRankMultivariateNormal, _instance)
        batch_shape = torch.Size(batch_shape)
        shape = (*batch_shape, *self.event_shape)
        new.loc, new.cov_diag = self.loc.expand(shape), self.cov_diag.expand(shape)
        new.cov_factor = self.cov_factor.expand((*shape, self.cov_factor.shape[-1]))
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))
        super(LowRankMultivariateNormal, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    def _square(self, shape):
        n = self._event_shape[0]
        return shape.expand((*self._batch_shape, n, n))

    @lazy_property
    def variance(self):
        found = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return found.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance matrix."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        eye = torch.eye(self._event_shape[0], dtype=scaled.dtype, device=scaled.device)
        inner = torch.matmul(scaled, scaled.mT) + eye
        return self._square(root * torch.linalg.cholesky(inner))

    @lazy_property
    def covariance_matrix(self):
        """The covariance matrix."""
        w = self._unbroadcasted_cov_factor
        return self._square(torch.matmul(w, w.mT) + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance matrix, by Woodbury's identity."""
        d = self._unbroadcasted_cov_diag
        scaled = self._unbroadcasted_cov_factor.mT / d.unsqueeze(-2)
        a = torch.linalg.solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._square(torch.diag_embed(d.reciprocal()) - torch.matmul(a.mT, a))

    def rsample(self, sample_shape=NO_AXES):
        shape = self._extended_shape(sample_shape)
        w = standard_normal((*shape[:-1], self.cov_factor.shape[-1]), self.loc.dtype, self.loc.device)
        d = standard_normal(shape, self.loc.dtype, self.loc.device)
        return (self.loc + torch.matmul(self._unbroadcasted_cov_factor, w.unsqueeze(-1)).squeeze(-1)
                + self._unbroadcasted_cov_diag.sqrt() * d)

    def log_prob(self, value):
        self._checked(value)
        w, d, c = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril
        m = lowrank_mahalanobis(w, d, value - self.loc, c)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + lowrank_logdet(d, c) + m)

    def entropy(self):
        found = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + lowrank_logdet(
            self._unbroadcasted_cov_diag, self._capacitance_tril))
        return found if not self._batch_shape else found.expand(self._batch_shape)


def capacitance(w, d):
    """The Cholesky factor of `I + W.T D^-1 W`."""
    k = torch.matmul(w.mT / d.unsqueeze(-2), w)
    return torch.linalg.cholesky(k + torch.eye(w.size(-1), dtype=w.dtype, device=w.device))


def lowrank_logdet(d, tril):
    """log det(W W.T + D), by the matrix determinant lemma."""
    return 2 * log_diagonal(tril) + d.log().sum(-1)


def lowrank_mahalanobis(w, d, x, tril):
    """x.T (W W.T + D)^-1 x, by Woodbury's identity."""
    inner = torch.matmul(w.mT / d.unsqueeze(-2), x.unsqueeze(-1)).squeeze(-1)
    return (x.pow(2) / d).sum(-1) - mahalanobis(tril, inner)
