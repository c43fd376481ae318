"""torch.func: functional transforms of functions of tensors."""

from ..surface import getter
from . import batched_function
from .batch import vmap
from .forward import jvp
from .jacobian import hessian, jacfwd, jacrev
from .reverse import grad, grad_and_value, vjp

__getattr__ = getter("func.", "torch.func")
__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"]
