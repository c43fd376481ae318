"""What the sources of native functions call by name, beside what NumPy and Python have."""

import numpy as np

from ..... import _engine, extend
from ....._engine import FREED, Ambient
from ..graph import versions
from ..graph.node import AccumulateGrad, GradNode
from ..modes.modes import MODES
from ..state.edges import accumulator, edge as renewed, is_current, untangled
from ..state.levels import DUAL
from ..types import dtypes
from ..types.number_cache import CONSTS, FLOATS
from ..types.parameter import Parameter
from ..types.tensor_type import FAST, GENERAL, INFERENCE, INFERRED, VIEW, Record, Tensor

DECLINED = object()  # the output of a program where the general path is to be taken
DOUBLES, SINGLES = CONSTS[FLOATS[0]], CONSTS[FLOATS[1]]  # number -> array without axes
ndarray = np.ndarray
double, single = np.dtype(np.float64), np.dtype(np.float32)
EXPOSED, LAST, WRITTEN, Written = versions.EXPOSED, versions.LAST, versions.WRITTEN, versions.Written
Default, Dtype = dtypes.Default, dtypes.dtype
Aval, aval_of, next_seq = extend.Aval, extend.aval_of, _engine.next_seq
HELD = {"AccumulateGrad": AccumulateGrad, "Ambient": Ambient, "Aval": Aval, "DECLINED": DECLINED, "DOUBLES": DOUBLES,
        "DUAL": DUAL, "Default": Default, "Dtype": Dtype, "EXPOSED": EXPOSED, "Ellipsis": Ellipsis, "FAST": FAST,
        "FREED": FREED, "False": False, "GENERAL": GENERAL, "GradNode": GradNode, "INFERENCE": INFERENCE,
        "INFERRED": INFERRED, "LAST": LAST, "MODES": MODES, "None": None, "Parameter": Parameter, "Record": Record,
        "SINGLES": SINGLES, "Tensor": Tensor, "True": True, "VIEW": VIEW, "WRITTEN": WRITTEN, "Written": Written,
        "accumulator": accumulator, "aval_of": aval_of, "int": int, "is_current": is_current, "list": list,
        "next_seq": next_seq, "renewed": renewed, "slice": slice, "str": str, "tuple": tuple, "untangled": untangled}
STRINGS = ("T", "append", "attr_version", "base", "copy", "creation", "dot", "float", "forward_base", "inference",
           "multi", "name", "no_grad", "prim", "put", "quiet", "relaid", "reshape", "retain", "shape", "steps",
           "tangent", "trace", "transpose", "view")
