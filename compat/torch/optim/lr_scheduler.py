"""torch.optim.lr_scheduler: schedules of learning rates."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.combined_schedules import (
    ChainedScheduler as ChainedScheduler,
    ReduceLROnPlateau as ReduceLROnPlateau,
    SequentialLR as SequentialLR,
)
from .._impl.optim.cycles import CyclicLR as CyclicLR, OneCycleLR as OneCycleLR
from .._impl.optim.decays import (
    ConstantLR as ConstantLR,
    CosineAnnealingLR as CosineAnnealingLR,
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
    ExponentialLR as ExponentialLR,
    LinearLR as LinearLR,
    MultiStepLR as MultiStepLR,
    PolynomialLR as PolynomialLR,
    StepLR as StepLR,
)
from .._impl.optim.schedule import (
    EPOCH_DEPRECATION_WARNING as EPOCH_DEPRECATION_WARNING,
    LambdaLR as LambdaLR,
    LRScheduler as LRScheduler,
    MultiplicativeLR as MultiplicativeLR,
)


class _LRScheduler(LRScheduler):
    """The old name of `LRScheduler`."""

_surface.publish(globals())
