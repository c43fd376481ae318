"""Arrays of CuPy over the ranks of a mesh: on the stand-in of `tests/backends/several_devices.py`; `-m gpu`: on GPUs.

With two GPUs: `pytest -m gpu tests/distributed`.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent


def beside(name):
    """A module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"distributed_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


launching, programs, helpers = beside("launching"), beside("programs"), beside("helpers")
launched = launching.launched
needs_mpi = pytest.mark.skipif(launching.mpiexec() is None, reason=launching.WITHOUT_MPI)
slow = [pytest.mark.slow, needs_mpi]


def devices():
    """How many GPUs CuPy finds."""
    if importlib.util.find_spec("cupy") is None:
        return 0
    import cupy

    return cupy.cuda.runtime.getDeviceCount() if cupy.cuda.is_available() else 0


def on(kind, ranks):
    """`["--real"]` for a test with GPUs; it is skipped where there are too few."""
    if kind == "stand-in":
        return []
    found = devices()
    if found < ranks:
        pytest.skip(f"needs CuPy with {ranks} GPUs, one a rank, and this machine has {found}: nothing ran over NCCL")
    return ["--real"]


def kinds(*ranks):
    """`(kind, ranks)`: on the stand-in, and on real devices."""
    return [pytest.param("stand-in", n, marks=slow if n > 1 else [needs_mpi]) for n in ranks] + [
        pytest.param("GPU", n, marks=[pytest.mark.gpu, needs_mpi]) for n in ranks]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("devices")


@pytest.fixture(scope="module")
def alone(folder):
    """What the programs give with arrays of NumPy in one process."""
    programs.main(folder / "alone.npz", False)
    return np.load(folder / "alone.npz")


def check_same(found, expected):
    assert sorted(found.files) == sorted(expected)
    for name in expected:
        tol = 2e-5 if "float32" in name else 1e-10
        assert found[name].dtype == expected[name].dtype, name
        np.testing.assert_allclose(found[name], expected[name], rtol=tol, atol=tol, err_msg=name)


@needs_mpi
def test_the_stand_in_refuses_what_nccl_would_not_do():
    done = launched(1, "refused_by_stand_in.py")
    assert done.returncode == 0 and "all refused" in done.stdout, done.stderr[-3000:]


@needs_mpi
@pytest.mark.parametrize("kind", ["stand-in", pytest.param("GPU", marks=pytest.mark.gpu)])
def test_each_call_of_nccl_on_one_device(kind):
    done = launched(1, "one_device.py", *on(kind, 1))
    assert done.returncode == 0 and "one device" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize("kind, ranks", kinds(1, 2, 4))
def test_programs_give_on_devices_what_they_give_with_numpy(kind, ranks, alone, folder):
    out = folder / f"{kind}{ranks}.npz"
    one_dtype = kind == "stand-in" and ranks == 4  # which polls on fewer cores; two ranks run them all
    done = launched(ranks, "on_devices.py", out, *on(kind, ranks), *["--float64"] * one_dtype, timeout=400)
    assert done.returncode == 0, done.stderr[-3000:]
    found = np.load(out)
    assert len(found.files) > (300 if one_dtype else 700)
    check_same(found, {name: alone[name] for name in alone.files if not one_dtype or " float64 " in name})
    if kind == "stand-in" and ranks > 1:  # they went over NCCL
        assert all(word in done.stdout for word in ("allReduce", "allGather", "reduceScatter", "receives"))


@pytest.mark.parametrize("kind, ranks", kinds(2, 4))
def test_helpers_give_on_devices_what_they_give_with_numpy(kind, ranks, folder):
    state = folder / f"state {kind}{ranks}"
    helpers.main(folder / "helpers.npz", state)
    out = folder / f"helpers {kind}{ranks}.npz"
    done = launched(ranks, "on_devices.py", out, state, "--load", *on(kind, ranks))
    assert done.returncode == 0, done.stderr[-3000:]
    check_same(np.load(out), np.load(folder / "helpers.npz"))


@pytest.mark.parametrize("kind, ranks", kinds(2, 4))
def test_dtypes_layouts_and_options(kind, ranks):
    done = launched(ranks, "options_on_devices.py", *on(kind, ranks), timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]


DIFFERENT = "are in different collectives"
FAULTS = {
    "new_lines": (DIFFERENT, "pmax over 'data' of cupy.float64[2] (faults_on_devices.py:", "in total)"),
    "other_shape": (DIFFERENT, "cupy.float64[3] (faults_on_devices.py:", "cupy.float64[2] (faults_on_devices.py:"),
    "other_library": (DIFFERENT, "of cupy.float64[2] (faults_on_devices.py:", "of float64[2] (faults_on_devices.py:"),
    "known_lines": (DIFFERENT, "is in pmax over 'data'", "is in psum over 'data'"),
    "known_lines --always": (DIFFERENT, "is in pmax over 'data'", "is in psum over 'data'"),
    "swapped": (DIFFERENT, "in total)", "in doubled)"),
    "swapped --always": (DIFFERENT, "in total)", "in doubled)"),
    "known_and_new": (DIFFERENT, "in total)", "in doubled)"),
    "known_and_numpy": (DIFFERENT, "of cupy.float64[2]", "of float64[2]"),
    "in_buckets": (DIFFERENT, "in one)", "in other)"),
    "one_more": ("CollectiveTimeoutError", "waited 3.0 s for the other ranks", "follows a collective that failed"),
    "not_started": ("CollectiveTimeoutError", "waited 3.0 s for the other ranks", "time_limit="),
    "in_nccl": ("failed in NCCL: NCCL_ERROR_REMOTE_ERROR", "a rank or the network", "NCCL_DEBUG=WARN"),
    "wrong_device": ("sends arrays on device 1 of this rank", "got one on device 3", "device=3"),
    "one_device": ("ranks 0 and 1 along 'data' use the same one", "as many ranks as devices", "transport='mpi'"),
    "same_device": ("ranks 0 and 1 along 'data' use the same one", "0000:01:00.0", "device="),
    "one_device --mpi": ("goes on", "goes on", "goes on"),
    "without_nccl": ("MissingLibraryError", "libnccl was not found", "transport='mpi'"),
    "without_device": ("finds no CUDA device in this process", "start it where there is one", "transport='mpi'"),
}
ENDS = {"known_and_new", "not_started", "one_device", "same_device", "without_nccl", "without_device"}


@needs_mpi
@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_said_and_all_ranks_go_on(name):
    done = launched(2, "faults_on_devices.py", *name.split(), timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    for words in FAULTS[name]:
        assert words in done.stdout, done.stdout
    assert done.stdout.count("goes on") == (0 if name in ENDS else 2)
    assert done.seconds < 30
