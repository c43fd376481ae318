"""torch.func: functional transforms of functions of tensors."""

from ..surface import getter
from . import batched_function
from .batch import vmap
from .forward import jvp
from .functional import functionalize
from .jacobian import hessian, jacfwd, jacrev
from .linear import linearize
from .modules import functional_call, stack_module_state
from .reverse import grad, grad_and_value, vjp
from .unwrap import debug_unwrap

__getattr__ = getter("func.", "torch.func")
__all__ = ["debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev",
           "jvp", "linearize", "stack_module_state", "vjp", "vmap"]
