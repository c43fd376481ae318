"""CyclicLR and OneCycleLR: learning rates that rise and fall, with momenta that do the opposite."""

import math

from .schedule import LRScheduler, apart, check_call, per_group, put


class Cycle(LRScheduler):
    """A schedule that also cycles the momentum, or the first of the betas."""

    def momentum_place(self, optimizer):
        """Note what there is to cycle, or refuse an optimizer without momentum."""
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults

    def put_momentum(self, group, value):
        """Set the momentum of a group."""
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(Cycle):
    """Go from `base_lr` up to `max_lr` and down again, again and again.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        base_lr, max_lr: the bounds, or a list of one for each group.
        step_size_up, step_size_down: steps of the two halves of a cycle.
        mode: "triangular", "triangular2" (each cycle half as high), "exp_range" (`gamma` to the power of the step).
        gamma: of "exp_range".
        scale_fn, scale_mode: a function of the cycle or of the step (`"cycle"`, `"iterations"`), in place of a mode.
        cycle_momentum, base_momentum, max_momentum: whether and between which bounds to cycle the momentum.
    """

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular",
                 gamma=1.0, scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8,
                 max_momentum=0.9, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        bases = per_group("base_lr", base_lr, optimizer)
        if last_epoch == -1:
            for group, base in zip(optimizer.param_groups, bases):
                put(group, "lr", base)
        self.max_lrs = per_group("max_lr", max_lr, optimizer)
        up, down = float(step_size_up), float(step_size_up if step_size_down is None else step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.momentum_place(optimizer)
            self.base_momentums = per_group("base_momentum", base_momentum, optimizer)
            self.max_momentums = per_group("max_momentum", max_momentum, optimizer)
            if last_epoch == -1:
                for high, low, group in zip(self.max_momentums, self.base_momentums, optimizer.param_groups):
                    self.put_momentum(group, high)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = [apart(base) for base in bases]

    def scale_fn(self, x):
        """The height of a cycle, a number of the cycle or of the step."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return {"triangular": lambda: 1.0, "triangular2": lambda: 1 / 2.0 ** (x - 1),
                "exp_range": lambda: self.gamma**x}[self.mode]()

    def get_lr(self):
        """The learning rates at `last_epoch`; sets the momenta too."""
        check_call(self)
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        share = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        share *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for low, high, group in zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups):
                self.put_momentum(group, high - (high - low) * share)
        return [low + (high - low) * share for low, high in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self):
        """All but the optimizer; of a function what an object that is callable holds."""
        found = super().state_dict()
        custom = found.pop("_scale_fn_custom")
        found["_scale_fn_custom"] = None if not hasattr(custom, "__dict__") or callable(custom) and hasattr(
            custom, "__code__") else custom.__dict__.copy()
        return found

    def load_state_dict(self, state_dict):
        """Take what `state_dict` gave."""
        held = state_dict["_scale_fn_custom"]
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        if held is not None:
            self._scale_fn_custom.__dict__.update(held)


def check_optimizer(optimizer):
    """PyTorch's refusal of what is no optimizer."""
    if not hasattr(optimizer, "param_groups"):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class OneCycleLR(Cycle):
    """Rise from a small learning rate to `max_lr`, and fall to a smaller one, over all of the training.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        max_lr: the largest, or a list of one for each group.
        total_steps: steps of the training; or `epochs` and `steps_per_epoch`.
        pct_start: the share of the steps in which it rises.
        anneal_strategy: "cos" or "linear".
        cycle_momentum, base_momentum, max_momentum: whether and between which bounds to cycle the momentum.
        div_factor, final_div_factor: the largest over the first, and the first over the last learning rate.
        three_phase: fall as long as it rose, then to the last learning rate.
    Raises:
        ValueError: an argument is out of its range, or more steps were taken than there are.
    """

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = whole_number("total_steps", total_steps) if total_steps is not None else None
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            self.total_steps = whole_number("epochs", epochs) * whole_number("steps_per_epoch", steps_per_epoch)
        names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        rise, last = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        up = (rise, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        if three_phase:
            phases = [up, (float(2 * pct_start * self.total_steps) - 2, "max_lr", "initial_lr", "base_momentum",
                           "max_momentum"), (last, "initial_lr", "min_lr", "max_momentum", "max_momentum")]
        else:
            phases = [up, (last, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        self._schedule_phases = [dict(zip(names, phase)) for phase in phases]
        if not 0 <= pct_start <= 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        largest = per_group("max_lr", max_lr, optimizer)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, largest):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.momentum_place(optimizer)
            highs = per_group("max_momentum", max_momentum, optimizer)
            lows = per_group("base_momentum", base_momentum, optimizer)
            if last_epoch == -1:
                for group, high, low in zip(optimizer.param_groups, highs, lows):
                    self.put_momentum(group, high)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start, end, share):
        """A value between two, by a line or by half a period of a cosine."""
        if self._anneal_func_type == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)

    def get_lr(self):
        """The learning rates at `last_epoch`; sets the momenta too."""
        check_call(self)
        n = self.last_epoch
        if n > self.total_steps:
            raise ValueError(f"Tried to step {n} times. The specified number of total steps is {self.total_steps}")
        found = []
        for group in self.optimizer.param_groups:
            start = 0.0
            for phase in self._schedule_phases:
                end = phase["end_step"]
                if n <= end or phase is self._schedule_phases[-1]:
                    share = (n - start) / (end - start)
                    found.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], share))
                    if self.cycle_momentum:
                        self.put_momentum(group, self._anneal_func(group[phase["start_momentum"]],
                                                                   group[phase["end_momentum"]], share))
                    break
                start = end
        return found


def whole_number(name, value):
    """A positive integer, or PyTorch's refusal."""
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value
