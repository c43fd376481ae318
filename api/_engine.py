"""The tape below the transforms, for `covector.compat` alone: arrays, traces, nodes, rules, error state."""

from .core import ROADS as ROADS
from .core.arrays.axes import all_within as all_within
from .core.arrays.backend import BY_TYPE as BY_TYPE, find_backend as find_backend
from .core.arrays.fp_warnings import (
    enter_error_state as enter_error_state,
    error_state as error_state,
    leave_error_state as leave_error_state,
    make_error_state as make_error_state,
)
from .core.arrays.sums import small as small
from .core.errors import LIBRARY_FOLDERS as LIBRARY_FOLDERS, words_of as words_of
from .core.facts import Operation as Operation
from .core.lazy import LazyModule as LazyModule, loaded as loaded
from .core.slots import Node as Node
from .core.tape.recording import make_node as make_node, next_seq as next_seq
from .core.tape.scatter import Scatter as Scatter
from .core.tape.strong_zeros import holds_nan as holds_nan, unbounded as unbounded
from .core.tape.tape import FREED as FREED, Partial as Partial, Rule as Rule, make_leaf as make_leaf
from .core.trace.buffers import Buffer as Buffer
from .core.trace.device import constant as constant, library_of as library_of
from .core.trace.scalars import TracedNumber as TracedNumber
from .core.trace.tracer import Dual as Dual, Rev as Rev, leniently as leniently
from .core.types import Any as Any
