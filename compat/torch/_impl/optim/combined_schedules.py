"""Schedules made of others (SequentialLR, ChainedScheduler), and ReduceLROnPlateau, which follows a metric."""

import math
import warnings
from bisect import bisect_right

from .optimizer import Optimizer
from .schedule import EPOCH_DEPRECATION_WARNING, LRScheduler, current_rates, put


def check_members(name, schedulers, optimizer):
    """PyTorch's refusals of schedules that cannot be combined."""
    for i, s in enumerate(schedulers):
        if not hasattr(s, "optimizer"):
            raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
        if isinstance(s, ReduceLROnPlateau):
            raise ValueError(f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs "
                             f"to be specified when calling `step`, but got one at index {i} in the given schedulers "
                             "sequence.")
        if s.optimizer is not optimizer:
            raise ValueError(f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                             f"{type(s).__name__} at index {i} has {s.optimizer}, which is different from "
                             f"{type(optimizer).__name__}.")


class Combined(LRScheduler):
    """A schedule with others in `_schedulers`."""

    def state_dict(self):
        """All but the optimizer, with the states of the members."""
        found = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        found["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return found

    def load_state_dict(self, state_dict):
        """Take what `state_dict` gave."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for s, held in zip(self._schedulers, state_dict["_schedulers"]):
            s.load_state_dict(held)


class SequentialLR(Combined):
    """One schedule after the other.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        schedulers: of the same optimizer.
        milestones: the steps at which the next one takes over.
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        check_members("SequentialLR", schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the "
                             f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                             f"number of milestones to be equal to {len(milestones)}")
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:  # as if no member had taken its first step
            put(group, "lr", group["initial_lr"])
        for s in schedulers:
            s.last_epoch -= 1
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self):
        """Take a step of the schedule whose turn it is."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        s = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            s._update_lr(0)
        else:
            s.step()
        self._last_lr = s.get_last_lr()


class ChainedScheduler(Combined):
    """Several schedules at once, each of which changes what the last one left.

    Args:
        schedulers: of one optimizer.
        optimizer: that of the schedules.
    """

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        check_members("ChainedScheduler", schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = current_rates(self)

    def step(self):
        """Take a step of each schedule."""
        for s in self._schedulers:
            s.step()
        self._last_lr = current_rates(self)


class ReduceLROnPlateau(LRScheduler):
    """Multiply by `factor` when a metric has not improved for `patience` steps.

    Args:
        optimizer: whose groups are changed.
        mode: "min" or "max": whether smaller or larger is better.
        factor: less than 1.
        patience: steps without improvement that are waited for.
        threshold, threshold_mode: what counts as an improvement, "rel" or "abs".
        cooldown: steps after a change that do not count.
        min_lr: the smallest learning rate, or a list of one for each group.
        eps: the smallest change.
    """

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel",
                 cooldown=0, min_lr=0, eps=1e-8):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        n = len(optimizer.param_groups)
        if isinstance(min_lr, list | tuple):
            if len(min_lr) != n:
                raise ValueError(f"expected {n} min_lrs, got {len(min_lr)}")
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * n
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = current_rates(self)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self._reset()

    def _reset(self):
        """Forget the metrics so far."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self):
        """Tell whether steps do not count now."""
        return self.cooldown_counter > 0

    def is_better(self, a, best):
        """Tell whether a metric is an improvement."""
        if self.threshold_mode == "rel":
            bound = best * (1.0 - self.threshold if self.mode == "min" else 1.0 + self.threshold)
        else:
            bound = best - self.threshold if self.mode == "min" else best + self.threshold
        return a < bound if self.mode == "min" else a > bound

    def step(self, metrics, epoch=None):
        """Note a metric, and reduce the learning rates if it is time."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self.is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = current_rates(self)

    def _reduce_lr(self, epoch):
        """Multiply the learning rates by the factor."""
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                                   f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new "
                                   "param group being added to the optimizer. Please modify the `min_lrs` field to "
                                   "match the length of the `optimizer` param groups.")
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                put(group, "lr", new)
