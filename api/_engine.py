"""The engine below the transforms, for `covector.compat` alone: tape, sweep, ambient values, error state."""

from .core.arrays.backend import BY_TYPE as BY_TYPE, find_backend as find_backend
from .core.arrays.bounds import all_within as all_within
from .core.arrays.errstate import (
    enter_error_state as enter_error_state,
    error_state as error_state,
    leave_error_state as leave_error_state,
    make_error_state as make_error_state,
)
from .core.arrays.ufunc_dispatch import small as small
from .core.errors import LIBRARY_FOLDERS as LIBRARY_FOLDERS, words_of as words_of
from .core.facts import Operation as Operation
from .core.lazy import LazyModule as LazyModule, loaded as loaded
from .core.numpy_api.at import At as At
from .core.ops import by_output as _by_output
from .core.ops.indexing import (
    bags as _bags,
    pairs as _pairs,
    running_extremes as _running_extremes,
    scattered_extremes as _scattered_extremes,
    scattered_products as _scattered_products,
    top_k as _top_k,
)
from .core.ops.indexing.places import Places as Places
from .core.ops.linalg import elimination as _elimination
from .core.ops.linalg.products import FILLED as FILLED, product as product
from .core.ops.nn import (
    batch_normalisation as _batch_normalisation,
    classification as _classification,
    convolution as _convolution,
    ctc as _ctc,
    cubic as _cubic,
    distances as _distances,
    grid_positions as _grid_positions,
    interpolation as _interpolation,
    multilabel_hinge as _multilabel_hinge,
    nearest as _nearest,
    network as _network,
    normalisation as _normalisation,
    piecewise as _piecewise,
    prelu as _prelu,
    recurrent as _recurrent,
)
from .core.ops.nn.columns import column_rule as column_rule
from .core.ops.nn.largest_in_parts import ends_of_parts as ends_of_parts
from .core.ops.nn.resampling import Sums as Sums
from .core.ops.special import every as _special
from .core.roads import ROADS as ROADS
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
from .transforms.custom.by_rows import by_rows as by_rows
from .transforms.custom.custom_calls import JvpCall as JvpCall, VjpCall as VjpCall, call_pullback as call_pullback
from .transforms.graph.equations import Equation as Equation, Literal as Literal, Var as Var
from .transforms.interpreters.vmap import VmapTrace as VmapTrace
from .transforms.reverse.ambient import (
    Ambient as Ambient,
    AmbientNode as AmbientNode,
    AmbientTrace as AmbientTrace,
    Extra as Extra,
    conform_tangent as conform_tangent,
    rule_for as rule_for,
)
from .transforms.reverse.nan_checks import check_made as check_made, check_pulled as check_pulled
from .transforms.reverse.reverse import RevTrace as RevTrace, pick_rule as pick_rule
from .transforms.reverse.sweep import sweep as sweep
from .transforms.scope.debug_modes import on_debug as on_debug
from .transforms.staging.staging import GraphTrace as GraphTrace

# Loaded for the primitives that compat uses.
_LOADED = (_bags, _batch_normalisation, _by_output, _classification, _convolution, _ctc, _cubic, _distances,
           _elimination, _grid_positions, _interpolation, _multilabel_hinge, _nearest, _network, _normalisation,
           _pairs, _piecewise, _prelu, _recurrent, _running_extremes, _scattered_extremes, _scattered_products,
           _special, _top_k)
