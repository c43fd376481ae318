"""The LLVM engine: compile text to functions in memory for the host processor."""

import ctypes
import os
import platform
import sys
import threading
import weakref
from functools import cache, partial
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES

import numpy as np

from ....core.arrays.backend import compiler, installed
from ....core.errors import MissingLibraryError, at_user_line
from ....core.lazy import LazyModule
from ....core.types import Any
from .object_cache import ObjectCache, folder

_UTIL = LazyModule("ctypes.util")
RANGES = 16  # that large nests are cut in, which threads may share
_LARGE = 3000  # lines of text, above which instructions are chosen by the quick way
_HUGE = 20_000  # above which elementary functions are called, not copied into each loop: LLVM's time is not linear
# Loops are vectors already: what is left is to keep small memory in registers, and to compute nothing twice.
PASSES = ("always_inliner", "sroa", "instruction_combine", "simplify_cfg", "new_gvn", "aggressive_dce")
_LINKS = sys.platform != "win32"  # whether LLVM's linker puts code and constants next to each other
_CODE = {"reloc": "pic", "codemodel": "small"} if _LINKS else {"reloc": "default", "codemodel": "jitdefault"}
_TOGETHER = 64  # libraries of one linker, which is 170 KB; the name of one that is gone stays in it, and takes 10
_CALLED = ("fmod", "fmodf")  # functions of the C library that may be in a library which others do not see
_COMPILING = threading.RLock()  # one thread compiles at a time, and none while the process forks


class Machine:
    """The processor, and the code that it runs: compiled, or found in the cache; LLVM is loaded when it is needed."""

    def __init__(self):
        self.cache = None
        self.loaded = weakref.WeakValueDictionary()  # key -> Code
        self.elementary = {}  # elementary functions -> their Code, kept as long as the process
        self.pipelines = {}  # whether modules are short -> what compiles them
        self.compiled = 0  # modules
        self.about: Any = None
        self.linker: Any = None
        self.linked = 0  # libraries
        self.libraries = {}  # name -> its linker, and what this gave: {function: tracker}
        self.dead = []  # names of those to be freed: under the lock, for a fork would leave LLVM's own held for ever

    def facts(self):
        """The `_About` of the processor."""
        self.llvm()
        return self.about

    @property
    def vector(self):
        """The bytes of a register."""
        return self.facts().vector

    def llvm(self):
        """The library.

        Raises:
            MissingLibraryError: it is not installed, or has no code for the processor.
        """
        with _COMPILING:
            llvm = compiler("llvmlite")
            if self.about is None:
                try:
                    llvm.initialize_native_target()
                    llvm.initialize_native_asmprinter()
                    llvm.Target.from_default_triple()
                    self.linker = _linker(llvm)
                except RuntimeError as error:
                    raise MissingLibraryError(
                        f"the LLVM of llvmlite makes no code for this processor, {platform.machine()} ({error}); "
                        f"install a build for it, or leave the printer out{at_user_line()}") from error
                self.about = _About(llvm)
            return llvm

    def files(self):
        """The cache on disk; None where it is off."""
        where = folder()
        if where is None:
            return None
        if self.cache is None or self.cache.folder != where:
            self.cache = ObjectCache(where)
        return self.cache

    def code(self, text, needed, scalar=False, about=None, symbol="call"):
        """The `Code` of a module's text, which calls elementary functions: `needed` as a `Module` has it.

        Args:
            text: a str, or a function that writes it, which is called if code must be compiled.
            scalar: whether its loops compute one element at a time, and LLVM is to make vectors of them.
            about: what it is found by, if that is not the text.
            symbol: a function of the module.
        """
        with _COMPILING:
            while self.dead:
                self.libraries.pop(self.dead.pop(), None)
            for name, what in needed.items():
                if name not in self.elementary:
                    self.elementary[name] = what.made(self, name)
            key = self.key(about or (f"scalar {text}" if scalar else text))
            found = self.loaded.get(key)
            if found is None:
                load = partial(Code, self, symbol, {name[1:]: self.elementary[name] for name in needed})
                files = self.files()
                found = files.get(key, load) if files else None
                if found is None:
                    data = self.object_code(text if type(text) is str else text(), scalar)
                    if files:
                        files.put(key, data)
                    found = load(data)
                self.loaded[key] = found
            return found

    def key(self, text):
        """The key of a module's code in the cache."""
        digest = self.facts().digest.copy()
        digest.update(text.encode())
        return digest.digest()

    def object_code(self, text, scalar=False):
        """The bytes of an object file."""
        llvm = self.llvm()
        target, builder, passes = self.pipeline(scalar, text.count("\n") < _LARGE)
        if text.count("\n") > _HUGE:
            text = text.replace(") alwaysinline {", ") noinline {")
        about = f'target datalayout = "{target.target_data}"\ntarget triple = "{llvm.get_default_triple()}"\n'
        parsed = llvm.parse_assembly(about + text, llvm.create_context())
        passes.run(parsed, builder)
        self.compiled += 1
        return target.emit_object(parsed)

    def pipeline(self, scalar, short):
        """The target, and what runs passes for it: passes of ours are made once, as LLVM keeps 10 KB of each."""
        # Those that LLVM chooses run once: its inliner moves passes out of them.
        found = self.pipelines.get(short)
        if found is None or scalar:
            llvm, target = self.llvm(), self.target(2 if short else 1)
            builder = llvm.create_pass_builder(target, _tuned(llvm.create_pipeline_tuning_options(3 if scalar else 1)))
            if scalar:
                return target, builder, builder.getModulePassManager()
            passes = llvm.create_new_module_pass_manager()
            for name in PASSES:
                getattr(passes, f"add_{name}_pass")()
            found = self.pipelines[short] = target, builder, passes
        return found

    def target(self, level=2):
        """The target machine, by which LLVM chooses instructions, with more or less care."""
        return self.llvm().Target.from_default_triple().create_target_machine(
            cpu=self.facts().name, features=self.facts().features, opt=level, **_CODE)

    def library(self):
        """A linker, and a new name in it."""
        self.linked += 1
        if self.linked % _TOGETHER == 0:
            self.linker = _linker(self.llvm())
        return self.linker, f"library {self.linked}"


def _linker(llvm):
    return llvm.create_lljit_compiler(use_jit_link=_LINKS, suppress_errors=True)


class _About:
    """The processor as LLVM describes it, and the digest of all that code depends on."""

    __slots__ = ("digest", "features", "name", "vector")

    def __init__(self, llvm):
        try:
            found = llvm.get_host_cpu_features()
        except RuntimeError:  # a processor that LLVM does not tell the features of
            found = {}
        self.name = llvm.get_host_cpu_name()
        self.features = found.flatten() if found else ""
        self.vector = 64 if found.get("avx512f") else 32 if found.get("avx2") else 16
        known = (installed("llvmlite"), np.__version__, EXTENSION_SUFFIXES[:1], platform.machine(), sys.platform,
                 PASSES, _LARGE, _HUGE, sorted(_CODE.items()), self.name, self.features)
        self.digest = sha256(repr(known).encode())


def _tuned(options):
    options.loop_vectorization = options.slp_vectorization = True
    return options


class Code:
    """An object file in memory, as long as this lives, with the functions that it calls.

    Args:
        machine: the `Machine`.
        symbol: a function in it.
        called: elementary functions, by name.
        data: the bytes of the file.
    Raises:
        RuntimeError: it is none.
    """

    __slots__ = ("machine", "name", "called", "__weakref__")

    def __init__(self, machine, symbol, called, data):
        self.machine, self.called, self.name = machine, called, ""
        linker, self.name = machine.library()
        library = machine.llvm().JITLibraryBuilder().add_object_img(data).add_current_process().export_symbol(symbol)
        for name, code in called.items():
            library.import_symbol(name, code.address(name))
        for name in _CALLED:
            library.import_symbol(name, address_of(name))
        machine.libraries[self.name] = linker, {symbol: library.link(linker, self.name)}

    def address(self, symbol):
        """The address of a function."""
        linker, found = self.machine.libraries[self.name]
        if symbol not in found:  # all that LLVM gives is kept: the first of it that is freed frees the whole
            with _COMPILING:
                found[symbol] = linker.lookup(self.name, symbol)
        return found[symbol][symbol]

    def __del__(self):
        self.machine.dead.append(self.name)


@cache
def machine():
    """The one `Machine`."""
    return Machine()


if hasattr(os, "register_at_fork"):  # what a thread holds that a child has not is held there for ever: in LLVM, too
    os.register_at_fork(before=_COMPILING.acquire, after_in_parent=_COMPILING.release,
                        after_in_child=_COMPILING.release)


@cache
def _library(name):
    """A library by its name, None where there is none; what the process has, where the name is None."""
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def has_threads():
    """Tell whether the C library makes threads."""
    try:
        return bool(address_of("pthread_create") and address_of("pthread_join"))
    except AttributeError:
        return False


def thread_count():
    """Thread count for large nests: COVECTOR_NUM_THREADS, else OMP_NUM_THREADS, else 1; at most one a range."""
    for name in ("COVECTOR_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(name, "").split(",")[0].strip()
        if text.isdigit() and int(text):
            return min(int(text), RANGES) if int(text) > 1 and has_threads() else 1
    return 1


def address_of(name):
    """The address of a function of the C library."""
    for library in (None, "libm.so.6", ""):
        found = _library(_UTIL.find_library("m") if library == "" else library)  # which is the slowest, 40 ms
        try:
            return ctypes.cast(getattr(found, name), ctypes.c_void_p).value
        except AttributeError:
            continue
    raise AttributeError(f"the C library has no function {name}")
