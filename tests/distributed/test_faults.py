"""What one rank does wrong is said, with the lines of both sides, and nothing waits for ever."""

import importlib.util
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("distributed_launching", HERE / "launching.py")
launching = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(launching)
launched = launching.launched

pytestmark = [pytest.mark.slow, pytest.mark.skipif(launching.mpiexec() is None, reason=launching.WITHOUT_MPI)]


@pytest.mark.parametrize("name, first, second", [
    ("other_operation", "in pmax over 'data' of float64[] (faults.py:", "in psum over 'data' of float64[] (faults.py:"),
    ("other_shape", "float64[4] (faults.py:", "float64[2] (faults.py:"),
    ("other_dtype", "float32[1] (faults.py:", "float64[1] (faults.py:"),
])
def test_other_collectives_are_found_before_they_meet_and_all_ranks_go_on(name, first, second):
    done = launched(2, "faults.py", name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("are in different collectives") == 2 and done.stdout.count("goes on") == 2
    assert first in done.stdout and second in done.stdout and "in the same order" in done.stdout
    assert done.seconds < 20


@pytest.mark.parametrize("options", [[], ["--always"]])
def test_known_lines_in_another_order_are_found_while_they_wait(options):
    done = launched(4, "faults.py", "known_lines", *options)
    assert done.returncode != 0 and done.seconds < 20
    assert "is in ppermute over 'data'" in done.stderr and "is in psum over 'data'" in done.stderr
    assert done.stderr.count("(faults.py:") >= 2


@pytest.mark.parametrize("options, words", [
    ("", "are in different collectives"), ("--always", "are in different collectives"),
    ("--jit", "are in different collectives"), ("--jit --always", "are in different collectives"),
    ("--many", "252 calls ago"), ("--many --barrier", "2 calls ago"), ("--many --always", "are in different")])
def test_known_lines_of_one_kind_in_another_order_are_found(options, words):
    done = launched(2, "faults.py", "swapped", *options.split())
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(words) == 2 and done.stdout.count("goes on") == 2
    assert "in line_a)" in done.stdout and "in line_b)" in done.stdout


def test_lines_that_meet_on_purpose_may_differ():
    done = launched(2, "faults.py", "swapped", "--apart")
    assert done.returncode == 0 and done.stdout.count("goes on") == 2, done.stdout + done.stderr


def test_known_shapes_of_one_line_do_not_meet():
    done = launched(2, "faults.py", "known_shapes")
    assert done.returncode == 0 and done.seconds < 20, done.stderr
    assert done.stdout.count("is in psum over 'data' of float64[4]") == 2 and done.stdout.count("goes on") == 2


def test_a_wait_has_a_limit():
    done = launched(2, "faults.py", "one_more")
    assert done.returncode != 0 and 4 < done.seconds < 20
    assert "on rank 0 of 2 waited 4.0 s" in done.stderr and "time_limit=" in done.stderr


def test_a_rank_that_raises_ends_all_with_its_message():
    done = launched(4, "faults.py", "raises")
    assert done.returncode != 0 and done.seconds < 20
    assert "rank 3 of 4 raised an exception; all ranks end" in done.stderr and "something of the user's" in done.stderr


def test_a_rank_that_dies_ends_all():
    done = launched(4, "faults.py", "dies")
    assert done.returncode != 0 and done.seconds < 20


def living(pids):
    """Those of some processes that run, none of those that have ended and wait for their parent."""
    listed = subprocess.run(["ps", "-o", "pid=,state=", "-p", ",".join(map(str, pids))], capture_output=True, text=True)
    states = dict(line.split() for line in listed.stdout.splitlines())
    return [pid for pid in pids if states.get(str(pid), "Z")[0] != "Z"]


def kill_one(folder, seed, ranks=(2, 4)):
    """Kill a rank of a training run at some moment; the run ends, and what it saved can be loaded on other ranks."""
    rng = random.Random(seed)
    count = rng.choice(ranks)
    run = launched(count, "training.py", folder, "1000000", wait=False)
    deadline = time.monotonic() + 60
    while not (folder / "manifest.json").exists():
        assert run.poll() is None and time.monotonic() < deadline, run.communicate()[1][-2000:]
        time.sleep(0.01)
    time.sleep(rng.random() * 0.5)
    pids = [int(file.name) for file in folder.with_suffix(".ranks").iterdir()]
    assert len(living(pids)) == count, (run.poll(), pids)
    try:
        signal_ = rng.choice([signal.SIGKILL, signal.SIGTERM])
        os.kill(rng.choice(pids), signal_)
        begun = time.monotonic()
        run.communicate(timeout=30)
        ended = time.monotonic() - begun
    finally:
        run.kill()
    assert run.returncode != 0
    while living(pids):  # the launcher may be gone a moment before the last of them
        assert time.monotonic() < begun + 30
        time.sleep(0.01)
    step = json.loads((folder / "manifest.json").read_text())["step"]
    other = launched(rng.choice([1, 2]), "training.py", folder, str(step + 2))
    assert other.returncode == 0, other.stderr[-2000:]
    assert f"went on from step {step}" in other.stdout
    return ended


def test_a_run_killed_at_some_moment_ends_and_goes_on_on_other_ranks(tmp_path):
    for seed in range(3):
        assert kill_one(tmp_path / str(seed), seed) < 20


if __name__ == "__main__":  # python tests/distributed/test_faults.py 200
    import sys
    import tempfile

    times = []
    for seed in range(int(sys.argv[1])):
        with tempfile.TemporaryDirectory() as folder:
            times.append(kill_one(Path(folder), 1000 + seed))
    sys.stdout.write(f"{len(times)} runs killed; each ended, the slowest {max(times):.2f} s after it, and went on\n")
