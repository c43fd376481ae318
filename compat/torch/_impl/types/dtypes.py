"""torch's dtypes over NumPy's, and torch's promotion."""

import importlib.util

import numpy as np


class dtype:  # noqa: N801 (torch's name)
    """One element type; compared by identity.

    >>> import covector.compat.torch as torch
    >>> torch.float32, torch.float32.is_floating_point, torch.float32.itemsize
    (torch.float32, True, 4)
    """

    __slots__ = ("category", "is_complex", "is_floating_point", "is_signed", "itemsize", "name", "numpy")

    def __init__(self, name, numpy, category):
        self.name = name
        self.numpy = np.dtype(numpy)
        self.category = category  # 0 bool, 1 integer, 2 floating, 3 complex
        self.is_floating_point = category == 2
        self.is_complex = category == 3
        self.is_signed = category >= 2 or self.numpy.kind == "i"
        self.itemsize = self.numpy.itemsize

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return _by_name, (self.name,)

    def to_real(self):
        """The dtype of the real part."""
        return _REAL.get(self.name, self)

    def to_complex(self):
        """The complex dtype of the same precision."""
        if self.category < 2:
            raise RuntimeError(f"Unknown Complex ScalarType for {type_word(self.numpy)}")
        small = {"float16": complex64, "bfloat16": complex64, "float32": complex64}
        return complex128 if self is float64 else small.get(self.name, self)


class _Without(dtype):
    """A dtype without arrays, or whose package is not installed: it can be named and compared."""

    __slots__ = ("reason",)

    def __init__(self, name, itemsize, category, reason):
        self.name, self.itemsize, self.category, self.reason = name, itemsize, category, reason
        self.is_floating_point, self.is_complex, self.is_signed = category == 2, category == 3, category >= 2

    @property
    def numpy(self):
        raise NotImplementedError(self.reason)


def _by_name(name):
    return bfloat16 if name == "bfloat16" else NAMED.get(name) or ONLY_NAMED[name]


bool_ = dtype("bool", np.bool_, 0)
uint8 = dtype("uint8", np.uint8, 1)
int8 = dtype("int8", np.int8, 1)
int16 = dtype("int16", np.int16, 1)
int32 = dtype("int32", np.int32, 1)
int64 = dtype("int64", np.int64, 1)
uint16 = dtype("uint16", np.uint16, 1)
uint32 = dtype("uint32", np.uint32, 1)
uint64 = dtype("uint64", np.uint64, 1)
float16 = dtype("float16", np.float16, 2)
float32 = dtype("float32", np.float32, 2)
float64 = dtype("float64", np.float64, 2)
complex64 = dtype("complex64", np.complex64, 3)
complex128 = dtype("complex128", np.complex128, 3)
ALL = [bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64, float16, float32, float64, complex64,
       complex128]
NO_BFLOAT16 = "bfloat16 needs the package ml_dtypes, which is not installed; pip install covector[bf16]"
if importlib.util.find_spec("ml_dtypes"):
    import ml_dtypes

    bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, 2)
    ALL.append(bfloat16)
else:
    bfloat16 = _Without("bfloat16", 2, 2, NO_BFLOAT16)
# What programs compare with, and look up in tables, where no tensor has it.
ONLY_NAMED = {name: _Without(name, size, category, f"tensors of {name} are not implemented in covector.compat.torch; "
                             f"use {instead}")
              for size, category, instead, names in (
                  (1, 2, "bfloat16", "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu "
                                     "float4_e2m1fn_x2"),
                  (4, 3, "complex64", "complex32"),
                  (1, 1, "int8 or uint8", "int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 "
                                          "uint7 qint8 quint8 quint4x2 quint2x4 bits8 bits1x8 bits2x4 bits4x2"),
                  (2, 1, "int16", "bits16"), (4, 1, "int32", "qint32"))
              for name in names.split()}
_REAL = {"complex64": float32, "complex128": float64}
NAMED = {d.name: d for d in ALL}
OF_NUMPY = {d.numpy: d for d in ALL}
ALIASES = {"half": float16, "float": float32, "double": float64, "short": int16, "int": int32, "long": int64,
           "cfloat": complex64, "cdouble": complex128}


OF_PYTHON = {float: float64, int: int64, bool: bool_, complex: complex128}


def torch_dtype(d):
    """The dtype that `d` names where a dtype is asked for: `d` itself, or that of one of Python's types of numbers."""
    return OF_PYTHON.get(d, d) if type(d) is type else d


class Default:
    """The default floating dtype, process-wide as torch's."""

    float = float32


def get_default_dtype():
    """The dtype of floating tensors made from Python numbers.

    >>> import covector.compat.torch as torch
    >>> torch.get_default_dtype()
    torch.float32
    """
    return Default.float


def set_default_dtype(d):
    """Set the dtype of floating tensors made from Python numbers.

    Args:
        d: a floating dtype.
    Raises:
        TypeError: it is another one.

    >>> import covector.compat.torch as torch
    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor(1.0).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    if not isinstance(d, dtype):
        raise TypeError(f"invalid dtype object: only floating-point types are supported as the default type, got {d!r}")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    Default.float = d


def default_complex():
    """The complex dtype of the default precision."""
    return Default.float.to_complex()


def name_of(numpy_dtype):
    """NumPy's name of the scalar type: `str_`, `object_`."""
    return numpy_dtype.type.__name__


def of_numpy(numpy_dtype):
    """The dtype of a NumPy dtype, or TypeError."""
    found = OF_NUMPY.get(numpy_dtype)
    if found is None:
        numpy_dtype = np.dtype(numpy_dtype)
        found = OF_NUMPY.get(numpy_dtype.newbyteorder("="))
        if found is None:
            raise TypeError(
                f"can't convert np.ndarray of type numpy.{name_of(numpy_dtype)}. The only supported types are: "
                "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
                "uint16, uint8, and bool."
            )
    return found


def promote_types(a, b):
    """The smallest dtype that holds both, by torch's table.

    >>> import covector.compat.torch as torch
    >>> torch.promote_types(torch.int64, torch.float32), torch.promote_types(torch.uint8, torch.int8)
    (torch.float32, torch.int16)
    """
    if a is b:
        return torch_dtype(a)
    a, b = torch_dtype(a), torch_dtype(b)
    if a is b:
        return a
    if a.category != b.category:
        high, low = (a, b) if a.category > b.category else (b, a)
        if high.category == 3 and low is float64:
            return complex128
        return high
    if a.category == 2 and bfloat16 in (a, b):
        other = b if a is bfloat16 else a
        return float32 if other is float16 else other
    promoted = OF_NUMPY[np.promote_types(a.numpy, b.numpy)]
    if a.category == 1 and promoted.category != 1:
        raise RuntimeError(f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
                           f"{a.name.capitalize()} and {b.name.capitalize()}")
    return promoted


def can_cast(from_, to):
    """Tell whether torch's type conversion rules allow the cast.

    >>> import covector.compat.torch as torch
    >>> torch.can_cast(torch.float64, torch.float32), torch.can_cast(torch.float32, torch.int64)
    (True, False)
    """
    from_, to = torch_dtype(from_), torch_dtype(to)
    return from_.category <= to.category


def of_scalar(value):
    """The dtype a Python number has as a tensor."""
    kind = type(value)
    if kind is bool or isinstance(value, np.bool_):
        return bool_
    if isinstance(value, (int, np.integer)):
        return int64
    if isinstance(value, (float, np.floating)):
        return Default.float
    if isinstance(value, (complex, np.complexfloating)):
        return default_complex()
    raise TypeError(f"expected a number, but got {kind.__name__}")


def promoted(dimmed, zero_dim, numbers):
    """torch's promotion: tensors with axes first, then 0-d tensors, then numbers; a lower rank only raises category.

    Args:
        dimmed, zero_dim: dtypes; numbers: Python numbers.
    """
    result = None
    for d in dimmed:
        result = d if result is None else promote_types(result, d)
    zero = None
    for d in zero_dim:
        zero = d if zero is None else promote_types(zero, d)
    if zero is not None and (result is None or zero.category > result.category):
        wide = result is not None and zero.category == 3 and result.is_floating_point
        result = zero if result is None else result.to_complex() if wide else promote_types(result, zero)
    number = None
    for value in numbers:
        d = of_scalar(value)
        number = d if number is None else promote_types(number, d)
    if number is not None and (result is None or number.category > result.category):
        if result is not None and number.category == 3 and result.is_floating_point:
            return result.to_complex()
        result = number if result is None else promote_types(result, number)
    return result


def letter(d):
    """A dtype as the tables of refusals write it: NumPy's letter of int64 on Linux and its like, `g` for bfloat16."""
    return _LETTERS.get(d)


_LETTERS = {**dict(zip(ALL, "?BbhilHILefdFD")), bfloat16: "g"}


def type_word(dtype):
    """`Float`: torch's word for a dtype."""
    return WORDS.get(np.dtype(dtype).name, str(dtype))


WORDS = {"float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long", "int32": "Int",
         "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool", "complex64": "ComplexFloat",
         "complex128": "ComplexDouble", "bfloat16": "BFloat16"}


def c_type(dtype):
    """`float`: the C++ name that torch shows in some messages."""
    return _C_TYPES.get(np.dtype(dtype).name, type_word(dtype))


_C_TYPES = {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
            "int64": "long int", "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
            "bool": "bool", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>"}
