"""NumPy's functions on arrays and traced arrays alike."""

# isort: off
import numpy as _numpy
from numpy import (
    bool, bool_, can_cast, complex128, complex64, complexfloating, dtype, e, errstate, euler_gamma, finfo, float16,
    float32, float64, floating, from_dlpack, generic, iinfo, inexact, inf, int16, int32, int64, int8, integer, intp,
    isscalar, issubdtype, nan, ndarray, newaxis, number, pi, promote_types, uint16, uint32, uint64, uint8,
)

from . import array_methods as _array_methods  # noqa: F401 - adds methods to traced arrays
from . import emath, fft, linalg
from .calling import apply_along_axis, apply_over_axes, fromfunction, piecewise, vectorize
from .creation import (
    arange, array, asarray, copy, empty, empty_like, eye, full, full_like, geomspace, identity, linspace, logspace,
    meshgrid, ones, ones_like, tri, zeros, zeros_like,
)
from .dtypes import (
    asanyarray, asarray_chkfinite, ascontiguousarray, asfortranarray, common_type, isdtype, isfortran, isneginf,
    isposinf, iterable, min_scalar_type, real_if_close,
)
from .einsum import einsum, einsum_path
from .elementwise import (
    abs, absolute, acos, acosh, add, allclose, angle, arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh,
    around, array_equal, array_equiv, asin, asinh, astype, atan, atan2, atanh, bitwise_and, bitwise_count,
    bitwise_invert, bitwise_left_shift, bitwise_not, bitwise_or, bitwise_right_shift, bitwise_xor, cbrt, ceil, clip,
    conj, conjugate, copysign, cos, cosh, deg2rad, degrees, divide, divmod, equal, exp, exp2, expm1, fabs, fix,
    float_power, floor, floor_divide, fmax, fmin, fmod, frexp, gcd, greater, greater_equal, heaviside, hypot, imag,
    invert, isclose, iscomplex, iscomplexobj, isfinite, isinf, isnan, isreal, isrealobj, lcm, ldexp, left_shift, less,
    less_equal, log, log10, log1p, log2, logaddexp, logaddexp2, logical_and, logical_not, logical_or, logical_xor,
    maximum, minimum, mod, modf, multiply, nan_to_num, ndim, negative, nextafter, not_equal, positive, pow, power,
    rad2deg, radians, real, reciprocal, remainder, result_type, right_shift, rint, round, shape, sign, signbit, sin,
    sinc, sinh, size, spacing, sqrt, square, subtract, tan, tanh, true_divide, trunc,
)
from .indexing import (
    argwhere, choose, compress, delete, diag, diagflat, diagonal, extract, flatnonzero, insert, nonzero, select, take,
    take_along_axis, trace, tril, triu, where,
)
from .linear_algebra import cross, dot, inner, kron, matmul, matvec, outer, tensordot, vdot, vecdot, vecmat
from .nan_reductions import nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar
from .order_statistics import (
    median, nanmedian, nanpercentile, nanquantile, percentile, quantile,
)
from .padding import pad
from .index_arrays import (
    c_, diag_indices, diag_indices_from, indices, ix_, mask_indices, mgrid, ogrid, r_, ravel_multi_index, tril_indices,
    tril_indices_from, triu_indices, triu_indices_from, unravel_index,
)
from .polynomials import (
    poly, polyadd, polyder, polydiv, polyfit, polyint, polymul, polysub, polyval, roots, vander,
)
from .reductions import (
    all, amax, amin, any, argmax, argmin, average, count_nonzero, cumsum, diff, max, mean, min, prod, ptp, std, sum,
    var,
)
from .reductions import cumprod, cumulative_prod, cumulative_sum, ediff1d, nancumprod, nancumsum
from .sampled import convolve, correlate, gradient, interp, trapezoid, unwrap
from .sets import (
    intersect1d, isin, setdiff1d, setxor1d, trim_zeros, union1d, unique, unique_all, unique_counts, unique_inverse,
    unique_values,
)
from .shaping import (
    append, array_split, atleast_1d, atleast_2d, atleast_3d, block, broadcast_arrays, broadcast_shapes, broadcast_to,
    column_stack, concat, concatenate, dsplit, dstack, expand_dims, flip, fliplr, flipud, hsplit, hstack,
    matrix_transpose, moveaxis, permute_dims, ravel, repeat, reshape, resize, roll, rollaxis, rot90, row_stack, split,
    squeeze, stack, swapaxes, tile, transpose, unstack, vsplit, vstack,
)
from .sorting import (
    argpartition, argsort, digitize, lexsort, partition, searchsorted, sort, sort_complex,
)
from .statistics import bincount, corrcoef, cov, histogram, histogram2d, histogram_bin_edges, histogramdd
from .elementwise import bartlett, blackman, hamming, hanning, i0, kaiser
from .writing import at, copyto, fill_diagonal, place, put, put_along_axis, putmask
# isort: on


def __getattr__(name: str) -> object:
    """NumPy's module `random`, which NumPy itself imports when it is asked for."""
    if name == "random":
        return _numpy.random
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__array_namespace_info__ = _numpy.__array_namespace_info__
__array_api_version__ = _numpy.__array_api_version__

__all__ = [  # noqa: RUF022 - sorted, several a line
    "abs", "absolute", "acos", "acosh", "add", "all", "allclose", "amax", "amin", "angle", "any", "append",
    "apply_along_axis", "apply_over_axes", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2",
    "arctanh", "argmax", "argmin", "argpartition", "argsort", "argwhere", "around", "array", "array_equal",
    "array_equiv", "array_split", "asanyarray", "asarray", "asarray_chkfinite", "ascontiguousarray", "asfortranarray",
    "asin", "asinh", "astype", "at", "atan", "atan2", "atanh", "atleast_1d", "atleast_2d", "atleast_3d", "average",
    "bartlett", "bincount", "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "blackman", "block", "bool", "bool_", "broadcast_arrays",
    "broadcast_shapes", "broadcast_to", "c_", "can_cast", "cbrt", "ceil", "choose", "clip", "column_stack",
    "common_type", "complex128", "complex64", "complexfloating", "compress", "concat", "concatenate", "conj",
    "conjugate", "convolve", "copy", "copysign", "copyto", "corrcoef", "correlate", "cos", "cosh", "count_nonzero",
    "cov", "cross", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "deg2rad", "degrees", "delete", "diag",
    "diag_indices", "diag_indices_from", "diagflat", "diagonal", "diff", "digitize", "divide", "divmod", "dot",
    "dsplit", "dstack", "dtype", "e", "ediff1d", "einsum", "einsum_path", "emath", "empty", "empty_like", "equal",
    "errstate", "euler_gamma", "exp", "exp2", "expand_dims", "expm1", "extract", "eye", "fabs", "fft", "fill_diagonal",
    "finfo", "fix", "flatnonzero", "flip", "fliplr", "flipud", "float16", "float32", "float64", "float_power",
    "floating", "floor", "floor_divide", "fmax", "fmin", "fmod", "frexp", "from_dlpack", "fromfunction", "full",
    "full_like", "gcd", "generic", "geomspace", "gradient", "greater", "greater_equal", "hamming", "hanning",
    "heaviside", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd", "hsplit", "hstack", "hypot", "i0",
    "identity", "iinfo", "imag", "indices", "inexact", "inf", "inner", "insert", "int16", "int32", "int64", "int8",
    "integer", "interp", "intersect1d", "intp", "invert", "isclose", "iscomplex", "iscomplexobj", "isdtype",
    "isfinite", "isfortran", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "isrealobj", "isscalar",
    "issubdtype", "iterable", "ix_", "kaiser", "kron", "lcm", "ldexp", "left_shift", "less", "less_equal", "lexsort",
    "linalg", "linspace", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not",
    "logical_or", "logical_xor", "logspace", "mask_indices", "matmul", "matrix_transpose", "matvec", "max", "maximum",
    "mean", "median", "meshgrid", "mgrid", "min", "min_scalar_type", "minimum", "mod", "modf", "moveaxis", "multiply",
    "nan", "nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian",
    "nanmin", "nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "ndarray", "ndim", "negative",
    "newaxis", "nextafter", "nonzero", "not_equal", "number", "ogrid", "ones", "ones_like", "outer", "pad",
    "partition", "percentile", "permute_dims", "pi", "piecewise", "place", "poly", "polyadd", "polyder", "polydiv",
    "polyfit", "polyint", "polymul", "polysub", "polyval", "positive", "pow", "power", "prod", "promote_types", "ptp",
    "put", "put_along_axis", "putmask", "quantile", "r_", "rad2deg", "radians", "random", "ravel", "ravel_multi_index",
    "real", "real_if_close", "reciprocal", "remainder", "repeat", "reshape", "resize", "result_type", "right_shift",
    "rint", "roll", "rollaxis", "roots", "rot90", "round", "row_stack", "searchsorted", "select", "setdiff1d",
    "setxor1d", "shape", "sign", "signbit", "sin", "sinc", "sinh", "size", "sort", "sort_complex", "spacing", "split",
    "sqrt", "square", "squeeze", "stack", "std", "subtract", "sum", "swapaxes", "take", "take_along_axis", "tan",
    "tanh", "tensordot", "tile", "trace", "transpose", "trapezoid", "tri", "tril", "tril_indices", "tril_indices_from",
    "trim_zeros", "triu", "triu_indices", "triu_indices_from", "true_divide", "trunc", "uint16", "uint32", "uint64",
    "uint8", "union1d", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values", "unravel_index",
    "unstack", "unwrap", "vander", "var", "vdot", "vecdot", "vecmat", "vectorize", "vsplit", "vstack", "where",
    "zeros", "zeros_like",
]
