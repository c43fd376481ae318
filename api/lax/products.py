"""General products and convolutions, with the arguments of `jax.lax`."""

from collections.abc import Sequence
from typing import Any

from .. import numpy as cnp
from ..core.checks import sequence
from ..core.errors import RuleError, ShapeError, at_user_line
from ..core.types import Array
from ..nn import conv as _conv
from ..numpy.surface import array_of
from .shaping import pad, transpose

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def dot_general(lhs: Array, rhs: Array, dimension_numbers: Any, precision: Any = None,
                preferred_element_type: Any = None) -> Array:
    """Multiply two arrays, contracting over some axes and running along others together.

    Args:
        lhs, rhs: arrays.
        dimension_numbers: `((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch))`, each a tuple of axes.
        precision: accepted for compatibility with JAX.
        preferred_element_type: the dtype of the result.
    Returns:
        an array with the batch axes, then those left of `lhs`, then those left of `rhs`.
    Raises:
        ShapeError: the axes do not belong together.

    >>> import numpy as np, covector
    >>> x, y = np.ones((5, 2, 3)), np.ones((5, 3, 4))
    >>> covector.lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))).shape
    (5, 2, 4)
    """
    lhs, rhs = array_of(lhs), array_of(rhs)
    (left, right), (left_batch, right_batch) = dimension_numbers
    if len(left) != len(right) or len(left_batch) != len(right_batch) or any(
            lhs.shape[i] != rhs.shape[j] for i, j in zip((*left, *left_batch), (*right, *right_batch))):
        raise ShapeError(f"dot_general needs pairs of axes of equal sizes, but got dimension_numbers="
                         f"{dimension_numbers} for shapes {lhs.shape} and {rhs.shape}; name as many axes of both"
                         f"{at_user_line()}")
    names = iter(_LETTERS)
    of_lhs = [next(names) for _ in lhs.shape]
    of_rhs: list[str] = ["" for _ in rhs.shape]
    for i, j in zip((*left, *left_batch), (*right, *right_batch)):
        of_rhs[j] = of_lhs[i]
    of_rhs = [name or next(names) for name in of_rhs]
    batch = [of_lhs[i] for i in left_batch]
    free = [c for c in of_lhs if c not in of_rhs] + [c for c in of_rhs if c not in of_lhs]
    out = cnp.einsum(f"{''.join(of_lhs)},{''.join(of_rhs)}->{''.join(batch + free)}", lhs, rhs)
    return out if preferred_element_type is None else cnp.astype(out, preferred_element_type)


def conv_general_dilated(
    lhs: Array, rhs: Array, window_strides: Sequence[int], padding: Any, lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None, dimension_numbers: Any = None, feature_group_count: int = 1,
    batch_group_count: int = 1, precision: Any = None, preferred_element_type: Any = None,
) -> Array:
    """Convolve, with a stride, dilations, and the axes in any order; `covector.nn.conv` is the same in one order.

    Args:
        lhs: the input, `(n, channels, *size)` unless `dimension_numbers` says otherwise.
        rhs: the kernels, `(features, channels / groups, *kernel)` unless `dimension_numbers` says otherwise.
        window_strides: the step between windows, one number per axis of `size`.
        padding: "SAME", "VALID", or pairs (before, after), negative ones to cut off.
        lhs_dilation: the step between elements of the input, one number per axis.
        rhs_dilation: the step between elements of a kernel, one number per axis.
        dimension_numbers: three strings, as ("NHWC", "HWIO", "NHWC"): the axes of `lhs`, `rhs` and the result.
        feature_group_count: the number of groups of channels and features.
        batch_group_count: 1.
        precision: accepted for compatibility with JAX.
        preferred_element_type: the dtype of the result.
    Returns:
        the convolution, `(n, features, *out)` unless `dimension_numbers` says otherwise.
    Raises:
        ShapeError: the shapes or strings do not match.
        RuleError: `batch_group_count` is not 1.

    >>> import numpy as np, covector
    >>> image, kernels = np.ones((1, 8, 8, 3)), np.ones((3, 3, 3, 16))
    >>> axes = ("NHWC", "HWIO", "NHWC")
    >>> covector.lax.conv_general_dilated(image, kernels, (2, 2), "SAME", dimension_numbers=axes).shape
    (1, 4, 4, 16)
    """
    if batch_group_count != 1:
        raise RuleError(f"conv_general_dilated needs batch_group_count=1, but got {batch_group_count}; convolve each "
                        f"group by itself, under vmap{at_user_line()}")
    lhs, rhs = array_of(lhs), array_of(rhs)
    n = lhs.ndim - 2
    size = "".join("DHW"[3 - n + k] if n <= 3 else chr(ord("a") + k) for k in range(n))
    numbers = (f"NC{size}", f"OI{size}", f"NC{size}") if dimension_numbers is None else dimension_numbers
    numbers = sequence(numbers, "dimension_numbers of conv_general_dilated")
    if len(numbers) != 3:
        raise ShapeError(f"conv_general_dilated needs three strings as dimension_numbers, but got {numbers}; write it "
                         f"as in ('NHWC', 'HWIO', 'NHWC'){at_user_line()}")
    x_axes, w_axes, out_axes = map(str, numbers)
    spatial = [c for c in w_axes if c not in "OI"]
    for name, axes, wanted, rank in (("rhs", w_axes, {"O", "I"}, rhs.ndim), ("lhs", x_axes, {"N", "C"}, lhs.ndim),
                                     ("the result", out_axes, {"N", "C"}, lhs.ndim)):
        if len(axes) != rank or set(axes) != {*wanted, *spatial}:
            raise ShapeError(f"conv_general_dilated needs for {name} a string with {' and '.join(sorted(wanted))} and "
                             f"one letter for each of the other axes, but got {axes!r} of {numbers} for {rank} axes; "
                             f"write it as in ('NHWC', 'HWIO', 'NHWC'){at_user_line()}")
    x = transpose(lhs, [x_axes.index(c) for c in ("N", "C", *spatial)])
    w = transpose(rhs, [w_axes.index(c) for c in ("O", "I", *spatial)])
    between = (1,) * n if lhs_dilation is None else tuple(lhs_dilation)
    if any(step != 1 for step in between):
        x = pad(x, 0.0, [(0, 0, 0), (0, 0, 0), *[(0, 0, step - 1) for step in between]])
    if isinstance(padding, str):
        padding = padding.lower()
    else:
        pairs = [tuple(pair) for pair in padding]
        if any(k < 0 for pair in pairs for k in pair):
            x = pad(x, 0.0, [(0, 0, 0), (0, 0, 0), *[(min(a, 0), min(b, 0), 0) for a, b in pairs]])
        padding = tuple([(max(a, 0), max(b, 0)) for a, b in pairs])
    out = _conv(x, w, stride=tuple(window_strides), padding=padding, groups=feature_group_count,
                dilation=1 if rhs_dilation is None else tuple(rhs_dilation))
    out = transpose(out, [["N", "C", *spatial].index(c) for c in out_axes])
    return out if preferred_element_type is None else cnp.astype(out, preferred_element_type)


def conv(lhs: Array, rhs: Array, window_strides: Sequence[int], padding: str, precision: Any = None,
         preferred_element_type: Any = None) -> Array:
    """Convolve arrays whose batch and channels come first; for other orders, `conv_general_dilated`.

    Args:
        lhs: the input, `(n, channels, *size)`.
        rhs: the kernels, `(features, channels, *kernel)`.
        window_strides: the step between windows, one number per axis of `size`.
        padding: "SAME" or "VALID".
        precision: accepted for compatibility with JAX.
        preferred_element_type: the dtype of the result.
    Returns:
        `(n, features, *out)`.

    >>> import numpy as np, covector
    >>> covector.lax.conv(np.ones((2, 3, 8, 8)), np.ones((4, 3, 3, 3)), (1, 1), "VALID").shape
    (2, 4, 6, 6)
    """
    return conv_general_dilated(lhs, rhs, window_strides, padding, preferred_element_type=preferred_element_type)
