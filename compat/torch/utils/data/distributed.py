"""torch.utils.data.distributed: the sampler of one of several processes."""

from ..._impl.data.samplers import DistributedSampler as DistributedSampler
from ..._impl.dispatch import surface as _surface

_surface.publish(globals())
