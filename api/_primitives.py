"""Primitives and calls with custom rules, for `covector.compat` alone."""

from .core.numpy_api.at import At as At
from .core.ops import by_output as _by_output
from .core.ops.indexing import (
    bags as _bags,
    extremes as _extremes,
    pairs as _pairs,
    scattered_products as _scattered_products,
    top_k as _top_k,
)
from .core.ops.indexing.places import Places as Places
from .core.ops.linalg.products import FILLED as FILLED, column_rule as column_rule, product as product
from .core.ops.nn import (
    classification as _classification,
    convolution as _convolution,
    ctc as _ctc,
    cubic as _cubic,
    distances as _distances,
    grid_positions as _grid_positions,
    interpolation as _interpolation,
    nearest as _nearest,
    network as _network,
    normalisation as _normalisation,
    piecewise as _piecewise,
    recurrent as _recurrent,
)
from .core.ops.nn.largest_places import ends_of_parts as ends_of_parts
from .core.ops.nn.resampling import Sums as Sums
from .core.ops.special import every as _special
from .transforms.custom.by_rows import by_rows as by_rows
from .transforms.custom.custom import custom_vjp as custom_vjp
from .transforms.custom.custom_calls import JvpCall as JvpCall, VjpCall as VjpCall, call_pullback as call_pullback
from .transforms.staging.effects import host_callback as host_callback, stop_gradient as stop_gradient
from .transforms.staging.graph import ShapeDtype as ShapeDtype

# Loaded for the primitives that compat uses.
_LOADED = (_bags, _by_output, _classification, _convolution, _ctc, _cubic, _distances, _extremes, _grid_positions,
           _interpolation, _nearest, _network, _normalisation, _pairs, _piecewise, _recurrent, _scattered_products,
           _special, _top_k)
