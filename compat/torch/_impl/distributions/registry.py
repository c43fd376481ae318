"""From a constraint to a transform whose values satisfy it: `biject_to` and `transform_to`."""

from numbers import Number

from . import constraints
from .elementwise_transforms import AffineTransform, ExpTransform, SigmoidTransform
from .transforms import ComposeTransform, IndependentTransform, identity_transform
from .vector_transforms import (
    CatTransform,
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
)


class ConstraintRegistry:
    """A table from kinds of constraints to functions that make transforms of them."""

    def __init__(self):
        self._registry = {}
        super().__init__()

    def register(self, constraint, factory=None):
        """Note a function for a kind of constraints, given by the kind or by one of it; a decorator too.

        Raises:
            TypeError: it is no constraint.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError("Expected constraint to be either a Constraint subclass or instance, but got "
                            f"{constraint}")
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint):
        """The transform of a constraint.

        Raises:
            NotImplementedError: there is none for its kind.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def both(*kinds):
    """Register a function in both tables, for several kinds of constraints."""

    def note(factory):
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory

    return note


@both(constraints.real)
def _(constraint):
    return identity_transform


for _table in (biject_to, transform_to):
    @_table.register(constraints.independent)
    def _(constraint, table=_table):
        return IndependentTransform(table(constraint.base_constraint), constraint.reinterpreted_batch_ndims)

    @_table.register(constraints.cat)
    def _(constraint, table=_table):
        return CatTransform([table(c) for c in constraint.cseq], constraint.dim, constraint.lengths)

    @_table.register(constraints.stack)
    def _(constraint, table=_table):
        return StackTransform([table(c) for c in constraint.cseq], constraint.dim)


@both(constraints.positive, constraints.nonnegative)
def _(constraint):
    return ExpTransform()


@both(constraints.greater_than, constraints.greater_than_eq)
def _(constraint):
    return ComposeTransform([ExpTransform(), AffineTransform(constraint.lower_bound, 1)])


@both(constraints.less_than)
def _(constraint):
    return ComposeTransform([ExpTransform(), AffineTransform(constraint.upper_bound, -1)])


@both(constraints.interval, constraints.half_open_interval)
def _(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, Number) and low == 0 and isinstance(high, Number) and high == 1:
        return SigmoidTransform()
    return ComposeTransform([SigmoidTransform(), AffineTransform(low, high - low)])


@biject_to.register(constraints.simplex)
def _(constraint):
    return StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _(constraint):
    return SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _(constraint):
    return LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _(constraint):
    return PositiveDefiniteTransform()


@both(constraints.corr_cholesky)
def _(constraint):
    return CorrCholeskyTransform()
