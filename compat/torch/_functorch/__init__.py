"""functorch, the package that PyTorch brings beside torch: `import functorch` gives this module after install()."""

import functools
import warnings

from .._impl.func import batch, forward, functional, functional_modules, jacobian, reverse
from .._impl.func.functional_modules import FunctionalModule
from ..version import __version__ as __version__
from . import experimental as experimental


def _deprecated(function, instead):
    """A function that says, each time it is called, what stands for it in PyTorch from 2.0 on."""
    @functools.wraps(function)
    def warned(*args, **kwargs):
        warnings.warn(f"`functorch.{function.__name__}` is deprecated, as in PyTorch. Please use `torch.{instead}` "
                      "instead.", FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return warned


vmap = _deprecated(batch.vmap, "vmap")
jvp = _deprecated(forward.jvp, "func.jvp")
functionalize = _deprecated(functional.functionalize, "func.functionalize")
combine_state_for_ensemble = _deprecated(functional_modules.combine_state_for_ensemble, "func.stack_module_state")
make_functional = _deprecated(functional_modules.make_functional, "func.functional_call")
make_functional_with_buffers = _deprecated(functional_modules.make_functional_with_buffers, "func.functional_call")
hessian, jacfwd, jacrev, grad, grad_and_value, vjp = (_deprecated(f, f"func.{f.__name__}") for f in (
    jacobian.hessian, jacobian.jacfwd, jacobian.jacrev, reverse.grad, reverse.grad_and_value, reverse.vjp))
FunctionalModuleWithBuffers = FunctionalModule
__all__ = ["FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "functionalize", "grad",
           "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional", "make_functional_with_buffers",
           "vjp", "vmap"]
