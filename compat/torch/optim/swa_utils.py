"""torch.optim.swa_utils: averages of parameters over the steps of an optimizer, and their schedule."""

from .._impl.dispatch import surface as _surface
from .._impl.modes.grad_mode import no_grad as _no_grad
from .._impl.optim.averaging import (
    SWALR as SWALR,
    AveragedModel as AveragedModel,
    get_ema_avg_fn as get_ema_avg_fn,
    get_ema_multi_avg_fn as get_ema_multi_avg_fn,
    get_swa_avg_fn as get_swa_avg_fn,
    get_swa_multi_avg_fn as get_swa_multi_avg_fn,
)
from ..nn.modules.batchnorm import _BatchNorm

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


@_no_grad()
def update_bn(loader, model, device=None):
    """Compute the running statistics of the batch normalizations of a model anew, from one pass over data.

    Args:
        loader: batches, tensors or tuples whose first part is what the model takes.
        model: the module; its other state is as before.
        device: where batches are moved to.

    >>> import covector.compat.torch as torch
    >>> model = torch.nn.BatchNorm1d(1)
    >>> torch.optim.swa_utils.update_bn([torch.tensor([[0.0], [2.0]]), torch.tensor([[4.0], [6.0]])], model)
    >>> model.running_mean
    tensor([3.])
    """
    momenta = {m: m.momentum for m in model.modules() if isinstance(m, _BatchNorm)}
    if not momenta:
        return
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None
    was_training = model.training
    model.train()
    for batch in loader:
        x = batch[0] if isinstance(batch, list | tuple) else batch
        model(x if device is None else x.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


__getattr__, __dir__ = _surface.look_up("optim.swa_utils")

_surface.publish(globals())
