"""torch.distributed.elastic: one process."""

from . import multiprocessing as multiprocessing
