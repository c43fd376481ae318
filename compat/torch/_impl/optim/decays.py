"""Schedules that decay, or warm up, by a formula of the step."""

import math
from bisect import bisect_right
from collections import Counter

from .schedule import LRScheduler, check_call, current_rates, put, scaled_rates


class StepLR(LRScheduler):
    """Multiply by `gamma` every `step_size` steps.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        step_size: steps between changes.
        gamma: the factor.
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        return scaled_rates(self, self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else 1)

    def _get_closed_form_lr(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiply by `gamma` at each of the `milestones`.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        milestones: numbers of steps, rising; one that is named twice counts twice.
        gamma: the factor.
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        gamma = self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else 1
        return scaled_rates(self, gamma)

    def _get_closed_form_lr(self):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Multiply by `factor` for the first `total_iters` steps.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        factor: between 0 and 1.
        total_iters: steps until the learning rate is whole again.
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        if self.last_epoch == 0:
            return scaled_rates(self, self.factor)
        return scaled_rates(self, 1.0 / self.factor if self.last_epoch == self.total_iters else 1)

    def _get_closed_form_lr(self):
        return [base * (1 if self.last_epoch >= self.total_iters else self.factor) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Multiply by a factor that changes linearly for the first `total_iters` steps.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        start_factor, end_factor: the factor at first, and from `total_iters` on.
        total_iters: steps until it stays.
    """

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0 < start_factor <= 1.0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        if self.last_epoch == 0:
            return scaled_rates(self, self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return scaled_rates(self, 1)
        rise = self.end_factor - self.start_factor
        return scaled_rates(self, 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self):
        share = min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (self.start_factor + (self.end_factor - self.start_factor) * share) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiply by `gamma` at each step.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        gamma: the factor.
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        return scaled_rates(self, 1 if self._is_initial else self.gamma)

    def _get_closed_form_lr(self):
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Decay by a power of the share of `total_iters` steps that is left.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        total_iters: steps until it is 0.
        power: the power.
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        if self._is_initial or self.last_epoch > self.total_iters:
            return scaled_rates(self, 1)
        left = (1.0 - self.last_epoch / self.total_iters) / (1.0 - (self.last_epoch - 1) / self.total_iters)
        return scaled_rates(self, left**self.power)

    def _get_closed_form_lr(self):
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Follow half a period of a cosine from the first learning rate to `eta_min` in `T_max` steps, and back.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        T_max: steps of half a period.
        eta_min: the smallest learning rate.
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):  # noqa: N803
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        n, period, groups = self.last_epoch, self.T_max, self.optimizer.param_groups
        if self._is_initial:
            return scaled_rates(self, 1)
        if self._step_count == 1 and n > 0:
            return self._get_closed_form_lr()
        if (n - 1 - period) % (2 * period) == 0:  # back from the smallest, of which no share can be taken
            rise = (1 - math.cos(math.pi / period)) / 2
            return [group["lr"] + (base - self.eta_min) * rise for base, group in zip(self.base_lrs, groups)]
        share = (1 + math.cos(math.pi * n / period)) / (1 + math.cos(math.pi * (n - 1) / period))
        return [share * (group["lr"] - self.eta_min) + self.eta_min for group in groups]

    def _get_closed_form_lr(self):
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Follow half a period of a cosine again and again, each time from the first learning rate.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        T_0: steps of the first descent.
        T_mult: what each descent is longer by than the last one.
        eta_min: the smallest learning rate.
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):  # noqa: N803
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch=None):
        """Go on by one step, or to a number of steps, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.T_cur, self.T_i = epoch, self.T_0
            if epoch >= self.T_0:
                if self.T_mult == 1:
                    self.T_cur = epoch % self.T_0
                else:
                    n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
                    self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
                    self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        try:
            values = self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        for group, value in zip(self.optimizer.param_groups, values):
            put(group, "lr", value)
        self._last_lr = current_rates(self)


