"""torch.nn.parallel.data_parallel: a module over several devices; without devices the module itself, as in PyTorch."""

from ..._impl.module.module import Module


class DataParallel(Module):
    """A module whose batches would be spread over several GPUs; without one it is called as it is.

    Args:
        module: what is called; the names in a state_dict begin with `module.`.
        device_ids, output_device, dim: accepted; there are no devices to choose among.

    >>> import covector.compat.torch as torch
    >>> model = torch.nn.DataParallel(torch.nn.Linear(2, 3))
    >>> list(model.state_dict()), model(torch.ones(4, 2)).shape
    (['module.weight', 'module.bias'], torch.Size([4, 3]))
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module
        self.device_ids = []

    def forward(self, *inputs, **kwargs):
        """Call the module."""
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """The module of the inputs, a tuple or one tensor."""
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))
