"""torch.nn.parallel: modules over several devices, of which there is one here."""

from ..._impl.dispatch import surface as _surface
from .data_parallel import DataParallel as DataParallel, data_parallel as data_parallel
from .distributed import DistributedDataParallel as DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]
__getattr__ = _surface.getter("nn.parallel.", "torch.nn.parallel")
