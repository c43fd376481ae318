"""Collects the scripts and the calls of each module as the tests that `harness.py` makes of them."""

import inspect

import pytest
from devices import LACKS, may_differ, must_differ, on_device, without_place

import covector.compat.torch as compat
from harness import Call, Script, pytorch
from recordings import TESTS, recording


def pytest_pycollect_makeitem(collector, name, obj):
    """Each script and each row of `CALLS` is two tests: it gives what was recorded, and what PyTorch gives."""
    if name.startswith("script_") and inspect.isfunction(obj):
        return tests(collector, name, name, Script(obj))
    if name == "CALLS":
        return [test for row in obj for test in tests(collector, name, row[0], called(row))]
    return None


def called(row):
    """The call of one row: name, function, arrays, and last the facts about it, where there are any."""
    facts = row[-1] if isinstance(row[-1], dict) else {}
    return Call(*[part for part in row if part is not facts], **facts)


def tests(collector, name, key, subject):
    """The two tests of one subject."""
    recorded = recording(collector.path.relative_to(TESTS))
    renew, stand_in = collector.config.getoption("record_answers"), collector.config.getoption("stand_in")
    recorded.keys.add(key)

    def gives_what_was_recorded():
        theirs = recorded.get(key)
        subject.compare(subject.answers(compat), theirs)

    def gives_what_pytorch_gives():
        torch = pytorch()
        ours, theirs = subject.answers(compat), subject.answers(torch)
        if renew:
            renewed(recorded, key, subject, theirs, torch.__version__.partition("+")[0])
        subject.compare(ours, theirs)
        subject.compare(recorded.get(key), theirs)

    def gives_on_a_device_what_was_recorded():
        place = f"{collector.path.relative_to(TESTS).as_posix()}::{name if name == key else key}"
        try:
            with on_device(compat):
                ours = subject.answers(compat)
            subject.compare(without_place(ours), without_place(recorded.get(key)))
        except Exception as error:
            if not may_differ(place, stand_in) and not (LACKS in str(error) and not stand_in):
                raise
        else:
            assert not must_differ(place, stand_in), f"{place} agrees now: its line in device_differences.txt goes"

    label = "" if name == key else f"{key}-"
    made = [pytest.Function.from_parent(collector, name=f"{name}[{label}{word}]", callobj=test, originalname=name)
            for word, test in (("recorded", gives_what_was_recorded), ("live", gives_what_pytorch_gives),
                               ("cuda", gives_on_a_device_what_was_recorded))]
    made[1].add_marker(pytest.mark.reference)
    made[2].add_marker(pytest.mark.gpu)
    return made


def renewed(recorded, key, subject, theirs, version):
    """Write what PyTorch gives, unless it is what was recorded but for rounding."""
    try:
        subject.compare(recorded.get(key), theirs)
        if recorded.version == version:
            return
        theirs = recorded.get(key)
    except (AssertionError, KeyError):
        pass
    recorded.put(key, theirs, version)
