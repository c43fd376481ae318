"""The compiler behind native code: text of LLVM to functions in memory, for the processor that this runs on."""

import ctypes
import os
import platform
import sys
import threading
import weakref
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES

import numpy as np

from ....core.arrays.compilers import compiler, installed
from ....core.errors import MissingLibraryError, at_user_line
from ....core.lazy import LazyModule
from ....core.types import Any
from .digests import sha256
from .object_cache import ObjectCache, folder
from .object_files import SUPPORTED, Loaded, Unloadable

_LANES: Any = LazyModule("covector.transforms.native.ir.lanes")
_UTIL = LazyModule("ctypes.util")
RANGES = 16  # that large nests are cut in, which threads may share
_LARGE = 3000  # lines of text, above which instructions are chosen by the quick way
# Loops are vectors already: what is left is to keep small memory in registers, and to compute nothing twice.
PASSES = ("always_inliner", "sroa", "instruction_combine", "simplify_cfg", "new_gvn", "aggressive_dce")
_CODE = {"reloc": "pic", "codemodel": "small"} if SUPPORTED else {"reloc": "default", "codemodel": "jitdefault"}
_COMPILING = threading.RLock()  # one thread compiles at a time, and none while the process forks
_ABOUT = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")  # a processor, as Linux tells it


class Machine:
    """The processor, and the code that it runs: compiled, or found in the cache; LLVM is loaded when it is needed."""

    def __init__(self):
        self.cache = None
        self.loaded = weakref.WeakValueDictionary()  # key -> Code
        self.elementary = {}  # elementary functions -> their Code, kept as long as the process
        self.keys = {}  # elementary functions -> what their code is found by
        self.pipelines = {}  # whether modules are short -> what compiles them
        self.compiled = 0  # modules
        self.ready = False
        known = (installed("llvmlite"), np.__version__, EXTENSION_SUFFIXES[:1], platform.machine(),
                 sys.platform, PASSES, _LARGE, sorted(_CODE.items()))
        self.plain = sha256(repr(known).encode())
        self.about: Any = None
        self.processor = _processor()

    def remembered(self):
        """Whether it is known what LLVM says of the processor: where the cache does not know, it has no code either."""
        if self.about is None:
            files = self.processor and self.files()
            found = files.get(_key(self.plain, f"this processor: {self.processor}"), _facts) if files else None
            if found:
                self.about = _About(self.plain, *found)
        return self.about is not None

    def facts(self):
        """What LLVM says of the processor: remembered in the cache, under what the system says of it."""
        if self.remembered():
            return self.about
        with _COMPILING:
            llvm = self.llvm()
            try:
                features = llvm.get_host_cpu_features()
            except RuntimeError:  # a processor that LLVM does not tell the features of
                features = {}
            facts = (llvm.get_host_cpu_name(), features.flatten() if features else "",
                     64 if features.get("avx512f") else 32 if features.get("avx2") else 16)
        if self.processor and self.files():
            self.files().put(_key(self.plain, f"this processor: {self.processor}"),
                             "\n".join(map(str, facts)).encode())
        self.about = _About(self.plain, *facts)
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
            if not self.ready:
                try:
                    llvm.initialize_native_target()
                    llvm.initialize_native_asmprinter()
                    llvm.Target.from_default_triple()
                except RuntimeError as error:
                    raise MissingLibraryError(
                        f"the LLVM of llvmlite makes no code for this processor, {platform.machine()} ({error}); "
                        f"install a build for it, or leave the printer out{at_user_line()}") from error
                self.ready = True
            return llvm

    def files(self):
        """The cache on disk; None where it is off."""
        where = folder()
        if where is None:
            return None
        if self.cache is None or self.cache.folder != where:
            self.cache = ObjectCache(where)
        return self.cache

    def key(self, text):
        """What a module's code is found by."""
        return _key(self.facts().digest, text)

    def key_of_program(self, about):
        """What a program is found by, without what LLVM says of the processor; None where the system says nothing."""
        return self.processor and _key(self.plain, f"{self.processor}\n{about}")

    def code(self, text, needed, scalar=False, about=None):
        """The `Code` of a module's text, which calls elementary functions: `needed` as a `Module` has it.

        `scalar` says that its loops compute one element at a time, and LLVM is to make vectors of them; `about` what
        it is found by, if that is not the text.
        """
        with _COMPILING:
            for symbol, what in needed.items():
                if symbol not in self.elementary:
                    module = _LANES.elementary_module({symbol: what})
                    self.keys[symbol] = self.key(module.text)
                    self.elementary[symbol] = self.code(module.text, {})
            key = self.key(about or (f"scalar {text}" if scalar else text))
            found = self.loaded.get(key)
            if found is None:
                symbols, memory = self.functions(key, text, scalar)
                found = self.loaded[key] = Code(symbols, (memory, [self.elementary[s] for s in needed]))
            return found

    def recalled(self, key, needed):
        """The `Code` with a key, which calls elementary functions: `{symbol: key}`; None where a file is missing."""
        with _COMPILING:
            for symbol, other in needed.items():
                if symbol not in self.elementary:
                    code = self.recalled(other, {})
                    if code is None:
                        return None
                    self.keys[symbol], self.elementary[symbol] = other, code
            found = self.loaded.get(key)
            loaded = self.files().get(key, self.placed) if found is None and self.files() else None
            if type(loaded) is Loaded:
                found = self.loaded[key] = Code(loaded.symbols, (loaded, [self.elementary[s] for s in needed]))
            return found

    def functions(self, key, text, scalar=False):
        """`({name: address}, what keeps them in memory)`."""
        files = self.files()
        loaded = files.get(key, self.placed) if files else None
        if loaded is None:
            data = self.object_code(text, scalar)
            if files:
                files.put(key, data)
            loaded = self.placed(data)
        return (loaded.symbols, loaded) if type(loaded) is Loaded else self.linked(loaded, text)

    def placed(self, data):
        """An object file in memory, or its bytes as they are, where LLVM must load it, which takes more kinds."""
        if SUPPORTED:
            try:
                return Loaded(data, self.address_of)
            except Unloadable:
                pass
        return data

    def object_code(self, text, scalar=False):
        """The bytes of an object file."""
        llvm = self.llvm()
        target, builder, passes = self.pipeline(scalar, text.count("\n") < _LARGE)
        about = f'target datalayout = "{target.target_data}"\ntarget triple = "{llvm.get_default_triple()}"\n'
        parsed = llvm.parse_assembly(about + text, llvm.create_context())
        passes.run(parsed, builder)
        self.compiled += 1
        return target.emit_object(parsed)

    def pipeline(self, scalar, short):
        """The target, and what runs passes for it: passes of ours are made once, as LLVM keeps 10 KB of each.

        Those that LLVM chooses run once: its inliner moves passes out of them.
        """
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
        """What LLVM must know to choose instructions, with more or less care."""
        return self.llvm().Target.from_default_triple().create_target_machine(
            cpu=self.facts().name, features=self.facts().features, opt=level, **_CODE)

    def linked(self, data, text):
        """The functions of an object file, put into memory by LLVM."""
        llvm = self.llvm()
        names = defined_in(text)
        for name in called_in(text):
            llvm.add_symbol(name, self.address_of(name))
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self.target())
        engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        engine.finalize_object()
        return {name: engine.get_global_value_address(name) for name in names}, engine

    def address_of(self, name):
        """The address of an elementary function, or of one of the C library."""
        found = self.elementary.get(f"@{name}")
        return address_of(name) if found is None else found.symbols[name]


class _About:
    """What LLVM says of the processor, and the digest that this makes of all that code depends on."""

    __slots__ = ("digest", "features", "name", "vector")

    def __init__(self, plain, name, features, vector):
        self.name = name
        self.features = features
        self.vector = vector
        self.digest = plain.copy()
        self.digest.update(f"{name} {features}".encode())


def _facts(data):
    """The name of a processor, its features, and the bytes of a register, as the cache has them."""
    name, features, vector = data.decode().split("\n")
    return name, features, int(vector)


def _key(digest, text):
    digest = digest.copy()
    digest.update(text.encode())
    return digest.digest()


def _tuned(options):
    options.loop_vectorization = options.slp_vectorization = True
    return options


class Code:
    """Functions in memory, as long as this lives: `symbols` has their addresses, `memory` keeps them and what they
    call."""

    __slots__ = ("symbols", "memory", "__weakref__")

    def __init__(self, symbols, memory):
        self.symbols = symbols
        self.memory = memory


def defined_in(text):
    """The names of the functions that others may call, and of tables."""
    return [_name(line) for line in text.split("\n")
            if line.startswith("define ") and " internal " not in line or " = constant " in line]


def called_in(text):
    """The names of the functions and tables that stand elsewhere."""
    return [name for line in text.split("\n") if line.startswith("declare ") or " = external " in line
            if not (name := _name(line)).startswith("llvm.")]


def _name(line):
    return line[line.index("@") + 1 :].split("(" if line[0] == "d" else " ", 1)[0]


@cache
def machine():
    """The one `Machine`."""
    return Machine()


if hasattr(os, "register_at_fork"):  # what a thread holds that a child has not is held there for ever: in LLVM, too
    os.register_at_fork(before=_COMPILING.acquire, after_in_parent=_COMPILING.release,
                        after_in_child=_COMPILING.release)


def _processor():
    """What the system says of the processor; None where it says nothing."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = file.read(1 << 14).split("\n\n")[0].split("\n")
    except OSError:
        return None
    found = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return " ".join([found[name] for name in _ABOUT]) if all(name in found for name in _ABOUT) else None


@cache
def _library(name):
    """A library by its name, None where there is none; what the process has, where the name is None."""
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def has_threads():
    """Whether the C library makes threads."""
    try:
        return bool(address_of("pthread_create") and address_of("pthread_join"))
    except AttributeError:
        return False


def thread_count():
    """How many threads share large nests: COVECTOR_NUM_THREADS, else OMP_NUM_THREADS, else 1; at most one a range."""
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
