"""torch.profiler: profiles of chosen steps of a loop, on torch.autograd.profiler."""

import enum
import os
import time
import warnings

from .profiler import STEP, profile as plain_profile, record_function


class ProfilerActivity(enum.Enum):
    """Activities to profile: operations on the CPU; of devices there are none."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """The action at a step: do nothing, run without recording, record, or record and hand the result over."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities():
    """The activities that can be timed."""
    return {ProfilerActivity.CPU}


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """Schedule recorded steps, as a function of the step: `skip_first`, then cycles of `wait`, `warmup`, `active`.

    Args:
        repeat: how many cycles; 0 for as many as there are.

    >>> import covector.compat.torch as torch
    >>> [torch.profiler.schedule(wait=1, warmup=1, active=1)(step).name for step in range(4)]
    ['NONE', 'WARMUP', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0).")
    if not warmup:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)

    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        length = wait + warmup + active
        if repeat and step // length >= repeat:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def always(step):
    """Record every step."""
    return ProfilerAction.RECORD


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """A function for `on_trace_ready` that writes timelines into a folder, one file for each."""
    if use_gzip:
        raise NotImplementedError("tensorboard_trace_handler(use_gzip=True) is not implemented; leave it out")

    def write(prof):
        os.makedirs(dir_name, exist_ok=True)
        name = worker_name or f"{os.uname().nodename}_{os.getpid()}"
        prof.export_chrome_trace(os.path.join(dir_name, f"{name}.{time.time_ns()}.pt.trace.json"))

    return write


class profile:  # noqa: N801 (torch's name)
    """Profile a loop, or the steps of it that a schedule chooses.

    Args:
        activities: which to time; CPU must be among them.
        schedule: step -> `ProfilerAction`, as `schedule` gives it; steps are labelled `ProfilerStep#`. By default all
            is recorded.
        on_trace_ready: called with the profile when a recorded part is complete.
        record_shapes, profile_memory, with_stack, with_flops, with_modules: as for `torch.autograd.profiler.profile`.
        acc_events: keep the events of earlier parts.

    >>> import covector.compat.torch as torch
    >>> with torch.profiler.profile() as prof:
    ...     y = torch.ones(2).sin()
    >>> [e.key for e in prof.key_averages() if e.key == "aten::sin"]
    ['aten::sin']
    """

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False, experimental_config=None,
                 execution_trace_observer=None, acc_events=False, use_cuda=None, custom_trace_id_callback=None):
        if use_cuda is not None:
            warnings.warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2)
        activities = None if activities is None else list(activities)
        if activities == []:
            raise AssertionError("No valid profiler activities found")
        if activities is not None and ProfilerActivity.CPU not in activities:
            raise NotImplementedError("torch.profiler.profile times operations on the CPU; put ProfilerActivity.CPU "
                                      "among the activities")
        if experimental_config is not None or execution_trace_observer is not None:
            raise NotImplementedError("torch.profiler.profile was given experimental_config or "
                                      "execution_trace_observer, which configure the library that PyTorch collects "
                                      "with; leave them out")
        self.activities = set(activities or supported_activities())
        self.schedule = schedule or always
        self.on_trace_ready = on_trace_ready
        self.acc_events = acc_events
        self.record_steps = schedule is not None
        self.step_num = 0
        self._step = None
        self._options = {"record_shapes": record_shapes, "profile_memory": profile_memory, "with_stack": with_stack,
                         "with_flops": with_flops, "with_modules": with_modules}
        self._running = self.profiler = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def start(self):
        """Begin, as the schedule says for the first step."""
        self._act(self.schedule(self.step_num))
        self._label()

    def stop(self):
        """End; what is being recorded is complete."""
        self._end_label()
        if self._running is not None:
            self._finish()

    def step(self):
        """The next step of the loop begins."""
        self._end_label()
        before = self.schedule(self.step_num)
        self.step_num += 1
        now = self.schedule(self.step_num)
        if self._running is not None and (before is ProfilerAction.RECORD_AND_SAVE or now in (
                ProfilerAction.NONE, ProfilerAction.WARMUP)):
            self._finish()
        self._act(now)
        self._label()

    def _label(self):
        if self.record_steps:
            self._step = record_function(f"{STEP}{self.step_num}").__enter__()

    def _end_label(self):
        step, self._step = self._step, None
        if step is not None:
            step.__exit__(None, None, None)

    def _act(self, action):
        if self._running is None and action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
            if self.profiler is not None and not self.acc_events:
                warnings.warn(
                    "Warning: Profiler clears events at the end of each cycle. Only events from the current cycle will "
                    "be reported. To keep events across cycles, set acc_events=True.", stacklevel=3)
            self._running = plain_profile(**self._options)
            self._running.__enter__()

    def _finish(self):
        running, self._running = self._running, None
        running.__exit__(None, None, None)
        if self.acc_events and self.profiler is not None:
            running.function_events[:0] = self.profiler.function_events
        self.profiler = running
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _found(self):
        if self.profiler is None:
            raise AssertionError("the profile has recorded nothing yet: it is asked after the `with` block, or after a "
                                 "step that its schedule records")
        return self.profiler

    def key_averages(self, *args, **named):
        """The operations of the last recorded part, averaged by name."""
        return self._found().key_averages(*args, **named)

    def events(self):
        """The events of the last recorded part."""
        return self._found().function_events

    def export_chrome_trace(self, path):
        """Write the last recorded part as a timeline."""
        return self._found().export_chrome_trace(path)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Write the user's lines of the last recorded part with a metric; needs `with_stack`."""
        return self._found().export_stacks(path, metric)
