"""Times several functions against each other: interleaved rounds, medians, paired ratios."""

import gc
from collections.abc import Callable
from itertools import repeat
from random import Random
from statistics import median, quantiles
from time import perf_counter_ns
from typing import Any

SAMPLE_NS = 2_000_000  # one sample lasts at least this long: the clock and the loop vanish in it
SAMPLE_CALLS = 8  # and has so many calls, if that takes no longer than
WARM_NS = 20_000_000  # this: what another side left in the caches is no cost of a step in a loop
ONCE_NS = 1_000_000_000  # a call that takes less may have made a program, or loaded a module, which later ones need not


def interleave(sides: dict[str, Callable[[], Any]], rounds: int, budget_s: float) -> dict[str, list[float]]:
    """Return the nanoseconds of a call, one sample a round, of each side.

    A round takes one sample of every side in a new order, so that a disturbance of the machine,
    and what the last side left in the caches, meets all alike. The collector stays on, as for a user.
    """
    calls = {side: _calls_for_a_sample(run) for side, run in sides.items()}
    samples: dict[str, list[float]] = {side: [] for side in sides}
    order, shuffle = list(sides), Random(0)
    gc.collect()
    start = perf_counter_ns()
    for turn in range(rounds):
        shuffle.shuffle(order)
        for side in order:
            samples[side].append(_clock(sides[side], calls[side]))
        if turn >= 4 and perf_counter_ns() - start > budget_s * 1e9:
            break
    return samples


def summary(samples: list[float], per: int) -> dict[str, float]:
    """Return median and quartiles in microseconds."""
    low, _, high = quantiles(samples, n=4)
    return {
        "median_us": median(samples) / per / 1e3,
        "quartile_low_us": low / per / 1e3,
        "quartile_high_us": high / per / 1e3,
        "samples": len(samples),
    }


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median of the ratios within a round: what slows both then cancels."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def _calls_for_a_sample(run: Callable[[], Any]) -> int:
    elapsed = _clock(run, 1)
    if SAMPLE_NS <= elapsed < ONCE_NS:
        elapsed = min(elapsed, _clock(run, 1), _clock(run, 1))
    if elapsed >= SAMPLE_NS:
        return max(1, min(SAMPLE_CALLS, int(WARM_NS / elapsed)))
    calls = SAMPLE_CALLS
    while True:
        elapsed = min(_clock(run, calls), _clock(run, calls)) * calls
        if elapsed >= SAMPLE_NS:
            return calls
        calls = max(2 * calls, int(calls * SAMPLE_NS / max(elapsed, 1.0)))


def _clock(run: Callable[[], Any], calls: int) -> float:
    start = perf_counter_ns()
    for _ in repeat(None, calls):
        run()
    return (perf_counter_ns() - start) / calls
