"""torch.compiler: nothing is compiled; decorators give functions as they are."""

from ._impl.dispatch import surface as _surface
from ._impl.module.compiled import compile as compile
from ._impl.platform.compiling import as_it_is as _as_it_is, no as _no

allow_in_graph = assume_constant_result = disable = _as_it_is
is_compiling = is_dynamo_compiling = is_exporting = _no


def reset():
    """Nothing: nothing was compiled."""


def cudagraph_mark_step_begin():
    """Nothing."""


__getattr__ = _surface.getter("compiler.", "torch.compiler")
