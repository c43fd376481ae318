"""Averages of parameters over the steps of an optimizer: their formulas, and the schedule that goes with them."""

import math

from ..modes.grad_mode import no_grad
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


