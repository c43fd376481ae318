"""Lazy import of MPI at the first mesh of several processes, and the abort of all ranks when one fails."""

import os
import sys
import time
import traceback
from importlib.util import find_spec

from ...core.errors import MissingLibraryError, at_user_line
from ...core.lazy import LazyModule, loaded

# Set by mpiexec of MPICH and its kin, Open MPI, Slurm and PMIx: how many processes were started together.
_COUNTS = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_SIZE")
# Seconds. A launcher that hears of an abort drops what it has not read of a rank's output yet: without a pause MPICH's
# loses the message now and then on a busy machine.
_HANDED_ON = 0.2
_MPI = LazyModule("mpi4py.MPI")
_STATE = {"hooked": False}


def started_together():
    """Tell whether the environment says that this process is one of several that a launcher of MPI started."""
    return any(os.environ.get(name, "1") not in ("", "1") for name in _COUNTS) or "PMIX_RANK" in os.environ


def load():
    """The module `mpi4py.MPI`.

    Raises:
        MissingLibraryError: it is not installed, or finds no MPI.
    """
    try:
        return loaded(_MPI)
    except (ImportError, RuntimeError) as error:
        what = "mpi4py is not installed" if find_spec("mpi4py") is None else f"mpi4py found no MPI ({error})"
        raise MissingLibraryError(f"a mesh over several processes needs MPI, but {what}; install it: pip install "
                                  f"'covector[mpi]', and start the program by mpiexec -n 4 python script.py"
                                  f"{at_user_line()}") from error


def end_together(comm):
    """From now on an exception that nobody catches on one rank is shown, and ends all ranks."""
    if _STATE["hooked"]:
        return
    _STATE["hooked"] = True
    before = sys.excepthook

    def ended(kind, error, trace):
        try:
            rank = comm.Get_rank()
            sys.stdout.flush()
            text = "".join(traceback.format_exception(kind, error, trace))
            sys.stderr.write(f"rank {rank} of {comm.Get_size()} raised an exception; all ranks end\n{text}")
            sys.stderr.flush()
            time.sleep(_HANDED_ON)
        except Exception:
            before(kind, error, trace)
        finally:
            comm.Abort(1)

    sys.excepthook = ended
