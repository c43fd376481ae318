"""torch.nn.parallel.distributed: refused, for there is one process."""

from ..._impl.module.module import Module


class DistributedDataParallel(Module):
    """Refused: gradients averaged over several processes.

    Raises:
        ValueError: always; PyTorch raises it, too, where no process group was made.
    """

    def __init__(self, module, *args, **kwargs):
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group: "
                         "DistributedDataParallel needs several processes, and covector.compat.torch runs in one; call "
                         "the module itself")
