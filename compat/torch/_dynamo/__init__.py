"""torch._dynamo, as far as other people's modules look at it: nothing is compiled."""

from types import SimpleNamespace as _SimpleNamespace

from .._impl.dispatch import surface as _surface
from .._impl.platform.compiling import as_it_is as _as_it_is, no as _no
from . import eval_frame
from .eval_frame import OptimizedModule as OptimizedModule

allow_in_graph = assume_constant_result = disable = disallow_in_graph = _as_it_is
mark_dynamic = mark_static = mark_static_address = mark_unbacked = maybe_mark_dynamic = _as_it_is
is_compiling = is_dynamo_supported = _no
__getattr__, __dir__ = _surface.look_up("_dynamo")
config = _SimpleNamespace(verbose=False, suppress_errors=False, cache_size_limit=8)  # read by nothing here


def reset():
    """Nothing: nothing was compiled."""
