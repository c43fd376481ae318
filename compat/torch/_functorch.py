"""functorch, the package that PyTorch brings beside torch: `import functorch` gives this module after install()."""

from ._impl.func.batch import vmap
from ._impl.func.forward import jvp
from ._impl.func.functional import functionalize
from ._impl.func.functional_modules import (
    FunctionalModule,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)
from ._impl.func.jacobian import hessian, jacfwd, jacrev
from ._impl.func.reverse import grad, grad_and_value, vjp
from .version import __version__ as __version__

FunctionalModuleWithBuffers = FunctionalModule
__all__ = ["FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "functionalize", "grad",
           "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional", "make_functional_with_buffers",
           "vjp", "vmap"]
