"""torch.types: the types that annotations of tensor programs name."""

import os as _os
from builtins import bool as _bool, bytes as _bytes, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Sequence as _Sequence
from typing import IO as _IO

from ._impl.dispatch import surface as _surface
from ._impl.platform.assertions import SymBool as SymBool, SymFloat as SymFloat, SymInt as SymInt
from ._impl.types.dtypes import dtype as _dtype
from ._impl.types.size import Size as _Size, device as _device, layout as _layout
from ._impl.types.tensor_type import Tensor as Tensor, Tensor as _Tensor
from .storage import UntypedStorage as Storage

Number = _int | _float | _bool
Device = _device | _str | _int | None
FileLike = _str | _os.PathLike | _IO[_bytes]
IntLikeType, FloatLikeType, BoolLikeType = _int, _float, _bool  # nothing here is symbolic
py_sym_types = (SymInt, SymFloat, SymBool)
_Number = (_int, _float, _bool)
_TensorOrTensors = _Tensor | _Sequence[_Tensor]
_size = _Size | list[_int] | tuple[_int, ...]
_symsize = _Size | _Sequence[_int]

__getattr__, __dir__ = _surface.look_up("types")
__all__ = ["Device", "FileLike", "Number", "Storage"]
_EXPORTED = (_complex, _dtype, _layout)  # which torch.types has by these names
