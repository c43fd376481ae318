"""torch.profiler: profiles of chosen steps of a loop, on torch.autograd.profiler."""

import enum
import os
import time

from .profiler import profile as plain_profile


class ProfilerActivity(enum.Enum):
    """What is timed: operations on the CPU; of devices there are none."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a step does: nothing, run without being kept, be recorded, or be recorded and hand over what was."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities():
    """The activities that can be timed."""
    return {ProfilerActivity.CPU}


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """Which steps are recorded, as a function of the step: `skip_first`, then cycles of `wait`, `warmup`, `active`.

    Args:
        repeat: how many cycles; 0 for as many as there are.

    >>> import covector.compat.torch as torch
    >>> [torch.profiler.schedule(wait=1, warmup=0, active=1)(step).name for step in range(4)]
    ['NONE', 'RECORD_AND_SAVE', 'NONE', 'RECORD_AND_SAVE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError("Invalid profiler schedule arguments")

    def action(step):
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
        schedule: step -> `ProfilerAction`, as `schedule` gives it; by default all is recorded.
        on_trace_ready: called with the profile when a recorded part is complete.
        record_shapes, profile_memory, with_stack, with_flops, with_modules: as for `torch.autograd.profiler.profile`.

    >>> import covector.compat.torch as torch
    >>> with torch.profiler.profile() as prof:
    ...     y = torch.ones(2).sin()
    >>> [e.key for e in prof.key_averages() if e.key == "aten::sin"]
    ['aten::sin']
    """

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False, experimental_config=None,
                 execution_trace_observer=None, acc_events=False, use_cuda=None, custom_trace_id_callback=None):
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
        self.step_num = 0
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

    def stop(self):
        """End; what is being recorded is complete."""
        if self._running is not None:
            self._finish()

    def step(self):
        """The next step of the loop begins."""
        before = self.schedule(self.step_num)
        self.step_num += 1
        now = self.schedule(self.step_num)
        if self._running is not None and (before is ProfilerAction.RECORD_AND_SAVE or now in (
                ProfilerAction.NONE, ProfilerAction.WARMUP)):
            self._finish()
        self._act(now)

    def _act(self, action):
        if self._running is None and action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
            self._running = plain_profile(**self._options)
            self._running.__enter__()

    def _finish(self):
        running, self._running = self._running, None
        running.__exit__(None, None, None)
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
