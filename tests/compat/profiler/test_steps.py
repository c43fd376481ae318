"""torch.profiler: profiles of the steps of a loop."""

import os
import tempfile

from harness import attempt, message


def script_steps_are_labelled(torch):
    out = []

    def keep(prof):
        out.append((prof.step_num, sorted((e.name, e.trace_name) for e in prof.events() if e.is_user_annotation)))

    for acc_events in (False, True):
        with torch.profiler.profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2),
                                    on_trace_ready=keep, acc_events=acc_events) as prof:
            for _ in range(9):
                with torch.profiler.record_function("mine"):
                    torch.ones(2).sin()
                prof.step()
    with torch.profiler.profile() as prof:
        prof.step()
    return out, [e.key for e in prof.key_averages() if e.key.startswith("ProfilerStep")]


def script_schedules(torch):
    schedule, action = torch.profiler.schedule, torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    early = schedule(wait=2, warmup=1, active=1, skip_first=1, skip_first_wait=1)
    return ([action(k).name for k in range(6)], [early(k).name for k in range(8)], message(lambda: action(-1)),
            message(lambda: schedule(wait=-1, warmup=1, active=2)), schedule(wait=0, warmup=0, active=1)(1).name,
            message(lambda: schedule(wait=1, warmup=1, active=0)))


def script_arguments(torch):
    profile = torch.profiler.profile
    with profile(use_cuda=False, with_stack=True) as prof:
        torch.ones(2).sin()
    with tempfile.TemporaryDirectory() as folder:
        prof.export_stacks(os.path.join(folder, "stacks"))
    return message(lambda: profile(activities=[])), attempt(lambda: profile().events())[:2]
