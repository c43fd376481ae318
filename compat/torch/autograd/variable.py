"""Variable, the old name of a tensor."""

from .._impl.tensor.variable import (
    ImperativeEngine as ImperativeEngine,
    Variable as Variable,
    VariableMeta as VariableMeta,
)
