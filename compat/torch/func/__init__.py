"""torch.func: functional transforms of functions of tensors."""

from .._impl.dispatch import surface as _surface
from .._impl.func.batch import vmap
from .._impl.func.forward import jvp
from .._impl.func.functional import functionalize
from .._impl.func.jacobian import hessian, jacfwd, jacrev
from .._impl.func.linear import linearize
from .._impl.func.modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .._impl.func.rearrange import rearrange
from .._impl.func.reverse import grad, grad_and_value, vjp
from .._impl.func.unwrap import debug_unwrap

__getattr__ = _surface.getter("func.", "torch.func")
__all__ = ["debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev",
           "jvp", "linearize", "rearrange", "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap"]
_surface.publish(globals())
