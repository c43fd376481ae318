"""The configuration of covector in this process, for bug reports: versions, backends, and which roads are compiled."""

import os
import platform
import sys

import numpy as np

from .core import ROADS, compiled
from .core.lazy import LazyModule
from .core.tape.recording import make_node
from .transforms.compile.call.kernels import without_native

_METADATA = LazyModule("importlib.metadata")
_LIBRARIES = ("numpy", "opt_einsum", "optree", "scipy", "llvmlite", "ml_dtypes", "mpi4py", "cupy")
_POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def show_config(mode: str = "stdout") -> dict[str, dict[str, str]] | None:
    """Print the versions, roads, printers, BLAS and threads of this process.

    Args:
        mode: `"stdout"` prints them; `"dicts"` returns them as `{section: {name: text}}`.
    Returns:
        None, or the dict.
    Raises:
        ValueError: another mode.

    >>> import covector
    >>> sorted(covector.show_config("dicts"))
    ['numerics', 'printers of jit', 'roads', 'versions']
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError(f"show_config takes the mode 'stdout' or 'dicts', but got {mode!r}")
    found = {"versions": _versions(), "roads": _roads(), "printers of jit": _printers(), "numerics": _numerics()}
    if mode == "dicts":
        return found
    for section, rows in found.items():
        sys.stdout.write("\n".join([section, *[f"  {name}: {text}" for name, text in rows.items()], ""]))
    return None


def _versions() -> dict[str, str]:
    rows = {"Python": f"{platform.python_version()} on {platform.system()} {platform.machine()}"}
    for name in ("covector", *_LIBRARIES):
        try:
            rows[name] = _METADATA.version(name)
        except _METADATA.PackageNotFoundError:
            rows[name] = "not installed"
    return rows


def _roads() -> dict[str, str]:
    if ROADS != "compiled":
        return {"operations": f"{ROADS}, as COVECTOR_ROADS says"}
    if compiled(make_node):
        return {"operations": "compiled"}
    why = "threads run in parallel" if not getattr(sys, "_is_gil_enabled", lambda: True)() else (
        "there was no C compiler when covector was installed")
    return {"operations": f"interpreted, since {why}"}


def _printers() -> dict[str, str]:
    return {"numpy": "yes", "llvm": "no: needs llvmlite, and COVECTOR_NATIVE not 0" if without_native() else "yes"}


def _numerics() -> dict[str, str]:
    blas = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    rows = {"BLAS of NumPy": f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()}
    rows["processors"] = str(os.cpu_count())
    return rows | {name: os.environ[name] for name in _POOLS if name in os.environ}
