"""The entry of native code: a C function that Python calls, which looks at what it is given and makes the outputs."""

import ctypes
import weakref

import numpy as np

from ...core.types import Any
from .blas import products_library
from .engine import machine
from .lanes import Text
from .layouts import DATA, DESCR, DIMS, FLAGS, NDIM, READY, TYPE, VALUE, functions
from .llvm import STOPPED, Printer
from .statements import KINDS

ndarray = np.ndarray
_ON_STACK = 1 << 14  # bytes of scratch memory that lie on the stack
_RELEASED = 2e5  # operations above which other threads may run
_PATIENCE = 16  # runs with infinities or NaN in their outputs that NumPy does again, so that it warns as it does
_FASTCALL = 0x80
DTYPES: dict[Any, Any] = {kind: dtype for dtype, kind in KINDS.items()}


def native_function(kernel, avals, out_avals, slow):
    """A function of arrays and numbers that runs a kernel, and `(text, function)`: the text of its module.

    Args:
        kernel: the `Kernel`.
        avals, out_avals: of its inputs and outputs.
        slow: runs instead, given the same values, where they are no arrays of these avals in order in memory.
    """
    processor = machine()
    known = functions()
    printer = Printer(kernel, processor.vector, products_library(), known is not None)
    again = []
    handler = _handler(avals, slow, again)
    if known is not None:
        printer.module.declare(f"@left = internal global i32 {_PATIENCE}")
        printer.module.functions["@stopped"] = _stopped(known)
        printer.module.functions["@call"] = _entry(printer.module, kernel, avals, out_avals, known, id(handler))
    else:
        printer.module.functions["@call"] = _plain_entry(kernel)
    code = processor.compile(printer.module, "call")
    keep = (code, tuple(printer.constants), handler)
    run = _c_function(code.address, keep) if known is not None else _python_function(
        code.address, keep, kernel, avals, out_avals)
    again.append(weakref.ref(run))
    return printer.module.text, run


def _handler(avals, slow, again):
    """What runs for values that native code does not take as they are: copies in order, or the slow function."""
    def handle(*values):
        fixed = [_in_order(x, aval) for x, aval in zip(values, avals)]
        if any(a is not b for a, b in zip(fixed, values)):
            run = again[0]()
            if run is not None:
                return run(*fixed)
        return slow(*values)

    return handle


def _in_order(x, aval):
    """A value as native code takes it, if a copy is that."""
    if type(x) is ndarray and x.dtype == aval.dtype and x.shape == aval.shape:
        if not (x.flags.c_contiguous and x.flags.aligned) or id(x.dtype) != _dtype_id(aval):
            return np.array(x, DTYPES[KINDS[aval.dtype]], order="C")
    elif isinstance(x, np.generic) and x.dtype == aval.dtype and not aval.shape and type(x) is not aval.dtype.type:
        return np.array(x, aval.dtype)
    return x


def _dtype_id(aval):
    """The address of NumPy's own object for the dtype of an aval."""
    return id(DTYPES[KINDS[aval.dtype]])


class _Method(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("run", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


def _c_function(address, keep):
    """A Python function of a C function, which keeps alive what that needs."""
    method = _Method(b"native", address, _FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), (method, *keep), None)


def _python_function(address, keep, kernel, avals, out_avals):
    """The same written in Python, where C code must not look into arrays."""
    count = len(kernel.inputs) + len(kernel.outputs) + 1
    work = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(address)
    handler = keep[-1]
    left = [_PATIENCE]

    def run(*values):
        given = []
        for x, aval in zip(values, avals):
            if type(x) is ndarray and (x.dtype != aval.dtype or x.shape != aval.shape or not x.flags.c_contiguous
                                       or not x.flags.aligned):
                return handler(*values)
            if type(x) is not ndarray and (aval.shape or np.asarray(x).dtype != aval.dtype):
                return handler(*values)
            given.append(np.asarray(x))
        outs = [*[np.empty(a.shape, a.dtype) for a in out_avals], np.zeros(())]
        scratch = np.empty(kernel.scratch + 64, np.uint8)
        work(*[a.ctypes.data for a in (*given, *outs)], scratch.ctypes.data + -scratch.ctypes.data % 64)
        if left[0] and np.isnan(outs.pop()):
            left[0] -= 1
            return handler(*values)
        return [out if out.ndim else out[()] for out in outs[: len(out_avals)]]

    run.keep = keep  # type: ignore[attr-defined] # alive as long as the function
    return run


def _plain_entry(kernel):
    """A function over pointers."""
    names = [*[f"%in{m.index}" for m in kernel.inputs], *[f"%out{m.index}" for m in kernel.outputs], "%scratch"]
    given = ", ".join([f"ptr {name}" for name in names])
    return f"define void @call({given}) {{\n  call void @work({given})\n  ret void\n}}"


def _entry(module, kernel, avals, out_avals, known, handler):
    """The C function `call(self, args, count)`."""
    text = Text(module)

    def pointer(address):
        return f"inttoptr (i64 {address} to ptr)"

    def field(x, offset, kind):
        at = text.op(f"getelementptr inbounds i8, ptr {x}, i64 {offset}", "ptr")
        return text.op(f"load {kind}, ptr {at}", kind)

    def unless(test, label):
        text.emit(f"br i1 {test}, label %{label}, label %slow")
        text.begin(label)

    def call(kind, name, *args):
        given = f"call {kind} {pointer(known[name])}({', '.join(args)})"
        return text.emit(given) if kind == "void" else text.op(given, kind)

    slots, sources = [], []

    def slot(kind):
        slots.append(f"  %slot{len(slots)} = alloca {kind}, align 16")
        return f"%slot{len(slots) - 1}"

    unless(text.op(f"icmp eq i64 %count, {len(avals)}", "i1"), "given")
    for k, aval in enumerate(avals):
        at = text.op(f"getelementptr inbounds ptr, ptr %args, i64 {k}", "ptr")
        x = text.op(f"load ptr, ptr {at}", "ptr")
        kind = field(x, TYPE, "i64")
        if aval.weak:
            sources.append(_number(text, x, kind, aval, k, slot, unless, call, pointer))
            continue
        array = text.op(f"icmp eq i64 {kind}, {id(ndarray)}", "i1")
        if not aval.shape:
            text.emit(f"br i1 {array}, label %array{k}, label %scalar{k}")
            text.begin(f"scalar{k}")
            scalar = text.op(f"icmp eq i64 {kind}, {id(aval.dtype.type)}", "i1")
            held = text.op(f"getelementptr inbounds i8, ptr {x}, i64 {VALUE}", "ptr")
            text.emit(f"br i1 {scalar}, label %have{k}, label %slow")
            text.begin(f"array{k}")
        else:
            unless(array, f"array{k}")
        tests = [f"icmp eq i32 {field(x, NDIM, 'i32')}, {aval.ndim}", f"icmp eq i64 {field(x, DESCR, 'i64')}, "
                 f"{_dtype_id(aval)}"]
        flags = text.op(f"and i32 {field(x, FLAGS, 'i32')}, {READY}", "i32")
        tests.append(f"icmp eq i32 {flags}, {READY}")
        good = None
        for test in tests:
            one = text.op(test, "i1")
            good = one if good is None else text.op(f"and i1 {good}, {one}", "i1")
        unless(good, f"dims{k}")
        if aval.shape:
            dims = field(x, DIMS, "ptr")
            good = None
            for axis, n in enumerate(aval.shape):
                one = text.op(f"icmp eq i64 {field(dims, 8 * axis, 'i64')}, {n}", "i1")
                good = one if good is None else text.op(f"and i1 {good}, {one}", "i1")
            unless(good, f"have{k}")
            sources.append(field(x, DATA, "ptr"))
        else:
            data = field(x, DATA, "ptr")
            text.emit(f"br label %have{k}")
            text.begin(f"have{k}")
            sources.append(text.op(f"phi ptr [{held}, %scalar{k}], [{data}, %dims{k}]", "ptr"))
    targets, arrays = [], []
    for k, aval in enumerate(out_avals):
        if not aval.shape:
            targets.append(slot("[16 x i8]"))
            arrays.append(None)
            continue
        dims = slot(f"[{aval.ndim} x i64]")
        for axis, n in enumerate(aval.shape):
            at = text.op(f"getelementptr inbounds i64, ptr {dims}, i64 {axis}", "ptr")
            text.emit(f"store i64 {n}, ptr {at}")
        dtype = pointer(_dtype_id(aval))
        call("void", "Py_IncRef", f"ptr {dtype}")
        out = call("ptr", "new", f"ptr {pointer(id(ndarray))}", f"ptr {dtype}", f"i32 {aval.ndim}", f"ptr {dims}",
                   "ptr null", "ptr null", "i32 0", "ptr null")
        arrays.append(out)
        failed = text.op(f"icmp eq ptr {out}, null", "i1")
        text.emit(f"br i1 {failed}, label %fail{k}, label %out{k}")
        text.begin(f"out{k}")
        targets.append(field(out, DATA, "ptr"))
    alarm = slot("double")
    targets.append(alarm)
    large = kernel.scratch > _ON_STACK
    if large:
        memory = call("ptr", "PyMem_RawMalloc", f"i64 {kernel.scratch + 64}")
        failed = text.op(f"icmp eq ptr {memory}, null", "i1")
        text.emit(f"br i1 {failed}, label %fail, label %ready")
        text.begin("ready")
        number = text.op(f"ptrtoint ptr {memory} to i64", "i64")
        number = text.op(f"add i64 {number}, 63", "i64")
        number = text.op(f"and i64 {number}, -64", "i64")
        scratch = text.op(f"inttoptr i64 {number} to ptr", "ptr")
    else:
        slots.append(f"  %scratch = alloca [{max(kernel.scratch, 1)} x i8], align 64")
        scratch = "%scratch"
    state = call("ptr", "PyEval_SaveThread") if kernel.work > _RELEASED else None
    text.emit("call void @work(" + ", ".join([f"ptr {p}" for p in (*sources, *targets, scratch)]) + ")")
    if state is not None:
        call("void", "PyEval_RestoreThread", f"ptr {state}")
    if large:
        call("void", "PyMem_RawFree", f"ptr {memory}")
    found = text.op(f"load double, ptr {alarm}", "double")
    calm = text.op(f"fcmp oeq double {found}, 0.0", "i1")
    text.emit(f"br i1 {calm}, label %done, label %alarm")
    text.begin("alarm")
    ended = text.op(f"fcmp oeq double {found}, {STOPPED}", "i1")
    text.emit(f"br i1 {ended}, label %stop, label %heard")
    text.begin("stop")
    for out in arrays:
        if out is not None:
            call("void", "Py_DecRef", f"ptr {out}")
    text.emit("ret ptr null")
    text.begin("heard")
    left = text.op("load i32, ptr @left", "i32")
    rest = text.op(f"sub i32 {left}, 1", "i32")
    heard = text.op(f"icmp sgt i32 {left}, 0", "i1")
    text.emit(f"br i1 {heard}, label %again, label %done")
    text.begin("again")
    text.emit(f"store i32 {rest}, ptr @left")
    for out in arrays:
        if out is not None:
            call("void", "Py_DecRef", f"ptr {out}")
    text.emit("br label %slow")
    text.begin("done")
    result = call("ptr", "PyList_New", f"i64 {len(out_avals)}")
    for k, (aval, out, target) in enumerate(zip(out_avals, arrays, targets)):
        if out is None:
            out = call("ptr", "scalar", f"ptr {target}", f"ptr {pointer(_dtype_id(aval))}", "ptr null")
        call("i32", "PyList_SetItem", f"ptr {result}", f"i64 {k}", f"ptr {out}")
    text.emit(f"ret ptr {result}")
    text.begin("slow")
    found = call("ptr", "PyObject_Vectorcall", f"ptr {pointer(handler)}", "ptr %args", "i64 %count", "ptr null")
    text.emit(f"ret ptr {found}")
    made = [(k, out) for k, out in enumerate(arrays) if out is not None]
    for at, (k, _) in enumerate(made):
        text.begin(f"fail{k}")
        for _, out in made[:at]:
            call("void", "Py_DecRef", f"ptr {out}")
        text.emit("ret ptr null")
    if large:
        text.begin("fail")
        for _, out in made:
            call("void", "Py_DecRef", f"ptr {out}")
        nothing = call("ptr", "PyErr_NoMemory")
        text.emit(f"ret ptr {nothing}")
    return "\n".join(["define ptr @call(ptr %self, ptr %args, i64 %count) {", "entry:", *slots, *text.lines, "}"])


def _stopped(known):
    """A function that says whether a signal raised an exception; Python may be locked by this thread or not."""
    def pointer(name):
        return f"inttoptr (i64 {known[name]} to ptr)"

    return "\n".join([
        "define internal i1 @stopped() noinline {", f"  %state = call i32 {pointer('PyGILState_Ensure')}()",
        f"  %found = call i32 {pointer('PyErr_CheckSignals')}()",
        f"  call void {pointer('PyGILState_Release')}(i32 %state)", "  %stop = icmp ne i32 %found, 0",
        "  ret i1 %stop", "}"])


def _number(text, x, kind, aval, k, slot, unless, call, pointer):
    """The address of a Python number's value."""
    python = {"f": float, "i": int, "b": bool}[aval.dtype.kind]
    unless(text.op(f"icmp eq i64 {kind}, {id(python)}", "i1"), f"number{k}")
    if python is float:
        return text.op(f"getelementptr inbounds i8, ptr {x}, i64 {VALUE}", "ptr")
    target = slot("i64")
    if python is bool:
        true = text.op(f"icmp eq ptr {x}, {pointer(id(True))}", "i1")
        byte = text.op(f"zext i1 {true} to i8", "i8")
        text.emit(f"store i8 {byte}, ptr {target}")
        return target
    over = slot("i32")
    found = call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {x}", f"ptr {over}")
    flag = text.op(f"load i32, ptr {over}", "i32")
    text.emit(f"store i64 {found}, ptr {target}")
    unless(text.op(f"icmp eq i32 {flag}, 0", "i1"), f"fits{k}")
    return target


