"""The functions as LLVM IR in a loop over arrays, compiled for this machine."""

import ctypes
import struct

import llvmlite.binding as llvm
import numpy as np

from covector.transforms.compile.maths import TABLES

COMPARE = {"==": "oeq", "!=": "une", "<": "olt", "<=": "ole", ">": "ogt", ">=": "oge"}
SIGNED = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
DTYPES = {64: np.float64, 32: np.float32}


class Lanes:
    """Writes one scalar operation a line; the loop vectoriser of LLVM makes lanes of them."""

    def __init__(self, width, lines=None):
        self.width = width
        self.kind, self.whole = {64: ("double", "i64"), 32: ("float", "i32")}[width]
        self.lines = [] if lines is None else lines
        self.wide = self if width == 64 else Lanes(64, self.lines)

    def write(self, text):
        self.lines.append(text)
        return f"%v{len(self.lines)}"

    def emit(self, text):
        name = f"%v{len(self.lines) + 1}"
        self.lines.append(f"  {name} = {text}")
        return name

    def const(self, x):
        if self.width == 32:
            x = struct.unpack("<f", struct.pack("<f", x))[0]
        return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"

    def iconst(self, i):
        return str(i)

    def call(self, name, *xs):
        operands = ", ".join(f"{self.kind} {x}" for x in xs)
        return self.emit(f"call {self.kind} @llvm.{name}.f{self.width}({operands})")

    def fneg(self, x):
        return self.emit(f"fneg {self.kind} {x}")

    def fcmp(self, op, x, y):
        return self.emit(f"fcmp {COMPARE[op]} {self.kind} {x}, {y}")

    def icmp(self, op, x, y):
        return self.emit(f"icmp {SIGNED[op]} {self.whole} {x}, {y}")

    def isnan(self, x):
        return self.emit(f"fcmp uno {self.kind} {x}, {x}")

    def select(self, mask, x, y, kind=None):
        kind = kind or (self.whole if self._is_whole(x, y) else self.kind)
        return self.emit(f"select i1 {mask}, {kind} {x}, {kind} {y}")

    def _is_whole(self, *xs):
        for x in xs:
            if x.startswith("%v"):
                line = self.lines[int(x[2:]) - 1].split(" = ")[1]
                words = line.split()
                if words[0] == "bitcast":
                    return words[-1].startswith("i")
                return any(w == self.whole for w in words[:4]) and words[0] != "icmp" and "call" not in words
            if not x.startswith("0x") and not x.startswith("%"):
                return True
        return False

    def and_(self, a, b):
        return self.emit(f"and i1 {a}, {b}")

    def or_(self, a, b):
        return self.emit(f"or i1 {a}, {b}")

    def not_(self, a):
        return self.emit(f"xor i1 {a}, true")

    def bits(self, x):
        return self.emit(f"bitcast {self.kind} {x} to {self.whole}")

    def from_bits(self, i):
        return self.emit(f"bitcast {self.whole} {i} to {self.kind}")

    def to_int(self, x):
        return self.emit(f"fptosi {self.kind} {x} to {self.whole}")

    def to_float(self, i):
        return self.emit(f"sitofp {self.whole} {i} to {self.kind}")

    def widen(self, x):
        return self.emit(f"fpext float {x} to double")

    def narrow(self, x):
        return self.emit(f"fptrunc double {x} to float")

    def looked_up(self, name, place):
        table = np.array(list(TABLES[name][2]())).T.copy()
        _KEPT.append(table)
        found = []
        for row in table:
            start = f"inttoptr (i64 {row.ctypes.data} to ptr)"
            found.append(self.emit(f"load double, ptr {self.emit(f'getelementptr double, ptr {start}, i64 {place}')}"))
        return found


def _binary(op):
    return lambda self, x, y: self.emit(f"{op} {self.kind if op[0] == 'f' else self.whole} {x}, {y}")


for _name, _op in {
    "fadd": "fadd", "fsub": "fsub", "fmul": "fmul", "fdiv": "fdiv", "iadd": "add", "isub": "sub", "imul": "mul",
    "iand": "and", "ior": "or", "ixor": "xor", "shl": "shl", "lshr": "lshr", "ashr": "ashr",
}.items():  # fmt: skip
    setattr(Lanes, _name, _binary(_op))
for _name in ("fma", "sqrt", "fabs", "copysign", "floor", "rint", "trunc"):
    setattr(Lanes, _name, lambda self, *xs, _name=_name: self.call(_name, *xs))

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
_KEPT = []


def source(function, width, count, name="run"):
    """The text of a loop `out[i] = function(x[i], …)` over `count` arrays."""
    lanes = Lanes(width)
    xs = [f"%x{k}" for k in range(count)]
    answer = function(lanes, *xs)
    kind = lanes.kind
    arguments = ", ".join([f"ptr noalias %p{k}" for k in range(count)] + ["ptr noalias %out", "i64 %n"])
    loads = [
        line
        for k in range(count)
        for line in (f"  %a{k} = getelementptr {kind}, ptr %p{k}, i64 %i", f"  %x{k} = load {kind}, ptr %a{k}")
    ]
    declared = [
        f"declare {t} @llvm.{n}.{s}({', '.join([t] * k)})"
        for t, s in (("double", "f64"), ("float", "f32"))
        for n, k in (("fma", 3), ("sqrt", 1), ("fabs", 1), ("copysign", 2), ("floor", 1), ("rint", 1), ("trunc", 1))
    ]
    return "\n".join(
        [
            *declared,
            f"define void @{name}({arguments}) {{",
            "entry:",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [0, %entry], [%next, %loop]",
            *loads,
            *lanes.lines,
            f"  %to = getelementptr {kind}, ptr %out, i64 %i",
            f"  store {kind} {answer}, ptr %to",
            "  %next = add i64 %i, 1",
            "  %more = icmp slt i64 %next, %n",
            "  br i1 %more, label %loop, label %done",
            "done:",
            "  ret void",
            "}",
        ]
    )


def machine():
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(opt=3, cpu=llvm.get_host_cpu_name(), features=features)


def compiled(function, width, count):
    """`function` of `count` arrays as a callable of NumPy arrays of one length, with `out`."""
    tm = machine()
    module = llvm.parse_assembly(source(function, width, count))
    module.triple, module.data_layout = llvm.get_default_triple(), str(tm.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization, options.slp_vectorization = True, False
    _optimise(tm, options, module)
    engine = llvm.create_mcjit_compiler(module, tm)
    engine.finalize_object()
    _KEPT.append(engine)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (count + 1), ctypes.c_int64)(engine.get_function_address("run"))
    dtype = DTYPES[width]

    def run(*xs, out=None):
        xs = [np.ascontiguousarray(x, dtype) for x in xs]
        out = np.empty_like(xs[0]) if out is None else out
        if out.size:
            call(*[x.ctypes.data for x in xs], out.ctypes.data, out.size)
        return out

    run.assembly = lambda: tm.emit_assembly(module)
    return run


def _optimise(tm, options, module):
    builder = llvm.create_pass_builder(tm, options)
    builder.getModulePassManager().run(module, builder)
