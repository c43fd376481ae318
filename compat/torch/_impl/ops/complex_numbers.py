"""Complex tensors: made of parts, conjugated, and their angles."""

import numpy as np

from .....extend import REGISTRY
from ..dispatch.call import floating, invoke, method, operation
from ..dispatch.layouts import LIKE_OPERANDS, check_broadcast
from ..types.dtypes import type_word
from ..types.parameter import PLAIN_KINDS
from .array_functions import cnp


@operation("complex", method=False, layout=LIKE_OPERANDS)
def complex(real, imag):  # noqa: A001 (torch's name)
    """Build complex numbers from real and imaginary parts."""
    check_parts("complex", ("real", "imag"), (real, imag))
    return joined(real, imag)


@operation("polar", method=False, layout=LIKE_OPERANDS)
def polar(abs, angle):  # noqa: A002 (torch's names)
    """Build complex numbers from absolute values and angles."""
    check_parts("polar", ("abs", "angle"), (abs, angle))
    return joined(abs * cnp.cos(angle), abs * cnp.sin(angle))


def check_parts(fun, names, parts):
    """torch's refusals of what cannot become one complex tensor."""
    for place, (name, part) in enumerate(zip(names, parts), 1):
        if not hasattr(part, "dtype"):
            raise TypeError(f"{fun}(): argument '{name}' (position {place}) must be Tensor, not "
                            f"{type(part).__name__}")
    words = [type_word(v.dtype) for v in parts]
    if any(v.dtype not in (np.float16, np.float32, np.float64) for v in parts):
        raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got "
                           f"{words[0]} and {words[1]}")
    if words[0] != words[1]:
        raise RuntimeError(f"Expected object of scalar type {words[0]} but got scalar type {words[1]} for second "
                           "argument")
    if parts[0].dtype == np.float16:
        raise NotImplementedError(f"{fun}() of float16 parts gives complex32 in PyTorch, which NumPy does not have; "
                                  "cast the parts to float32")
    check_broadcast(*parts)


def joined(real, imag):
    """`real + imag i` without a product, which would make NaN of infinite parts."""
    return REGISTRY["as_complex"].fun(cnp.stack(cnp.broadcast_arrays(real, imag), axis=-1))


@operation("_conj", method=False, register=False, node="ConjBackward0")
def _conj(input):
    return cnp.conj(input)


@method("conj")
def conj(input):
    """Return the complex conjugate; a real tensor is returned as it is."""
    return _conj(input) if input.is_complex() else input


def _itself(row):
    """The lane of `conj_physical`: real tensors are their own."""

    def fun(*args, **named):
        if len(args) == 1 and not named and type(args[0]) in PLAIN_KINDS and not args[0].is_complex():
            return args[0]
        return invoke(row, fun, args, named)

    return fun


@operation("conj_physical", inplace_form=True, lane=_itself)
def conj_physical(input):
    """Return the complex conjugate; a real tensor is returned as it is."""
    return cnp.conj(input) if input.dtype.kind == "c" else input


@operation("angle")
def angle(input):
    """Return the angle of complex numbers."""
    x = floating(input)
    return cnp.angle(x if x.dtype.kind == "c" else x + 0.0)  # that of -0.0 is 0
