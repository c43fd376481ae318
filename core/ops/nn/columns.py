"""Derivative rules of products with a column-major matrix, such as a transposed weight."""

import copy

from ...primitive.primitive import Formula, Rules
from ...tape.tape import compile_rule
from ..linalg.products import outer, product


def _first_by_columns(ct, y):
    """`ct @ y.T`, or the outer product of a vector and one, which lies column by column: see below."""
    return product(y, ct.T).T if ct.ndim == 2 else outer(y, ct).T


def _second_by_columns(ct, x):
    """`x.T @ ct`, which lies column by column: what is transposed again then needs no copy."""
    return product(ct.T, x).T if ct.ndim == 2 else outer(ct, x).T


_TURNED = Formula(_first_by_columns, ("y",), (0,)), Formula(_second_by_columns, ("x",), (1,))


def column_rule(prim, active, turned=(1,)):
    """The plain reverse rule of `matmul` or `affine` where the operands `turned` are matrices that lie column by
    column: so do their cotangents. The other operand is a matrix, or a vector."""
    changed = copy.copy(prim)
    changed.vjp = Rules(prim.vjp, {**prim.vjp.real, **{i: _TURNED[i] for i in turned}})
    rule = compile_rule(changed, active, True, ())
    rule.prim = prim
    return rule
