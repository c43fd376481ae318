"""torch.nn.utils.parametrizations: orthogonal weights, and weights by their norms."""

from enum import Enum, auto

from ..._impl.module.composed_functions import (
    as_matrix,
    iterate,
    norm_except_dim,
    singular_value,
    weight_norm as _weighted,
)
from ..._impl.module.module import Module
from ..._impl.public_names import F, torch
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from . import parametrize


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows, as a function of one without constraint."""

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):  # noqa: N803 (torch's name)
        wide = X.size(-2) < X.size(-1)
        x = X.mT if wide else X
        n, k = x.shape[-2:]
        q = self._by_reflections(x) if self.orthogonal_map is _OrthMaps.householder else self._by_group(x, n, k)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if wide else q

    def _by_group(self, x, n, k):
        """The image of a skew-hermitian matrix in the orthogonal group."""
        x = x.tril()
        if n != k:
            x = torch.cat([x, x.new_zeros(*x.shape[:-2], n, n - k)], -1)
        a = x - x.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            q = torch.matrix_exp(a)
        else:
            one = torch.eye(n, dtype=a.dtype, device=a.device)
            q = torch.linalg.solve(one - 0.5 * a, one + 0.5 * a)
        return q[..., :k]

    def _by_reflections(self, x):
        """The product of the reflections whose vectors are the columns below the diagonal; its signs are on it."""
        a = x.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (a * a).sum(-2))
        signs = x.diagonal(dim1=-2, dim2=-1).detach().sign()
        return torch.linalg.householder_product(a, tau) * signs.unsqueeze(-2)

    def right_inverse(self, Q):  # noqa: N803
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape "
                             f"{Q.shape}.")
        wide = Q.size(-2) < Q.size(-1)
        q = Q.mT if wide else Q
        n, k = q.shape[-2:]
        if hasattr(self, "base"):
            if n == k:
                self.base = q.clone() if _is_orthogonal(q) else _make_orthogonal(q)
            else:
                more = torch.randn(*q.shape[:-2], n, n - k, dtype=q.dtype, device=q.device)
                self.base = _make_orthogonal(torch.cat([q, more], -1))
            start = torch.zeros_like(Q)
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return start
        if self.orthogonal_map is not _OrthMaps.householder:
            raise NotImplementedError("It is not possible to assign to the matrix exponential or the Cayley "
                                      "parametrizations when use_trivialization=False.")
        a, tau = torch.geqrf(q)
        signs = a.diagonal(dim1=-2, dim2=-1).sign()
        a.diagonal(dim1=-2, dim2=-1).copy_(torch.where(tau == 0, -signs, signs))
        return a.mT if wide else a


def _is_orthogonal(q, eps=None):
    n, k = q.shape[-2:]
    eps = 10.0 * n * torch.finfo(q.dtype).eps if eps is None else eps
    return bool(torch.allclose(q.mH @ q, torch.eye(k, dtype=q.dtype, device=q.device), atol=eps))


def _make_orthogonal(a):
    """The orthonormal factor of a matrix, its signs so that the other one has a positive diagonal."""
    q, r = torch.qr(a)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Make the columns of a matrix orthonormal, or its rows where it is wide.

    Args:
        orthogonal_map: "matrix_exp", "cayley" or "householder"; the first for square and complex matrices, else the
            last.
        use_trivialization: whether it is a product with a fixed matrix, so that any can be assigned; Lezcano-Casado
            (2019).

    >>> import covector.compat.torch as torch
    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 3))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(3), atol=1e-6)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    found = getattr(_OrthMaps, orthogonal_map, None)
    if found is None:
        raise ValueError('orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
                         f"Got: {orthogonal_map}")
    made = _Orthogonal(weight, found, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return _weighted(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Replace a weight by its norms along all axes but `dim`, and its direction; Salimans, Kingma (2016).

    The norms are `parametrizations.weight.original0`, the direction `original1`; state dicts of the older
    `torch.nn.utils.weight_norm` load too.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict, prefix, *_):
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] "
                             f"but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.dim = dim if dim >= 0 else dim + weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight.detach(), self.dim)
            for name, n in zip(("_u", "_v"), matrix.shape):
                start = matrix.new_empty(n).normal_(0, 1)
                self.register_buffer(name, F.normalize(start, dim=0, eps=eps))
            iterate(matrix, self._u, self._v, 15, eps)

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            iterate(matrix.detach(), self._u, self._v, self.n_power_iterations, self.eps)
        return weight / singular_value(matrix, self._u.clone(), self._v.clone())

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value; Miyato et al. (2018)."""
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, ConvTranspose1d | ConvTranspose2d | ConvTranspose3d) else 0
    return parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
