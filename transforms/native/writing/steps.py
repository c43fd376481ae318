"""Equations written by hand: a call of `Steps` is an operation by its name."""

from ....core.primitive.primitive import REGISTRY
from ...graph.equations import Equation, Literal, Var


class Steps:
    """Writes equations in place of another: for the user's line, and whether they warn, `like` it."""

    def __init__(self, like):
        self.equations = []
        self.like = like

    def __call__(self, name, *inputs, params=()):
        prim = REGISTRY[name]
        given = [v if type(v) in (Var, Literal) else Literal(v) for v in inputs]
        out = Var(prim.shape([v.aval for v in given], params))
        self.equations.append(Equation(prim, given, params, [out], self.like.quiet, self.like.place))
        return out

    def sum(self, x, axes, keepdims=True):
        return self("reduce_sum", x, params=(axes, keepdims))

    def shaped(self, x, shape):
        return self("reshape", x, params=(shape,))
