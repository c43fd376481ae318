"""Functions that `export_c` writes, compiled by the C compiler of this system and called through ctypes."""

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import optree

import covector as cv
from covector.transforms.arguments.arguments import NAMESPACE

COMPILER = shlex.split(os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang") or "")
MISSING = "no C compiler was found: set CC, or install one"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2")
_POINTERS = ctypes.c_void_p


def library(sources, folder, flags=STRICT, compiler=None):
    """A shared library of files."""
    path = Path(folder) / f"{Path(sources[0]).stem}.so"
    command = [*(compiler or COMPILER), *flags, "-shared", "-fPIC", "-o", str(path), *map(str, sources), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr}"
    return ctypes.CDLL(str(path))


def exported(fun, *args, folder, flags=STRICT, **options):
    """A Python function of `args` that runs the C function, with the results as NumPy arrays in the same pytree."""
    folder = tempfile.mkdtemp(dir=folder)  # a library of its own: one name is loaded once in a process
    written = cv.export_c(fun, *args, folder=folder, **options)
    loaded = library([written.paths[0]], folder, flags)
    run = getattr(loaded, written.name)
    run.restype = None
    scratch = np.zeros(scratch_of(written) + 64, np.uint8)
    shapes = cv.eval_shape(fun, *args)
    leaves, form = optree.tree_flatten(shapes, namespace=NAMESPACE)

    def call(*values):
        given = [np.ascontiguousarray(x) for x in optree.tree_leaves(values, namespace=NAMESPACE)]
        outs = [np.full(a.shape, 77, a.dtype) for a in leaves]
        run(*[_POINTERS(x.ctypes.data) for x in (*given, *outs, scratch)])
        return optree.tree_unflatten(form, outs)

    call.written = written
    return call


def scratch_of(written):
    """The bytes of scratch memory that a header asks for."""
    head = f"#define {written.name.upper()}_SCRATCH "
    return int(next(line for line in written.header.splitlines() if line.startswith(head)).removeprefix(head))


def ulps(x, y):
    """The distance of two float arrays in units of the last place; 0 where both are NaN."""
    x, y = np.asarray(x), np.asarray(y)
    whole = np.int64 if x.dtype.itemsize == 8 else np.int32
    least = np.iinfo(whole).min
    places = [np.where(a.view(whole) < 0, least - a.view(whole), a.view(whole)).astype(object) for a in (x, y)]
    return np.where(np.isnan(x) & np.isnan(y), 0, np.abs(places[0] - places[1]))
