"""torch.cuda.memory: what is known of the device's memory."""

from .._impl.platform.gpu import (
    empty_cache as empty_cache,
    max_memory_allocated as max_memory_allocated,
    max_memory_reserved as max_memory_reserved,
    mem_get_info as mem_get_info,
    memory_allocated as memory_allocated,
    memory_reserved as memory_reserved,
    memory_stats as memory_stats,
    reset_peak_memory_stats as reset_peak_memory_stats,
)
