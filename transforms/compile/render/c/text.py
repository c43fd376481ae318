"""C text: the lines of a function in single-assignment form, and the functions that it calls."""

import re

import numpy as np

from ...loops.operations import Name

TYPES = {"f64": "double", "f32": "float", "i64": "int64_t", "i32": "int32_t", "u64": "uint64_t", "u32": "uint32_t",
         "b8": "int"}  # of values
STORED = {**TYPES, "b8": "uint8_t", "f16": "uint16_t"}  # of elements in memory
_NAMED = re.compile(r"\b[vm]\d+\b")
_LOCAL = re.compile(r"\b[vkm]\d+\b|\bcv_\w+")


class Text:
    """The lines of a function; those that name a value which nothing needs are left out in the end."""

    def __init__(self, module):
        self.module = module
        self.lines = []  # (depth, the value or temporary that it sets or None, text)
        self.depth = 1
        self.count = 0

    def new(self, letter):
        """A name that is used nowhere else in the function."""
        self.count += 1
        return f"{letter}{self.count}"

    def op(self, expression, kind):
        """The name of a new value."""
        name = Name(self.new("v"), kind)
        self.lines.append((self.depth, name, f"const {kind} {name} = {expression};"))
        return name

    def emit(self, line, target=None):
        """Add a line; one that writes to a temporary of that name matters where that is read."""
        self.lines.append((self.depth, target, line))

    def open(self, head):
        """Begin a block."""
        self.emit(head + " {")
        self.depth += 1

    def close(self):
        """End a block."""
        self.depth -= 1
        self.emit("}")

    def finished(self):
        """The lines that matter: values that are needed, temporaries that are read, loops that do something."""
        lines = self.lines
        while True:
            needed, kept = set(), []
            for depth, name, line in reversed(lines):
                if name is None or name[0] == "m" or name in needed:
                    kept.append((depth, name, line))
                    needed.update(_NAMED.findall(line.partition(" = ")[2] if name else line))
            kept = _not_empty([entry for entry in kept[::-1] if not entry[1] or entry[1] in needed])
            if len(kept) == len(lines):
                return ["    " * depth + line for depth, _, line in kept]
            lines = kept


def _not_empty(lines):
    """Lines without loops that have no body."""
    kept = []
    for entry in lines:
        if entry[2] == "}" and kept and kept[-1][2].startswith("for (int"):
            kept.pop()
        else:
            kept.append(entry)
    return kept


class Module:
    """Parts that the functions of one file call: helpers, elementary functions, tables of constants.

    Args:
        language: how the file's language differs: `C` or `Cuda`.
    """

    def __init__(self, language):
        self.language = language
        self.functions = {}  # name -> text; what a function calls comes before it
        self.tables = {}  # name -> (array, text)

    def table(self, array, kind):
        """The name of a table of constants, and where in it the first element of the array is."""
        start = -sum((n - 1) * s // array.itemsize for n, s in zip(array.shape, array.strides) if s < 0)
        for name, (known, _) in self.tables.items():
            if known is array:
                return name, start
        name = f"k{len(self.tables)}"
        numbers = [number(x, kind) for x in in_memory(array).tolist()]
        lines = ["    " + ", ".join(numbers[at : at + 8]) for at in range(0, len(numbers), 8)]
        head = f"{self.language.table} {STORED[kind]} {name}[{len(numbers)}]"
        self.tables[name] = array, f"{head} = {{\n" + ",\n".join(lines) + "\n};"
        return name, start

    def needed_by(self, lines):
        """The tables and functions that lines refer to, and those that these do, as text."""
        found = set()
        waiting = list(lines)
        while waiting:
            for name in _LOCAL.findall(waiting.pop()):
                if name not in found:
                    found.add(name)
                    if name in self.functions:
                        waiting.append(self.functions[name])
        return ([text for name, (_, text) in self.tables.items() if name in found]
                + [text for name, text in self.functions.items() if name in found])


def in_memory(array):
    """The elements that an array's strides lead to, in the order in which they lie in memory."""
    axes = tuple([k for k, s in enumerate(array.strides) if s < 0])
    array = np.flip(array, axes)
    reach = 1 + sum((n - 1) * s // array.itemsize for n, s in zip(array.shape, array.strides))
    return np.lib.stride_tricks.as_strided(array, (reach,), (array.itemsize,))


def number(value, kind):
    """A number as C text."""
    if kind == "b8":
        return str(int(value))
    if kind[0] == "u":
        return f"{int(value)}{'U' if kind == 'u32' else 'ULL'}"
    if kind[0] == "i":
        least, suffix = (-(2**31), "") if kind == "i32" else (-(2**63), "LL")
        value = int(value)
        return f"({value + 1}{suffix} - 1)" if value == least else f"{value}{suffix}"
    with np.errstate(all="ignore"):
        value = np.float64(value) if kind == "f64" else np.float32(value)
    if np.isnan(value):
        return "NAN" if kind == "f32" else "(double)NAN"
    if np.isinf(value):
        return ("-" if value < 0 else "") + ("INFINITY" if kind == "f32" else "(double)INFINITY")
    text = str(value)
    return (text if "." in text or "e" in text else text + ".0") + ("f" if kind == "f32" else "")


# Differences between C and CUDA text.

_WIDE = ("int64_t", "uint64_t", "double", "")
_NARROW = ("int32_t", "uint32_t", "float", "32")


class C:
    """C99, which is C++ as well."""

    inline = "static inline"
    aside = inline  # of what is called for few arguments
    table = "static const"

    @staticmethod
    def product(x, y, width):
        """A product that is rounded before anything is added to it."""
        return f"{x} * {y}"


class Cuda(C):
    """CUDA's C++; the intrinsic of a product is never contracted."""

    inline = "static __device__ __forceinline__"
    aside = "static __device__ __noinline__"
    table = "static __device__ const"

    @staticmethod
    def product(x, y, width):
        return f"__{'d' if width == 64 else 'f'}mul_rn({x}, {y})"


def _helpers():
    """`{name: (result, parameters, body)}` of the small functions that the text of a builder calls."""
    found = {}
    for whole, unsigned, real, suffix in (_WIDE, _NARROW):
        bits = 64 if not suffix else 32
        two = f"({whole} x, {whole} y)"
        for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*")):
            found[f"cv_{name}{bits}"] = whole, two, f"return ({whole})(({unsigned})x {sign} ({unsigned})y);"
        found[f"cv_shl{bits}"] = whole, two, f"return ({whole})(({unsigned})x << y);"
        found[f"cv_shr{bits}"] = whole, two, f"return ({whole})(({unsigned})x >> y);"
        found[f"cv_bits{bits}"] = whole, f"({real} x)", f"{whole} i; memcpy(&i, &x, sizeof i); return i;"
        found[f"cv_float{bits}"] = real, f"({whole} i)", f"{real} x; memcpy(&x, &i, sizeof x); return x;"
    for source in ("double", "float"):  # what does not fit is the least number, as on most processors
        end = "f" if source == "float" else ""
        found[f"cv_whole64{end}"] = "int64_t", f"({source} x)", (
            f"return x >= -9223372036854775808.0{end} && x < 9223372036854775808.0{end} ? (int64_t)x : "
            "(-9223372036854775807LL - 1);")
        least = "x > -2147483649.0" if source == "double" else "x >= -2147483648.0f"
        found[f"cv_whole32{end}"] = "int32_t", f"({source} x)", (
            f"return {least} && x < 2147483648.0{end} ? (int32_t)x : (-2147483647 - 1);")
    return found


HELPERS = _helpers()
