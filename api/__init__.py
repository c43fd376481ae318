"""covector: composable function transforms for plain NumPy and CuPy arrays."""

from .backends import cupy_ as _cupy
from .backends import numpy_ as _numpy
from .core import protocol as _protocol
from .transforms.forward import jvp as jvp
from .transforms.gradient import grad as grad
from .transforms.gradient import value_and_grad as value_and_grad
from .transforms.gradient import vjp as vjp
from .transforms.collectives import all_gather as all_gather
from .transforms.collectives import axis_index as axis_index
from .transforms.collectives import pmax as pmax
from .transforms.collectives import pmean as pmean
from .transforms.collectives import pmin as pmin
from .transforms.collectives import psum as psum
from .transforms.collectives import psum_scatter as psum_scatter
from .transforms.collectives import pvary as pvary
from .transforms.vmap import vmap as vmap
