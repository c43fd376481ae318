"""`LRScheduler`: sets the learning rates of an optimizer's groups, one value a step; and the schedules of functions."""

import types
import warnings
from functools import wraps
from weakref import ref

from ..types.tensor_type import TensorBase
from .optimizer import Optimizer

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose.")
_ORDER = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


class LRScheduler:
    """Base class of schedules. A kind gives `get_lr()`, the learning rates at `last_epoch`, one a group.

    Args:
        optimizer: whose groups are changed.
        last_epoch: the number of the last step when training is resumed, -1 at the start.
    Raises:
        TypeError: `optimizer` is none.
        KeyError: training is resumed, but a group does not say its "initial_lr".
    """

    def __init__(self, optimizer, last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", apart(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                               f"last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training "
                               "from a checkpoint but haven't properly loaded the optimizer state\n2. You're using "
                               "last_epoch >= 0 for a fresh training run (not recommended)")
        self.base_lrs = [apart(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        watch(optimizer)
        self._initial_step()

    def _initial_step(self):
        """Take the step that sets the first learning rates."""
        self._step_count = 0
        self._is_initial = True
        self._get_lr_called_within_step = False
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """All that the schedule is made of but the optimizer."""
        return {k: v for k, v in self.__dict__.items() if k != "optimizer"}

    def load_state_dict(self, state_dict):
        """Take what `state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """The learning rates that were set last, one a group."""
        return self._last_lr

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        raise NotImplementedError

    def step(self, epoch=None):
        """Go on by one step, or to a number of steps (deprecated), and set the learning rates."""
        if self._step_count == 1:
            warn_of_order(self.optimizer)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        """Set the learning rates of the next step, or of one."""
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                values = self._get_closed_form_lr() if hasattr(self, "_get_closed_form_lr") else self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        for group, value in zip(self.optimizer.param_groups, values):
            put(group, "lr", value)
        self._last_lr = current_rates(self)


# Functions, since subclasses of users have names of their own.
def current_rates(schedule):
    """Copies of the learning rates as they are."""
    return [apart(group["lr"]) for group in schedule.optimizer.param_groups]


def scaled_rates(schedule, factor):
    """The learning rates times a factor."""
    return [group["lr"] * factor for group in schedule.optimizer.param_groups]


def check_call(schedule):
    """Warn of `get_lr` where `get_last_lr` is meant."""
    if not schedule._get_lr_called_within_step:
        warnings.warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                      UserWarning, stacklevel=3)


def apart(value):
    """A copy of a tensor; a number is one."""
    return value.detach().clone() if isinstance(value, TensorBase) else value


def put(group, name, value):
    """Set an option of a group, in place where it is a tensor."""
    if isinstance(group[name], TensorBase):
        group[name].fill_(value.item() if isinstance(value, TensorBase) else value)
    else:
        group[name] = value


def watch(optimizer):
    """Let an optimizer note that it took a step, so that schedules can warn of the order of calls."""
    if getattr(optimizer.step, "_wrapped_by_lr_sched", False):
        return
    found, method = ref(optimizer), optimizer.step.__func__

    @wraps(method)
    def step(*args, **kwargs):
        found()._opt_called = True
        return method(*args, **kwargs)

    optimizer.step = types.MethodType(step, optimizer)
    step._wrapped_by_lr_sched = True


def warn_of_order(optimizer):
    """Warn at the second step of a schedule if the optimizer took none."""
    if not hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        warnings.warn("Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                      "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. " + _ORDER,
                      UserWarning, stacklevel=3)
    elif not getattr(optimizer, "_opt_called", False):
        warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, "
                      "you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  "
                      "Failure to do this will result in PyTorch skipping the first value of the learning rate "
                      "schedule. " + _ORDER, UserWarning, stacklevel=3)


def per_group(name, values, optimizer):
    """A list of one value for each group."""
    n = len(optimizer.param_groups)
    if not isinstance(values, list | tuple):
        return [values] * n
    if len(values) != n:
        raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has {len(values)} "
                         f"values, param_groups has {n}.")
    return list(values)


class LambdaLR(LRScheduler):
    """The first learning rate times a function of the step.

    Args:
        optimizer, last_epoch: as for `LRScheduler`.
        lr_lambda: a function of the number of steps, or one for each group.

    >>> import covector.compat.torch as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5 ** n)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        n = len(optimizer.param_groups)
        if isinstance(lr_lambda, list | tuple):
            if len(lr_lambda) != n:
                raise ValueError(f"Expected {n} lr_lambdas, but got {len(lr_lambda)}")
            self.lr_lambdas = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * n
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        """All but the optimizer; of functions what objects that are callable hold."""
        found = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}
        found["lr_lambdas"] = [None if isinstance(f, types.FunctionType) else f.__dict__.copy()
                               for f in self.lr_lambdas]
        return found

    def load_state_dict(self, state_dict):
        """Take what `state_dict` gave."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for f, held in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if held is not None:
                f.__dict__.update(held)

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(LambdaLR):
    """The last learning rate times a function of the step; the arguments are those of `LambdaLR`."""

    def get_lr(self):
        """The learning rates at `last_epoch`."""
        check_call(self)
        if self._is_initial:
            return current_rates(self)
        return [group["lr"] * f(self.last_epoch) for f, group in zip(self.lr_lambdas, self.optimizer.param_groups)]


class _LRScheduler(LRScheduler):
    """The old name of `LRScheduler`."""
