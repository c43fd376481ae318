"""torch._VF: operations by their names, as modules call them."""

from ..._engine import LazyModule
from ._impl.dispatch import surface as _surface

_PARTS = dict.fromkeys(("gru_cell", "lstm_cell", "rnn_relu_cell", "rnn_tanh_cell"),
                       LazyModule("covector.compat.torch._impl.module.cells"))
_PARTS |= dict.fromkeys(("gru", "lstm", "rnn_relu", "rnn_tanh"),
                        LazyModule("covector.compat.torch._impl.module.sequences"))
__getattr__ = _surface.getter("", "torch._VF", parts=_PARTS)
del LazyModule
