"""covector: composable function transforms for plain NumPy and CuPy arrays."""

from importlib import import_module as _import_module

from . import (
    debug as debug,
    extend as extend,
    nn as nn,
    numpy as numpy,
    random as random,
    scipy as scipy,
    tree as tree,
)
from .backends import cupy_ as _cupy, numpy_ as _numpy
from .core import protocol as _protocol
from .transforms.checkpoint import (
    checkpoint as checkpoint,
    checkpoint_policies as checkpoint_policies,
    remat as remat,
)
from .transforms.closures import closure_convert as closure_convert, custom_gradient as custom_gradient
from .transforms.collectives import (
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
from .transforms.control import cond as cond, fori_loop as fori_loop, switch as switch, while_loop as while_loop
from .transforms.custom import custom_jvp as custom_jvp, custom_vjp as custom_vjp
from .transforms.debugging import debug_mutation as debug_mutation, debug_nans as debug_nans
from .transforms.effects import host_callback as host_callback, stop_gradient as stop_gradient
from .transforms.exchanges import all_to_all as all_to_all, ppermute as ppermute
from .transforms.forward import jvp as jvp
from .transforms.gradient import grad as grad, value_and_grad as value_and_grad, vjp as vjp
from .transforms.graph import Graph as Graph, ShapeDtype as ShapeDtype
from .transforms.implicit import custom_root as custom_root
from .transforms.jacobian import (
    elementwise_grad as elementwise_grad,
    hessian as hessian,
    hvp as hvp,
    jacfwd as jacfwd,
    jacobian as jacobian,
    jacrev as jacrev,
)
from .transforms.linear import linear_transpose as linear_transpose, linearize as linearize
from .transforms.mapping import associative_scan as associative_scan, map as map
from .transforms.scan import scan as scan
from .transforms.staging import eval_shape as eval_shape, make_graph as make_graph
from .transforms.vmap import vmap as vmap


def __getattr__(name: str) -> object:
    """Import `covector.testing` on first access: the library itself does not need it."""
    if name == "testing":
        return _import_module("covector.testing")
    raise AttributeError(f"module 'covector' has no attribute {name!r}")
