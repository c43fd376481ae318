"""Holds the process to one thread and records what the figures were measured on."""

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

THREAD_LIMITS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NPROC",  # JAX: the size of its thread pool
)
RECORDED = ("covector", "numpy", "torch", "autograd", "optree", "opt_einsum", "jax", "jaxlib")


def single_thread(core: int | None = None) -> None:
    """Limit every math library to one thread; call before NumPy or PyTorch is imported."""
    for name in THREAD_LIMITS:
        os.environ[name] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    # A forced core type makes OpenBLAS use the kernels of another processor.
    os.environ.pop("OPENBLAS_CORETYPE", None)
    if core is not None:
        os.sched_setaffinity(0, {core})


def describe() -> dict[str, Any]:
    """Return versions, processor and load as plain values."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "threads": 1,
        "versions": {name: _version(name) for name in RECORDED},
    }


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    """Return the vendor's name of the processor; `platform` alone says x86_64 on Linux."""
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
