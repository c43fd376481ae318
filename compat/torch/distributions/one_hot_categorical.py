"""torch.distributions.one_hot_categorical."""

from .._impl.distributions.categorical import (
    OneHotCategorical as OneHotCategorical,
    OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough,
)
