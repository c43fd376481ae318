"""The functions that opt_einsum asks of the package of an array's type: of covector's tensors, and of arrays."""

from collections.abc import Sequence
from typing import Any

from . import numpy as cnp


def einsum(*operands: Any, **options: Any) -> Any:
    """`einsum` as the type of the operands has it: tensors stay tensors, with gradients."""
    return _functions_of(operands[1:]).einsum(*operands, **options)


def tensordot(a: Any, b: Any, axes: int | Sequence[Any] = 2) -> Any:
    """`tensordot` as the type of the operands has it."""
    return _functions_of((a, b)).tensordot(a, b, axes)


def transpose(a: Any, axes: Sequence[int] | None = None) -> Any:
    """`transpose` as the type of the operand has it."""
    return _functions_of((a,)).transpose(a, axes)


def _functions_of(operands: Sequence[Any]) -> Any:
    """Provider of the three functions: `contractions` of the first operand that has it, else covector.numpy."""
    return next((type(x).contractions for x in operands if hasattr(type(x), "contractions")), cnp)
