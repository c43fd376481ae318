"""Schedules: learning rates as functions of the number of steps so far, an int or an integer array."""

from typing import Any

import numpy as np

from .optimizer import Schedule


def linear_schedule(init_value: float, end_value: float, transition_steps: int) -> Schedule:
    """From `init_value` to `end_value` along a line of `transition_steps` steps, and on at `end_value`.

    Args:
        init_value, end_value: the rates of the first step and from the last on.
        transition_steps: the number of steps in between.
    Returns:
        a schedule: a function of the number of steps, an int or an integer array.

    >>> from covector import optimizers
    >>> rate = optimizers.linear_schedule(1.0, 0.0, 10)
    >>> float(rate(0)), float(rate(5)), float(rate(20))
    (1.0, 0.5, 0.0)
    """
    return lambda count: init_value + (end_value - init_value) * np.clip(count / transition_steps, 0.0, 1.0)


def exponential_decay(
    init_value: float, transition_steps: int, decay_rate: float, staircase: bool = False
) -> Schedule:
    """`init_value * decay_rate ** (count / transition_steps)`; with `staircase`, the exponent is rounded down.

    Args:
        init_value: the rate of the first step.
        transition_steps: after so many steps the rate is multiplied by `decay_rate`.
        decay_rate: the factor.
        staircase: multiply at once, after each `transition_steps`.
    Returns:
        a schedule: a function of the number of steps, an int or an integer array.

    >>> from covector import optimizers
    >>> float(optimizers.exponential_decay(1.0, 10, 0.5)(20))
    0.25
    """
    def rate(count: Any) -> Any:
        power = count / transition_steps
        return init_value * decay_rate ** (np.floor(power) if staircase else power)

    return rate


def cosine_decay_schedule(init_value: float, decay_steps: int, alpha: float = 0.0) -> Schedule:
    """From `init_value` to `alpha * init_value` along half a cosine of `decay_steps` steps (Loshchilov, Hutter, 2017).

    Args:
        init_value: the rate of the first step.
        decay_steps: the number of steps to the last rate.
        alpha: the last rate, as a share of the first.
    Returns:
        a schedule: a function of the number of steps, an int or an integer array.

    >>> from covector import optimizers
    >>> rate = optimizers.cosine_decay_schedule(1.0, 10)
    >>> round(float(rate(5)), 6), float(rate(10))
    (0.5, 0.0)
    """
    def rate(count: Any) -> Any:
        cosine = 0.5 * (1.0 + np.cos(np.pi * np.clip(count / decay_steps, 0.0, 1.0)))
        return init_value * ((1.0 - alpha) * cosine + alpha)

    return rate


def warmup_cosine_decay_schedule(
    init_value: float, peak_value: float, warmup_steps: int, decay_steps: int, end_value: float = 0.0
) -> Schedule:
    """Along a line to `peak_value` in `warmup_steps`, then along half a cosine to `end_value` at step `decay_steps`.

    Args:
        init_value, peak_value, end_value: the rates of the first step, after the warm-up, and from the last step on.
        warmup_steps: the number of steps to the peak.
        decay_steps: the number of steps to `end_value`, those of the warm-up included.
    Returns:
        a schedule: a function of the number of steps, an int or an integer array.

    >>> from covector import optimizers
    >>> rate = optimizers.warmup_cosine_decay_schedule(0.0, 1.0, 10, 110)
    >>> float(rate(5)), float(rate(10)), round(float(rate(60)), 6), float(rate(110))
    (0.5, 1.0, 0.5, 0.0)
    """
    warmup = linear_schedule(init_value, peak_value, warmup_steps)
    decay = cosine_decay_schedule(peak_value, decay_steps - warmup_steps, end_value / peak_value)
    return lambda count: np.where(count < warmup_steps, warmup(count), decay(count - warmup_steps))
