"""covector: composable function transforms for plain NumPy and CuPy arrays."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import debug as debug, extend as extend, numpy as numpy, tree as tree
from ._config import show_config as show_config
from .backends import cupy_, llvm_, numpy_
from .core.arrays.backend import register_kernels as _register_kernels
from .core.foreign import ADVICE as _ADVICE, missing as _missing
from .transforms.collectives.collectives import (
    all_gather as all_gather,
    axis_index as axis_index,
    axis_size as axis_size,
    pmax as pmax,
    pmean as pmean,
    pmin as pmin,
    psum as psum,
    psum_scatter as psum_scatter,
    pvary as pvary,
)
from .transforms.collectives.exchanges import all_to_all as all_to_all, ppermute as ppermute
from .transforms.compile.call.export import export_c as export_c, export_cuda as export_cuda
from .transforms.compile.call.jit import jit as jit
from .transforms.compile.call.kernels import device as _device, elementwise as _elementwise, loops as _loops
from .transforms.control.checkpoint import (
    checkpoint as checkpoint,
    checkpoint_policies as checkpoint_policies,
    remat as remat,
)
from .transforms.control.control import cond as cond, switch as switch
from .transforms.control.loops import fori_loop as fori_loop, while_loop as while_loop
from .transforms.control.mapping import associative_scan as associative_scan, map as map
from .transforms.control.scan import scan as scan
from .transforms.custom.closures import (
    closure_convert as closure_convert,
    custom_gradient as custom_gradient,
)
from .transforms.custom.custom import custom_jvp as custom_jvp, custom_vjp as custom_vjp
from .transforms.custom.implicit import custom_root as custom_root
from .transforms.custom.linear_solve import custom_linear_solve as custom_linear_solve
from .transforms.interpreters.forward import jvp as jvp
from .transforms.interpreters.gradient import (
    grad as grad,
    value_and_grad as value_and_grad,
    vjp as vjp,
)
from .transforms.interpreters.jacobian import (
    elementwise_grad as elementwise_grad,
    hessian as hessian,
    hvp as hvp,
    jacfwd as jacfwd,
    jacobian as jacobian,
    jacrev as jacrev,
)
from .transforms.interpreters.vmap import vmap as vmap
from .transforms.scope.debug_modes import debug_mutation as debug_mutation, debug_nans as debug_nans
from .transforms.sparse.sparse import (
    sparse_hessian as sparse_hessian,
    sparse_jacobian as sparse_jacobian,
    sparsity as sparsity,
)
from .transforms.staging.effects import host_callback as host_callback, stop_gradient as stop_gradient
from .transforms.staging.graph import Graph as Graph, ShapeDtype as ShapeDtype
from .transforms.staging.linear import linear_transpose as linear_transpose, linearize as linearize
from .transforms.staging.profiling import Profile as Profile, profile as profile
from .transforms.staging.staging import eval_shape as eval_shape, make_graph as make_graph

__version__ = "0.1.0.dev0"  # as pyproject.toml has it

_register_kernels(elementwise=_elementwise, device=_device, loops=_loops)
del cupy_, llvm_, numpy_  # loaded for what they register
del backends, core, transforms  # type: ignore[name-defined] # noqa: F821 - the import system sets them


if _TYPE_CHECKING:
    from . import (
        distributed as distributed,
        lax as lax,
        nn as nn,
        ops as ops,
        optimizers as optimizers,
        random as random,
        scipy as scipy,
    )

# Imported when they are asked for.
_LATER = frozenset({"distributed", "lax", "nn", "ops", "optimizers", "random", "scipy", "testing"})
_CONTRACTING = frozenset({"einsum", "tensordot", "transpose"})  # opt_einsum looks for them here


def __getattr__(name: str) -> object:
    """Import a module on first access; say what to use for the names of other libraries."""
    if name in _LATER:
        return _import_module(f"covector.{name}")
    if name in _CONTRACTING:
        return getattr(_import_module("covector._contracting"), name)
    raise _missing("covector", name, _ADVICE)


def __dir__() -> list[str]:
    """The public names, those of modules that are not imported yet, too."""
    return sorted({*globals(), *_LATER})
