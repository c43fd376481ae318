"""Rules of products with a matrix that lies column by column, as a transposed weight does."""

import copy

from ...primitive.primitive import Formula, Rules
from ...tape.rules import compile_rule
from ..linalg.products import product


def _by_columns(ct, x):
    """`x.T @ ct`, which lies column by column: what is transposed again then needs no copy."""
    return product(ct.T, x).T


def column_rule(prim, active):
    """The plain reverse rule of `matmul` or `affine` for two matrices, of which the second lies column by column: so
    does its cotangent."""
    turned = copy.copy(prim)
    real = {**prim.vjp.real, 1: Formula(_by_columns, ("x",), (1,))}
    turned.vjp = Rules(prim.vjp, real)
    rule = compile_rule(turned, active, True, ())
    rule.prim = prim
    return rule
