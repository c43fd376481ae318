"""autograd.misc: flattening, graphs of one call, optimizers, fixed points."""

from .flatten import flatten as flatten
from .tracers import const_graph as const_graph
