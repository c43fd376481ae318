"""Averages of parameters over the steps of an optimizer: their formulas, and the schedule that goes with them."""

import itertools
import math
from copy import deepcopy

from ..modes.grad_mode import no_grad
from ..module.module import Module
from ..public_names import torch
from .optimizer import Optimizer
from .schedule import LRScheduler, check_call


def get_ema_avg_fn(decay=0.999):
    """A function of an average, a parameter and a count that gives the exponential moving average."""
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """A function of an average, a parameter and a count that gives the mean of all."""

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay=0.999):
    """The same as `get_ema_avg_fn`, of lists of tensors, in place."""
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, current in zip(ema_param_list, current_param_list):
            average.lerp_(current, 1 - decay) if average.is_floating_point() or average.is_complex() else (
                average.copy_(average * decay + current * (1 - decay)))

    return ema_update


def get_swa_multi_avg_fn():
    """The same as `get_swa_avg_fn`, of lists of tensors, in place."""

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for average, current in zip(averaged_param_list, current_param_list):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 / (float(num_averaged) + 1))
            else:
                average.addcdiv_(current - average, num_averaged + 1)

    return swa_update


def check_decay(decay):
    """PyTorch's refusal of a decay."""
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


class SWALR(LRScheduler):
    """Go to a learning rate for averaging in `anneal_epochs` steps, and stay there.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        swa_lr: the learning rate to go to, or a list of one for each group.
        anneal_epochs: steps on the way.
        anneal_strategy: "cos" or "linear".
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        n = len(optimizer.param_groups)
        if isinstance(swa_lr, list | tuple) and len(swa_lr) != n:
            raise ValueError(f"swa_lr must have the same length as optimizer.param_groups. swa_lr has {len(swa_lr)} "
                             f"values, param_groups has {n}.")
        for group, lr in zip(optimizer.param_groups, swa_lr if isinstance(swa_lr, list | tuple) else [swa_lr] * n):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def share(self, n):
        """The fraction of the annealing done after `n` steps."""
        t = max(0, min(1, n / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        n = self._step_count - 1 if self.anneal_epochs else max(1, self._step_count)
        before, now = self.share(n - 1), self.share(n)
        found = []
        for group in self.optimizer.param_groups:
            lr, target = float(group["lr"]), float(group["swa_lr"])
            start = target if before == 1 else (lr - before * target) / (1 - before)
            found.append(target * now + start * (1 - now))
        return found


# AveragedModel: a copy of a module whose parameters are averages over the steps of an optimizer.


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
