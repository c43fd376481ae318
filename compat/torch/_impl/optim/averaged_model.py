"""AveragedModel: a copy of a module whose parameters are averages over the steps of an optimizer."""

import itertools
from copy import deepcopy

from ..module import torch_names as torch
from ..module.module import Module
from .averaging import get_swa_avg_fn


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of those that `update_parameters` is given.

    Args:
        model: the module that is copied.
        device: where the copy is to be.
        avg_fn: a function of the average, the parameter and the number of those averaged; by default the mean of all.
        multi_avg_fn: the same of lists of tensors of one dtype, in place.
        use_buffers: whether buffers are averaged too; else they are copied.

    >>> import covector.compat.torch as torch
    >>> model = torch.nn.Linear(1, 1, bias=False)
    >>> averaged = torch.optim.swa_utils.AveragedModel(model)
    >>> for k in range(3):
    ...     _ = torch.nn.init.constant_(model.weight, k)
    ...     averaged.update_parameters(model)
    >>> averaged.module.weight.item(), averaged.n_averaged.item()
    (1.0, 3)
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        """Call the averaged copy."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """Take the parameters of a model into the averages; the first ones are copied."""
        pairs = [(average.detach(), current.detach()) for average, current in zip(
            *[itertools.chain(m.parameters(), m.buffers() if self.use_buffers else ()) for m in (self.module, model)])]
        if self.n_averaged == 0:
            for average, current in pairs:
                average.copy_(current)
        elif self.multi_avg_fn is not None:
            for kind in dict.fromkeys(average.dtype for average, _ in pairs):
                alike = [pair for pair in pairs if pair[0].dtype is kind]
                self.multi_avg_fn(*map(list, zip(*alike)), self.n_averaged)
        else:
            formula = self.avg_fn or get_swa_avg_fn()
            for average, current in pairs:
                average.copy_(formula(average, current, self.n_averaged))
        if not self.use_buffers:
            for own, current in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(current.detach())
        self.n_averaged += 1
