"""The compiler behind native code: text of LLVM to functions in memory, for the processor that this runs on."""

import ctypes
import ctypes.util
import threading
from functools import cache

from ...core.arrays.compilers import compiler
from .lanes import elementary_module

_LOCK = threading.RLock()
_LARGE = 3000  # lines of text, above which instructions are chosen by the quick way
# Loops are vectors already: what is left is to keep small memory in registers, and to compute nothing twice.
PASSES = ("always_inliner", "sroa", "instruction_combine", "simplify_cfg", "new_gvn", "aggressive_dce")


class Machine:
    """The processor, and the functions of the C library that code calls."""

    def __init__(self):
        self.llvm = llvm = compiler("llvmlite")
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.target = llvm.Target.from_default_triple()
        try:
            features = llvm.get_host_cpu_features()
        except RuntimeError:  # a processor that LLVM does not tell the features of
            features = None
        self.features = "" if features is None else features.flatten()
        features = features or {}
        self.name = llvm.get_host_cpu_name()
        self.vector = 64 if features.get("avx512f") else 32 if features.get("avx2") else 16
        self.known = set()  # names of functions of the C library
        self.elementary = {}  # elementary functions in memory -> what keeps them there

    def know(self, symbols):
        """Make functions of the C library known by their names."""
        for name in symbols:
            if name not in self.known:
                self.llvm.add_symbol(name, address_of(name))
                self.known.add(name)

    def compile(self, module, entry):
        """The `Code` of a function in a module's text."""
        with _LOCK:
            self.know(module.symbols)
            missing = {symbol: what for symbol, what in module.needed.items() if symbol not in self.elementary}
            if missing:
                found = elementary_module(missing)
                self.know(found.symbols)
                engine = self.engine(found.text)
                for symbol in found.functions:
                    self.llvm.add_symbol(symbol[1:], engine.get_function_address(symbol[1:]))
                    self.elementary[symbol] = engine  # kept as long as the process
            engine = self.engine(module.text)
            return Code(engine, engine.get_function_address(entry))

    def engine(self, text):
        """The functions of a module's text, in memory."""
        llvm = self.llvm
        level = 2 if text.count("\n") < _LARGE else 1
        machine = self.target.create_target_machine(cpu=self.name, features=self.features, opt=level)
        parsed = llvm.parse_assembly(text)
        parsed.triple = llvm.get_default_triple()
        parsed.data_layout = str(machine.target_data)
        passes = llvm.create_new_module_pass_manager()
        for name in PASSES:
            getattr(passes, f"add_{name}_pass")()
        passes.run(parsed, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1)))
        engine = llvm.create_mcjit_compiler(parsed, machine)
        engine.finalize_object()
        return engine


class Code:
    """A function in memory, as long as this lives."""

    __slots__ = ("engine", "address")

    def __init__(self, engine, address):
        self.engine = engine
        self.address = address


@cache
def machine():
    """The one `Machine`."""
    return Machine()


@cache
def _libraries():
    found = [ctypes.CDLL(None)]
    name = ctypes.util.find_library("m")
    if name is not None:
        found.append(ctypes.CDLL(name))
    return found


def address_of(name):
    """The address of a function of the C library."""
    for library in _libraries():
        try:
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        except AttributeError:
            continue
    raise AttributeError(f"the C library has no function {name}")
