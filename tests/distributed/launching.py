"""Running a script of this folder on several processes."""

import os
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import covector

HERE = Path(__file__).parent


def mpiexec():
    """The launcher that belongs to the MPI of this environment, None without mpi4py or without one."""
    if find_spec("mpi4py") is None:
        return None
    beside = Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else shutil.which("mpiexec")


WITHOUT_MPI = "needs MPI: pip install 'covector[mpi]', with the mpich wheel or the system's MPI"


def launched(ranks, script, *args, timeout=120, wait=True, env=()):
    """The completed process of a script on so many ranks; `.seconds` says how long it took."""
    found = Path(covector.__file__).parent.parent  # the library that is tested, wherever this runs
    paths = os.pathsep.join([str(found), *filter(None, [os.environ.get("PYTHONPATH")])])
    settings = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **dict(env)}
    start = [mpiexec(), "-n", str(ranks)] if ranks > 1 else []
    if os.environ.get("OMPI_ALLOW_RUN_AS_ROOT") or start and "ompi" in os.path.realpath(start[0]):
        start.append("--oversubscribe")
    command = [*start, sys.executable, str(HERE / script), *map(str, args)]
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=settings,
                               stdin=subprocess.DEVNULL, start_new_session=True)
    if not wait:
        return process
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    done = subprocess.CompletedProcess(command, process.returncode, out, err)
    done.seconds = time.perf_counter() - begun
    return done
