"""torch.distributed.elastic.multiprocessing: one process."""

from . import errors as errors
