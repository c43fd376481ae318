"""The modules that are compiled where there is a C compiler; where there is none, the same sources run interpreted."""

import ast
import contextlib
import os
import runpy
import shutil
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

# Each stands beside the .pxd that gives its types; one that is NumPy's C interface alone is a .pyx.
COMPILED = (
    "core/slots.py",
    "core/arrays/small_ufuncs.pyx",
    "core/tape/recording.py",
    "core/primitive/lanes.py",
    "core/primitive/call_lanes.py",
    "core/primitive/forward_lanes.py",
    "transforms/reverse/sweep.py",
    "compat/torch/_impl/types/ndarrays.pyx",
    "compat/torch/_impl/types/tensor_slots.py",
    "compat/torch/_impl/graph/versions.py",
    "compat/torch/_impl/state/plain.py",
    "compat/torch/_impl/views/fast.py",
    "compat/torch/_impl/inplace/fast.py",
    "compat/torch/_impl/types/blank.pyx",
    "compat/torch/_impl/types/record_slots.py",
    "compat/torch/_impl/graph/recording.py",
    "compat/torch/_impl/state/edges.py",
    "compat/torch/_impl/engine/engine.py",
    "compat/torch/_impl/state/makers.py",
    "compat/torch/_impl/dispatch/call_key.py",
    "compat/torch/_impl/modes/context.py",
    "compat/torch/_impl/dispatch/quick.py",
    "compat/torch/_impl/fastpath/level_operands.py",
    "compat/torch/_impl/fastpath/level_lanes.py",
    "compat/torch/_impl/fastpath/map_lanes.py",
    "compat/torch/_impl/fastpath/lanes.py",
    "compat/torch/_impl/fastpath/linear_lane.py",
    "compat/torch/_impl/function/apply_function.py",
)
TABLES = ("autograd", "torch")  # packages of compat some of whose modules are rows of a table
TREE = Path("build/cython")  # the sources by the names of their modules, by which Cython finds declarations


def extensions():
    """The compiled modules; none where threads run in parallel, since fields of compiled objects have no locks."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return []
    shutil.rmtree(TREE, ignore_errors=True)
    found = []
    for source in map(Path, COMPILED):
        for folder in source.parents[:-1]:
            (TREE / "covector" / folder).mkdir(parents=True, exist_ok=True)
            (TREE / "covector" / folder / "__init__.py").touch()
        (TREE / "covector" / "__init__.py").touch()
        for file in (source, source.with_suffix(".pxd")):
            if file.exists():
                shutil.copy(file, TREE / "covector" / file)
        found.append(Extension(
            ".".join(("covector", *source.with_suffix("").parts)), [str(Path("covector") / source)],
            include_dirs=[numpy.get_include()], define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            extra_compile_args=[] if os.name == "nt" else ["-O1", "-g0"],  # -O2 gains 3 %, and takes twice the time
            extra_link_args=["-Wl,-s"] if sys.platform == "linux" else []))  # without symbols: 3.3 MB for 3.9
    with contextlib.chdir(TREE):  # so tracebacks name `covector/core/…`
        found = cythonize(found, compiler_directives={"language_level": 3, "binding": True, "auto_pickle": False})
    for extension in found:
        extension.sources = [str(TREE / file) for file in extension.sources]
        extension.optional = True
    return found


class Build(build_ext):
    """All modules are compiled, or none: they read each other's fields."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self):
        super().build_extensions()
        files = [Path(self.get_ext_fullpath(extension.name)) for extension in self.extensions]
        if not all(file.exists() for file in files):
            self.warn("covector runs interpreted: there is no C compiler, or it failed, as said above")
            for file in files:
                file.unlink(missing_ok=True)


def stubs():
    """`(file, text)` of a stub for each module that is a row of a table: what runs no import reads those."""
    mechanism = runpy.run_path("compat/reexports.py")
    for theirs in TABLES:
        file = Path("compat", theirs, "_impl", "module_table.py")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        tree.body = [node for node in tree.body if not getattr(node, "level", 0)]  # but imports of covector
        names = {"_Row": mechanism["Row"]}
        exec(compile(tree, file, "exec"), names)
        rows = SimpleNamespace(MODULES=names["MODULES"], __file__=str(file))
        table = mechanism["Table"](f"covector.compat.{theirs}", theirs, rows, None)
        for path in table.rows:
            yield Path("covector", "compat", theirs, f"{table.place(path)}.pyi"), table.source(path)


class WithStubs(build_py):
    """The files, and the stubs beside them."""

    def run(self):
        super().run()
        for file, text in stubs():
            target = Path(self.build_lib, file)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")

    def get_outputs(self, include_bytecode=True):
        return [*super().get_outputs(include_bytecode), *(str(Path(self.build_lib, file)) for file, _ in stubs())]


setup(ext_modules=extensions(), cmdclass={"build_ext": Build, "build_py": WithStubs})
