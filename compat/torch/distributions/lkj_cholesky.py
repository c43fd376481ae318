"""torch.distributions.lkj_cholesky."""

from .._impl.distributions.matrices import LKJCholesky as LKJCholesky
