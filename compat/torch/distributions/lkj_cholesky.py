"""torch.distributions.lkj_cholesky."""

from .._impl.distributions.random_matrices import LKJCholesky as LKJCholesky
