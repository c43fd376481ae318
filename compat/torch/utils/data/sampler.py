"""torch.utils.data.sampler: samplers."""

from ..._impl.data.samplers import (
    BatchSampler as BatchSampler,
    RandomSampler as RandomSampler,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
    SubsetRandomSampler as SubsetRandomSampler,
    WeightedRandomSampler as WeightedRandomSampler,
)
from ..._impl.dispatch import surface as _surface

_surface.publish(globals())
