"""Distributions of matrices: Wishart and LKJCholesky."""

import math
import warnings
from numbers import Number

from ..public_names import torch
from . import constraints
from .distribution import Distribution, ExponentialFamily
from .location_scale import Normal
from .normal_vectors import _ByMatrix, log_diagonal, precision_to_scale_tril
from .parameters import NO_AXES, standard_normal
from .simplex import Beta


class Wishart(_ByMatrix, ExponentialFamily):
    """The Wishart distribution of positive definite matrices.

    Args:
        df: degrees of freedom, more than the number of rows minus one.
        covariance_matrix, precision_matrix, scale_tril: `(*batch, n, n)`, one of them.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self):
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {k: v for k, v in given.items() if v is not None}
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                                 "specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Number):
            batch = torch.Size(matrix.shape[:-2])
            self.df = torch.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch)
        events = matrix.shape[-2:]
        if self.df.le(events[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {events[-1] - 1}.")
        setattr(self, name, matrix.expand((*batch, -1, -1)))
        if self.df.lt(events[-1]).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < "
                          "ndim.", stacklevel=2)
        super().__init__(batch, events, validate_args=validate_args)
        self._unbroadcasted_scale_tril = matrix if name == "scale_tril" else torch.linalg.cholesky(
            matrix) if name == "covariance_matrix" else precision_to_scale_tril(matrix)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Wishart, _instance)
        batch_shape = torch.Size(batch_shape)
        new.df = self.df.expand(batch_shape)
        self._expand_forms(new, (*batch_shape, *self.event_shape))
        super(Wishart, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _tall(self):
        return self.df.view((*tuple(self.df.shape), 1, 1))

    @property
    def mean(self):
        return self._tall() * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = torch.where(factor <= 0, math.nan, factor)
        return factor.view((*tuple(factor.shape), 1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self._tall() * (v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def rsample(self, sample_shape=NO_AXES, max_try_correction=None):
        """Values by Bartlett's decomposition."""
        return self._bartlett_sampling(torch.Size(sample_shape))

    def _bartlett_sampling(self, sample_shape):
        n = self._event_shape[-1]
        half = self._unbroadcasted_scale_tril
        degrees = self.df.unsqueeze(-1) - torch.arange(n, dtype=half.dtype, device=half.device)
        shape = (*sample_shape, *self._batch_shape, n)
        chi2 = 2 * torch._standard_gamma((0.5 * degrees).expand(shape))
        lower = standard_normal((*shape, n), chi2.dtype, chi2.device).tril(-1)
        half = half @ (lower + torch.diag_embed(chi2.clamp(
            min=torch.finfo(chi2.dtype).tiny).sqrt()))
        return half @ half.mT

    def log_prob(self, value):
        self._checked(value)
        nu, p = self.df, self._event_shape[-1]
        half = self._unbroadcasted_scale_tril
        inner = torch.linalg.solve(torch.matmul(half, half.mT), value)
        return (-nu * (p * math.log(2) / 2 + log_diagonal(half)) - torch.mvlgamma(nu / 2, p=p)
                + (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet
                - inner.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2)

    def _digammas(self):
        """The sum of ψ((ν - i) / 2) over the rows."""
        n = self._event_shape[-1]
        half = self._unbroadcasted_scale_tril
        steps = torch.arange(n, dtype=half.dtype, device=half.device)
        return torch.digamma((self.df.unsqueeze(-1) - steps.expand((*self._batch_shape, -1))) / 2).sum(-1)

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        return ((p + 1) * (p * math.log(2) / 2 + log_diagonal(self._unbroadcasted_scale_tril))
                + torch.mvlgamma(nu / 2, p=p) - (nu - p - 1) / 2 * self._digammas() + nu * p / 2)

    @property
    def _natural_params(self):
        nu, p = self.df, self._event_shape[-1]
        return -self.precision_matrix / 2, (nu - p - 1) / 2

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        return (y + (p + 1) / 2) * (-torch.linalg.slogdet(-2 * x).logabsdet + math.log(2) * p) + torch.mvlgamma(
            y + (p + 1) / 2, p=p)


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices, after Lewandowski, Kurowicka and Joe (2009).

    Args:
        dim: the number of rows.
        concentration: 1 for a uniform density of the matrices; the larger, the closer to the identity.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        concentration = concentration if not isinstance(concentration, Number) else torch.tensor(float(concentration))
        self.concentration = concentration
        super().__init__(concentration.size(), torch.Size((dim, dim)), validate_args)
        offset = torch.arange(dim - 1, dtype=concentration.dtype, device=concentration.device)
        offset = torch.cat([offset.new_zeros((1,)), offset])
        marginal = concentration + 0.5 * (dim - 2)
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = torch.Size(batch_shape)
        new.dim = self.dim
        new.concentration = self.concentration.expand(batch_shape)
        new._beta = self._beta.expand((*batch_shape, self.dim))
        super(LKJCholesky, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def sample(self, sample_shape=NO_AXES):
        """Values, row by row: lengths of beta distributions, directions on spheres (the onion method)."""
        with torch.no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            u = Normal(0.0, 1.0).sample(self._extended_shape(sample_shape)).to(y.dtype).tril(-1)
            sphere = u / u.norm(dim=-1, keepdim=True)
            sphere[..., 0, :].fill_(0.0)
            w = torch.sqrt(y) * sphere
            diagonal = torch.clamp(1 - torch.sum(w**2, dim=-1), min=torch.finfo(w.dtype).tiny).sqrt()
            return w + torch.diag_embed(diagonal)

    def log_prob(self, value):
        self._checked(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch.arange(2, self.dim + 1, device=value.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        density = torch.sum(order * diagonal.log(), dim=-1)
        n = self.dim - 1
        alpha = self.concentration + 0.5 * n
        norm = 0.5 * n * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, n) - torch.lgamma(alpha) * n
        return density - norm
