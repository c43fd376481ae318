"""torch.autograd.functional: products with Jacobians and Hessians of functions of tensors."""

from .._impl.functional.dense import (
    hessian as hessian,
    jacobian as jacobian,
)
from .._impl.functional.postprocessing import (  # noqa: F401 (private, and called by programs)
    _as_tuple,
    _autograd_grad,
    _construct_standard_basis_for,
    _grad_postprocess,
    _grad_preprocess,
    _tuple_postprocess,
)
from .._impl.functional.products import (
    hvp as hvp,
    jvp as jvp,
    vhp as vhp,
    vjp as vjp,
)
