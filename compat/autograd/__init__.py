"""HIPS autograd's modules, names and conventions, on covector's transforms.

`import covector.compat.autograd.numpy as np` and `from covector.compat.autograd import grad` in place of autograd's; or
`install()` before a program imports autograd, which then runs unchanged, as `python -m covector.compat.autograd
script.py` does. New code needs none of it: `import numpy as np` and `covector.grad` differentiate plain NumPy.
"""

from ._impl.module_loader import install as install
from .builtins import (
    dict as dict,
    isinstance as isinstance,
    list as list,
    tuple as tuple,
    type as type,
)
from .core import primitive_with_deprecation_warnings as primitive
from .differential_operators import (
    checkpoint as checkpoint,
    deriv as deriv,
    elementwise_grad as elementwise_grad,
    grad as grad,
    grad_and_aux as grad_and_aux,
    grad_named as grad_named,
    hessian as hessian,
    hessian_tensor_product as hessian_tensor_product,
    hessian_vector_product as hessian_vector_product,
    holomorphic_grad as holomorphic_grad,
    jacobian as jacobian,
    make_ggnvp as make_ggnvp,
    make_hvp as make_hvp,
    make_jvp as make_jvp,
    make_vjp as make_vjp,
    multigrad_dict as multigrad_dict,
    tensor_jacobian_product as tensor_jacobian_product,
    value_and_grad as value_and_grad,
    vector_jacobian_product as vector_jacobian_product,
)

from . import (  # isort: skip
    core as core,
    extend as extend,
    misc as misc,
    numpy as numpy,
    test_util as test_util,
    tracer as tracer,
    util as util,
    wrap_util as wrap_util,
)

__version__ = "1.9.1"  # the one whose names these are
