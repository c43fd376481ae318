"""torch.utils.benchmark: how long statements take, repeated until that is known."""

import collections
import contextlib
import dataclasses
import math
import sys
import textwrap
import time
import timeit

import numpy as np

from .._impl.dispatch import surface as _surface
from .._impl.dispatch.unbuilt import parts as _parts

_GROSS, _LARGE = 0.25, 0.1  # spreads that are warned of, as parts of the median
_MOST = 2**31 - 1  # runs of a block


def _torch():
    return sys.modules[__name__.rpartition(".utils.")[0]]


def timer():
    """Seconds on a clock; what a GPU was asked for is waited for."""
    torch = _torch()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


@dataclasses.dataclass(frozen=True)
class TaskSpec:
    """The description of a measurement."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self):
        """The label, or else the statement."""
        sub = self.sub_label
        if self.label is not None or "\n" not in self.stmt:
            return (self.stmt if self.label is None else self.label) + (f": {sub}" if sub else "")
        return f"stmt:{f' ({sub})' if sub else ''}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self):
        """The setup as it is shown."""
        if self.setup == "pass" or not self.setup:
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self):
        """The title, the description and the setup, a line each."""
        parts = [self.title, self.description or "", self.setup_str()]
        return "\n".join([f"{p}\n" if "\n" in p else p for p in parts if p])


@dataclasses.dataclass(repr=False)
class Measurement:
    """Times of blocks of runs; it also has the attributes of its `task_spec`."""

    number_per_run: int
    raw_times: list
    task_spec: TaskSpec
    metadata: dict | None = None

    def __getattr__(self, name):
        if name in TaskSpec.__dataclass_fields__:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def times(self):
        """Seconds of one run, of each block."""
        return [t / self.number_per_run for t in self.raw_times]

    def _quantile(self, part):
        return float(np.quantile(self.times, part))

    @property
    def median(self):
        """The median of `times`."""
        return self._quantile(0.5)

    @property
    def mean(self):
        """The mean of `times`."""
        return float(np.mean(self.times))

    @property
    def iqr(self):
        """The range of the middle half of `times`."""
        return self._quantile(0.75) - self._quantile(0.25)

    @property
    def significant_figures(self):
        """The number of digits of the median to trust, roughly: 1 to 5."""
        n = len(self.times)
        middle = sorted(self.times)[n // 4 : math.ceil(3 * n / 4)]
        spread = max(1.645 * float(np.std(middle)) / math.sqrt(len(middle)), 25e-9)
        return min(max(math.floor(math.log10(self.median / spread)), 1), 5)

    @property
    def has_warnings(self):
        """Tell whether the times differ by more than a tenth."""
        return not self.meets_confidence()

    def meets_confidence(self, threshold=_LARGE):
        """Tell whether the middle half of the times lies within a part of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self):
        """That of the task."""
        return self.task_spec.title

    @property
    def as_row_name(self):
        """The name of a row of a table."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self):
        n, (unit, scale) = len(self.raw_times), select_unit(self.median)
        lines = [object.__repr__(self), self.task_spec.summarize(),
                 f"  {'Median: ' if n > 1 else ''}{self.median / scale:.2f} {unit}"]
        if n >= 4:
            low, high = self._quantile(0.25) / scale, self._quantile(0.75) / scale
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        lines.append(f"  {n} measurement{'s' if n > 1 else ''}, {self.number_per_run} runs "
                     f"{'per measurement,' if n > 1 else ','} {self.num_threads} "
                     f"thread{'s' if self.num_threads > 1 else ''}")
        if self.has_warnings:
            why = "could indicate system fluctuation" if self.meets_confidence(_GROSS) else (
                "suggests significant environmental influence")
            lines.append(f"  WARNING: Interquartile range is {self.iqr / self.median * 100:.1f}% of the median "
                         f"measurement.\n           This {why}.")
        return "\n".join(lines)

    @staticmethod
    def merge(measurements):
        """One measurement for each task, of the times of all of its own."""
        groups = collections.defaultdict(list)
        for m in measurements:
            groups[m.task_spec].extend(m.times)
        return [Measurement(1, times, task) for task, times in groups.items()]


def select_unit(t):
    """The unit in which a time is shown, and its seconds."""
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(int(math.log10(t) // 3), "s")
    return unit, {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[unit]


class Timer:
    """Measures a statement, as `timeit.Timer` does, after runs that warm up and by as many as it takes.

    Args:
        stmt, setup: what is measured, and what runs before; text, whose indentation is removed.
        global_setup: of C++ alone.
        timer: what gives the time.
        globals: the names that the text sees; `torch` is among them.
        label, sub_label, description, env: how results are shown.
        num_threads: how many threads operations may take meanwhile.
        language: "python"; C++ is refused.
    """

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None,  # noqa: A002
                 label=None, sub_label=None, description=None, env=None, num_threads=1, language="python"):
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language in ("cpp", "c++"):
            raise NotImplementedError("torch.utils.benchmark.Timer measures Python, not C++")
        if language not in ("py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be "
                             "moved to `setup`.")
        stmt, setup = [textwrap.dedent(text).removeprefix("\n").rstrip() for text in (stmt, setup)]
        self._timer = timeit.Timer(stmt, setup, timer, {"torch": _torch(), **(globals or {})})
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number):
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number=1000000):
        """Run the statement `number` times."""
        with _threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat=-1, number=-1):
        """Raise: `blocked_autorange` repeats."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None):
        """Raise: `blocked_autorange` chooses the number of runs."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Run blocks of a size that makes the clock's own time small, until they took `min_run_time` seconds."""
        return self._blocks(min_run_time, None, callback, lambda done: True)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Run blocks until the spread of their times is a part `threshold` of the median, or `max_run_time` is over."""
        return self._blocks(min_run_time, max_run_time, callback,
                            lambda done: len(done.raw_times) > 3 and done.meets_confidence(threshold))

    def _blocks(self, least, most, callback, enough):
        with _threads(self._task_spec.num_threads):
            done = Measurement(self._block(least if most is None else 0.05), [], self._task_spec)
            total = 0.0
            while total < least or not enough(done):
                took = self._timeit(done.number_per_run)
                done.raw_times.append(took)
                total += took
                if callback is not None:
                    callback(done.number_per_run, took)
                if most is not None and total > most:
                    break
        return done

    def _block(self, least):
        """The number of runs in a block."""
        clock, number = float(np.median([self._timeit(0) for _ in range(5)])), 1
        while True:
            took = self._timeit(number)
            if clock / took <= 1e-4 and took >= least / 1000 or took > least or number * 10 > _MOST:
                return number
            number *= 10


@contextlib.contextmanager
def _threads(n):
    torch = _torch()
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)


globals().update(_parts("utils.benchmark", "Compare"))
_surface.publish(globals())
