"""torch.utils.benchmark: timers with a clock of their own, so that the times are known."""

import importlib
import re

from harness import message


class Clock:
    """A clock that a statement moves on."""

    def __init__(self):
        self.now, self.steps = 0.0, 0

    def __call__(self):
        self.now += 1e-9
        return self.now

    def work(self, seconds):
        self.steps += 1
        self.now += seconds * (1 + 0.01 * (self.steps % 3))


def tools(torch):
    return importlib.import_module(torch.__name__ + ".utils.benchmark")


def shown(m):
    return re.sub(r"<.*? object at 0x[0-9a-f]+>", "<>", repr(m))


def script_runs_of_a_known_number(torch):
    clock = Clock()
    benchmark = tools(torch)
    t = benchmark.Timer("c.work(2e-3)", timer=clock, globals={"c": clock}, label="work", sub_label="slow")
    m = t.timeit(300)
    return shown(m), m.number_per_run, len(m.times), m.median, m.mean, m.title, clock.steps, m.sub_label


def script_blocks_until_enough_time_is_over(torch):
    clock, calls = Clock(), []
    t = tools(torch).Timer("""
        for _ in range(2):
            c.work(s)
    """, "s = 1e-4\nn = 1", timer=clock, globals={"c": clock}, description="twice", num_threads=1)
    m = t.blocked_autorange(callback=lambda n, s: calls.append(n), min_run_time=0.5)
    a = t.adaptive_autorange()
    return shown(m), m.number_per_run, calls, m.median, m.iqr, m.significant_figures, a.number_per_run, len(a.times)


def script_times_of_one_task_together(torch):
    benchmark = tools(torch)
    clock = Clock()
    t = benchmark.Timer("c.work(1e-3)", timer=clock, globals={"c": clock})
    merged = benchmark.Measurement.merge([t.timeit(2), t.timeit(3), t.timeit(4), t.timeit(900)])
    spread = benchmark.Measurement(1, [1e-3, 2e-3, 3e-3, 9e-3, 2e-2], merged[0].task_spec)
    return [shown(m) for m in (*merged, spread)], spread.has_warnings, spread.as_row_name


def script_what_a_timer_does_not_take(torch):
    timer = tools(torch).Timer
    return [message(f) for f in (lambda: timer(lambda: 0), lambda: timer("1", global_setup="x"),
                                 lambda: timer("1", language="rust"), lambda: timer("1").repeat(),
                                 lambda: timer("1").autorange())], timer("torch").timeit(2).number_per_run
