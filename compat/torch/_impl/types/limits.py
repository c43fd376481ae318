"""The limits of dtypes: finfo and iinfo."""

import numpy as np

from . import dtypes

# name -> bits, eps, max, tiny, resolution: of dtypes that NumPy does not have
_OTHERS = {
    "bfloat16": (16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126, 0.01),
    "float8_e4m3fn": (8, 0.125, 448.0, 2.0**-6, 1.0),
    "float8_e4m3fnuz": (8, 0.125, 240.0, 2.0**-7, 1.0),
    "float8_e5m2": (8, 0.25, 57344.0, 2.0**-14, 1.0),
    "float8_e5m2fnuz": (8, 0.25, 57344.0, 2.0**-15, 1.0),
}
_RESOLUTION = {"float16": 1e-3, "float32": 1e-6, "float64": 1e-15}


class finfo:  # noqa: N801 (torch's name)
    """The limits of a floating dtype.

    >>> import covector.compat.torch as torch
    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, type=None):  # noqa: A002 (torch's name)
        dtype = dtypes.Default.float if type is None else dtypes.torch_dtype(type)
        if not isinstance(dtype, dtypes.dtype) or dtype.category < 2:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                            "'torch.finfo'")
        dtype = dtype.to_real()
        facts = _OTHERS.get(dtype.name)
        if facts is None:
            info = np.finfo(dtype.numpy)
            facts = info.bits, float(info.eps), float(info.max), float(info.tiny), _RESOLUTION[dtype.name]
        self.bits, self.eps, self.max, self.tiny, self.resolution = facts
        self.min, self.smallest_normal, self.dtype = -self.max, self.tiny, dtype.name

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})")

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(("finfo", self.dtype))


class iinfo:  # noqa: N801 (torch's name)
    """The limits of an integer dtype.

    >>> import covector.compat.torch as torch
    >>> torch.iinfo(torch.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    def __init__(self, type):  # noqa: A002 (torch's name)
        type = dtypes.torch_dtype(type)  # noqa: A001
        if type is dtypes.bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if not isinstance(type, dtypes.dtype) or type.category != 1:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        info = np.iinfo(type.numpy)
        self.bits, self.max, self.min, self.dtype = info.bits, int(info.max), int(info.min), type.name

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(("iinfo", self.dtype))
