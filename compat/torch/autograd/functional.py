"""torch.autograd.functional: products with Jacobians and Hessians of functions of tensors."""

from .._impl.functional.dense import (
    hessian as hessian,
    jacobian as jacobian,
)
from .._impl.functional.products import (
    hvp as hvp,
    jvp as jvp,
    vhp as vhp,
    vjp as vjp,
)
