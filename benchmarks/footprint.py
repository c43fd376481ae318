"""What covector costs before it computes anything: start-up time and size on disk."""

import importlib.metadata
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from case import Bound, Measured

import covector
import covector.compat.torch
import covector.testing

# What `pip install covector` brings along, NumPy aside.
REQUIREMENTS = ("optree", "opt_einsum", "typing_extensions")
IMPORT = """
import numpy
from time import perf_counter
start = perf_counter()
import covector, covector.numpy
print(perf_counter() - start)
"""


def cases() -> list[Measured]:
    return [
        Measured(
            "import-time",
            "`import covector`, beyond NumPy's own",
            "s",
            _import_time,
            (Bound(0.15),),
        ),
        Measured(
            "installed-size",
            "files of the wheels of covector and its requirements, NumPy aside",
            "MB",
            _installed_size,
            (Bound(5.0),),
        ),
    ]


def _import_time(quick: bool) -> tuple[float, dict[str, Any]]:
    """Return the median over processes that find bytecode, as an installation writes it."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        settings = os.environ | {"PYTHONPYCACHEPREFIX": folder}
        settings.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(4 if quick else 16):
            done = subprocess.run(
                [sys.executable, "-c", IMPORT],
                capture_output=True,
                text=True,
                check=True,
                env=settings,
            )
            seconds.append(float(done.stdout))
    compiling = seconds.pop(0)
    return median(seconds), {"runs": len(seconds), "best": min(seconds), "worst": max(seconds), "compiling": compiling}


def _installed_size(quick: bool) -> tuple[float, dict[str, Any]]:
    """Return what the wheels hold, without the bytecode that Python writes beside it, about as much again."""
    sizes = {"covector": _size_of_modules()}
    for name in REQUIREMENTS:
        located = [Path(str(file.locate())) for file in importlib.metadata.files(name) or []]
        sizes[name] = sum(path.stat().st_size for path in located if path.exists() and path.suffix != ".pyc")
    megabytes = {name: size / 1e6 for name, size in sizes.items()}
    return sum(megabytes.values()), megabytes


def _size_of_modules() -> int:
    """Add up the folders that covector's packages were loaded from.

    The record of an editable installation lists links, not files: so by folder.
    """
    folders = {
        Path(location).resolve()
        for name, module in sys.modules.items()
        if name == "covector" or name.startswith("covector.")
        for location in getattr(module, "__path__", ())
    }
    assert covector.testing.__path__, "covector must be a package"
    return sum(file.stat().st_size for folder in folders for file in folder.iterdir() if file.is_file())
