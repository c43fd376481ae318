"""Operations of random programs that work element by element: functions of NumPy, of SciPy, and of layers."""

from typing import Any

import numpy as np

from rig.operations import Library, Operation, binary, no_parameters, one_of, unary


def _to_integer(x: Any) -> Any:
    return x - np.rint(x)


def _masked_log(lib: Library, x: Any) -> Any:
    return lib.np.where(x > 0.3, lib.np.log(lib.np.where(x > 0.3, x, 1.0)), x)


def _special(name: str, of: Any = lambda np, x: x) -> Operation:
    return Operation(1, no_parameters, lambda lib, x: getattr(lib.special, name)(of(lib.np, x)))


def _special_pair(name: str, of: Any) -> Operation:
    """A function of two arrays, which the pair of values is first brought into the domain of."""
    return Operation(2, no_parameters, lambda lib, x, y: getattr(lib.special, name)(of(lib.np, x), of(lib.np, y)))


def _layer(name: str) -> Operation:
    return Operation(1, no_parameters, lambda lib, x: getattr(lib.nn, name)(x))


def _above(np: Any, x: Any) -> Any:
    return 1.0 + np.tanh(x) * np.tanh(x)


def _inside(np: Any, x: Any) -> Any:
    return 0.8 * np.tanh(x)


def _chance(np: Any, x: Any) -> Any:
    return 0.5 + 0.4 * np.tanh(x)


def _small(np: Any, x: Any) -> Any:
    """Holomorphic, and bounded for real `x`."""
    return np.sin(x) * 0.8


NODES = np.array([-1.0, -0.2, 0.5, 1.5])
POINTWISE = {
    "sin": unary(lambda np, x: np.sin(x), complex_too=True), "cos": unary(lambda np, x: np.cos(x), complex_too=True),
    "tanh": unary(lambda np, x: np.tanh(x)), "exp": unary(lambda np, x: np.exp(np.tanh(x))),
    "exp_of_sine": unary(lambda np, x: np.exp(_small(np, x)), complex_too=True),
    "log": unary(lambda np, x: np.log(x * x + 0.5)), "log1p": unary(lambda np, x: np.log1p(np.square(x))),
    "sqrt": unary(lambda np, x: np.sqrt(x * x + 0.1)), "reciprocal": unary(lambda np, x: 1.0 / (2.0 + x * x)),
    "expm1": unary(lambda np, x: np.expm1(-x * x)), "cube": unary(lambda np, x: 0.3 * x**3, complex_too=True),
    "tan": unary(lambda np, x: np.tan(0.5 * np.tanh(x))), "relu": unary(lambda np, x: np.maximum(x, 0.0)),
    "sign": unary(lambda np, x: np.sign(x) * x), "clip": unary(lambda np, x: np.clip(x, -0.7, 0.9)),
    "negative": unary(lambda np, x: -x, complex_too=True), "square": unary(lambda np, x: 0.5 * np.square(x),
                                                                           complex_too=True),
    "cbrt": unary(lambda np, x: np.cbrt(x * x + 0.3)), "exp2": unary(lambda np, x: np.exp2(np.tanh(x))),
    "log2": unary(lambda np, x: np.log2(x * x + 0.5)), "log10": unary(lambda np, x: np.log10(x * x + 0.5)),
    "arcsin": unary(lambda np, x: np.arcsin(_inside(np, x))), "arccos": unary(lambda np, x: np.arccos(_inside(np, x))),
    "arctan": unary(lambda np, x: np.arctan(x)), "arctanh": unary(lambda np, x: np.arctanh(_inside(np, x))),
    "sinh": unary(lambda np, x: np.sinh(np.tanh(x))), "cosh": unary(lambda np, x: np.cosh(np.tanh(x))),
    "arcsinh": unary(lambda np, x: np.arcsinh(x)), "arccosh": unary(lambda np, x: np.arccosh(x * x + 1.2)),
    "sinc": unary(lambda np, x: np.sinc(_above(np, x))), "i0": unary(lambda np, x: np.i0(np.tanh(x))),
    "degrees": unary(lambda np, x: np.degrees(np.tanh(x)) * 0.1), "radians": unary(lambda np, x: np.radians(x) * 20.0),
    "absolute": unary(lambda np, x: np.abs(x), complex_too=True, margin=np.abs),
    "floor": unary(lambda np, x: np.floor(x) * x, margin=_to_integer),
    "ceil": unary(lambda np, x: np.ceil(x) * x, margin=_to_integer),
    "trunc": unary(lambda np, x: np.trunc(x) * x, margin=_to_integer),
    "rint": unary(lambda np, x: np.rint(x) * x, margin=lambda x: _to_integer(x + 0.5)),
    "modf": unary(lambda np, x: np.modf(x)[0] * 2.0, margin=_to_integer),
    "heaviside": unary(lambda np, x: np.heaviside(x, 0.5) * x, margin=lambda x: x),
    "nan_to_num": unary(lambda np, x: np.nan_to_num(np.where(x > 0, x, np.nan), nan=0.5), margin=lambda x: x),
    "interp": unary(lambda np, x: np.interp(x, NODES, NODES * NODES),
                    margin=lambda x: np.subtract.outer(x, NODES)),
    # At 0 JAX's second derivative of x**1, with the exponent in an array, is NaN.
    "integer_exponents": unary(lambda np, x: (0.8 * x) ** (np.arange(x.size).reshape(x.shape) % 4), complex_too=True,
                               margin=lambda x: x),
    "ldexp": unary(lambda np, x: np.ldexp(np.tanh(x), np.arange(x.size).reshape(x.shape) % 3)),
    "add": binary(lambda np, x, y: x + y, complex_too=True),
    "subtract": binary(lambda np, x, y: x - y, complex_too=True),
    "multiply": binary(lambda np, x, y: x * y, complex_too=True),
    "divide": binary(lambda np, x, y: x / (1.5 + y * y)),
    "divide_by_modulus": binary(lambda np, x, y: x / (1.5 + y * np.conj(y)), complex_too=True),
    "maximum": binary(lambda np, x, y: np.maximum(x, y)), "minimum": binary(lambda np, x, y: np.minimum(x, y)),
    "fmax": binary(lambda np, x, y: np.fmax(x, y)), "fmin": binary(lambda np, x, y: np.fmin(x, y)),
    "arctan2": binary(lambda np, x, y: np.arctan2(x, y * y + 0.5)),
    "hypot": binary(lambda np, x, y: np.hypot(x, y)),
    "power": binary(lambda np, x, y: (x * x + 0.5) ** np.tanh(y)),
    "float_power": binary(lambda np, x, y: np.float_power(x * x + 0.5, np.sin(y))),
    "remainder": binary(lambda np, x, y: x % (y * y + 1.0), margin=lambda x, y: _to_integer(x / (y * y + 1.0))),
    "fmod": binary(lambda np, x, y: np.fmod(x, y * y + 1.0), margin=lambda x, y: _to_integer(x / (y * y + 1.0))),
    "floor_divide": binary(lambda np, x, y: x // (y * y + 1.0) * y,
                           margin=lambda x, y: _to_integer(x / (y * y + 1.0))),
    "logaddexp": binary(lambda np, x, y: np.logaddexp(x, y)), "logaddexp2": binary(
        lambda np, x, y: np.logaddexp2(x, y)),
    "copysign": binary(lambda np, x, y: np.copysign(x, y), margin=lambda x, y: (x + 0 * y) * y),
    "masked_log": Operation(1, no_parameters, _masked_log, margin=lambda x: x - 0.3),
    "where": binary(lambda np, x, y: np.where(x > y, np.sin(x), y * 0.5)),
    "where_of_masks": binary(
        lambda np, x, y: np.where(((x > 0) & (y < 0.5)) | ~np.isfinite(x) | ((x < y) ^ (y > 0)), x * y, y - x),
        margin=lambda x, y: x * (y - 0.5) * y * (x - y)),
    "mask_as_number": binary(lambda np, x, y: (x > y) * x + (y >= 0) * 2.0, margin=lambda x, y: (x - y) * y),
    "select": binary(lambda np, x, y: np.select([x > 0.5 + 0 * y, y < -0.5 + 0 * x], [x * x + 0 * y, np.sin(y) + 0 * x],
                                                0.3), margin=lambda x, y: (x - 0.5) * (y + 0.5)),
    "choose": binary(lambda np, x, y: np.choose((x > y).astype(int), [x + 0 * y, 2.0 * y + 0 * x], mode="clip"),
                     margin=lambda x, y: x - y),
    "two_branches": unary(lambda np, x: np.where(x < 0, np.expm1(np.minimum(x, 0.0)), np.sin(x)), margin=lambda x: x),
    "real": unary(lambda np, x: np.real(x), complex_too=True), "imag": unary(lambda np, x: np.imag(x) + 0.1,
                                                                            complex_too=True),
    "conjugate": unary(lambda np, x: np.conj(x), complex_too=True),
    "to_complex": binary(lambda np, x, y: x + 1j * y, complex_too=True),
    "polar": binary(lambda np, x, y: x * np.exp(1j * y)),
    "angle": binary(lambda np, x, y: np.angle(x + 1j * y), margin=lambda x, y: (x + 0 * y) * y),
    "squared_modulus": unary(lambda np, x: np.real(x * np.conj(x)), complex_too=True),
    "erf": _special("erf"), "erfc": _special("erfc"), "erfinv": _special("erfinv", _inside),
    "expit": _special("expit"), "logit": _special("logit", _chance), "ndtr": _special("ndtr"),
    "log_ndtr": _special("log_ndtr"), "ndtri": _special("ndtri", _chance), "gammaln": _special("gammaln", _above),
    "gamma": _special("gamma", _above), "digamma": _special("digamma", _above), "entr": _special("entr", _above),
    "i0e": _special("i0e"), "i1": _special("i1", _inside), "i1e": _special("i1e"),
    "polygamma": Operation(1, one_of(1, 2), lambda lib, x, n: lib.special.polygamma(n, _above(lib.np, x))),
    "multigammaln": Operation(1, no_parameters, lambda lib, x: lib.special.multigammaln(_above(lib.np, x) + 1.0, 2)),
    "beta": _special_pair("beta", _above), "betaln": _special_pair("betaln", _above),
    "xlogy": _special_pair("xlogy", _above), "xlog1py": _special_pair("xlog1py", _chance),
    "rel_entr": _special_pair("rel_entr", _chance), "kl_div": _special_pair("kl_div", _chance),
    "gammainc": Operation(1, one_of(0.7, 2.5), lambda lib, x, a: lib.special.gammainc(a, _above(lib.np, x))),
    "gammaincc": Operation(1, one_of(0.7, 2.5), lambda lib, x, a: lib.special.gammaincc(a, _above(lib.np, x))),
    "betainc": Operation(1, one_of((0.7, 2.0), (2.5, 1.3)),
                         lambda lib, x, ab: lib.special.betainc(*ab, _chance(lib.np, x))),
    "rectifier": _layer("relu"), "gelu": Operation(
        1, one_of(True, False), lambda lib, x, approximate: lib.nn.gelu(x, approximate=approximate)),
    "silu": _layer("silu"), "elu": _layer("elu"), "selu": _layer("selu"), "softplus": _layer("softplus"),
    "sigmoid": _layer("sigmoid"), "log_sigmoid": _layer("log_sigmoid"),
}  # fmt: skip
