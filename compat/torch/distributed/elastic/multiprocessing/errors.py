"""torch.distributed.elastic.multiprocessing.errors: one process, whose errors go where errors go."""

from ...._impl.platform.compiling import as_it_is as _as_it_is

record = _as_it_is
