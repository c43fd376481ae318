"""The builder of C text: arithmetic on single values, the same as that of `transforms/compile/render/llvm/simd.py`."""

from ...loops.operations import Name, Operations
from ...maths import FUNCTIONS, NEAR
from .text import HELPERS, TYPES, Text, number


def _infix(sign):
    """A method that writes an operator of two operands."""
    return lambda self, x, y: self.text.op(f"{x} {sign} {y}", x.type)


def _wrapped(name):
    """A method that calls a helper for integers, which wrap around."""
    return lambda self, x, y: self.helper(f"cv_{name}{self.width}", self.of_int, x, y)


def _called(name):
    """A method that calls a function of the C library."""
    return lambda self, *args: self.library(name, *args)


class Scalars(Operations):
    """A builder of values of one kind; see `transforms/compile/loops/operations.py` for what it must have."""

    def __init__(self, text, kind):
        self.text = text
        self.module = text.module
        self.kind = kind
        self.width = 32 if kind in ("f32", "i32", "u32") else 64
        self.of_float = "float" if self.width == 32 else "double"
        self.of_int = f"{'u' if kind[0] == 'u' else ''}int{self.width}_t"
        self.suffix = "f" if self.width == 32 else ""

    def constant(self, value, kind):
        """A number."""
        return Name(number(value, kind), TYPES[kind])

    def const(self, x):
        return self.constant(x, f"f{self.width}")

    def iconst(self, x):
        x &= (1 << self.width) - 1
        return self.constant(x - (1 << self.width) if x >> (self.width - 1) else x, f"i{self.width}")

    def helper(self, name, of, *args):
        """A call of a helper."""
        if name not in self.module.functions:
            result, given, body = HELPERS[name]
            self.module.functions[name] = f"{self.module.language.inline} {result} {name}{given} {{ {body} }}"
        return self.text.op(f"{name}({', '.join(args)})", of)

    def library(self, name, *args):
        """A function of the C library."""
        return self.text.op(f"{name}{self.suffix}({', '.join(args)})", self.of_float)

    fadd, fsub, fdiv = map(_infix, "+-/")
    sdiv, srem, iand, ior, ixor = map(_infix, "/%&|^")
    udiv, urem, ashr = sdiv, srem, _infix(">>")
    and_, or_, xor_ = map(_infix, "&|^")  # of masks
    iadd, isub, imul, shl, lshr = map(_wrapped, ("add", "sub", "mul", "shl", "shr"))
    fma, sqrt, fabs, copysign = map(_called, ("fma", "sqrt", "fabs", "copysign"))
    floor, rint, trunc = map(_called, ("floor", "rint", "trunc"))

    def fmul(self, x, y):
        return self.text.op(self.module.language.product(x, y, self.width), self.of_float)

    def multiply_add(self, x, y, z):
        return self.fadd(z, self.fmul(x, y))

    def loose(self, name, x, y):
        return self.fadd(x, y) if name == "add" else self.fmul(x, y)

    def fneg(self, x):
        return self.text.op(f"-({x})" if x[0] in "-(" else f"-{x}", x.type)

    def compare(self, op, x, y):
        return self.text.op(f"{x} {op} {y}", "int")

    fcmp = icmp = compare

    def below(self, x, y):
        of = f"uint{self.width}_t"
        return self.compare("<", f"({of}){x}", f"({of}){y}")

    def isnan(self, x):
        return self.fcmp("!=", x, x)

    def select(self, m, x, y):
        return self.text.op(f"{m} ? {x} : {y}", x.type)

    def not_(self, x):
        return self.text.op(f"!{x}", x.type)

    def bits(self, x):
        return self.helper(f"cv_bits{self.width}", self.of_int, x)

    def from_bits(self, i):
        return self.helper(f"cv_float{self.width}", self.of_float, i)

    @property
    def wide(self):
        """The builder of 64 bits."""
        return self if self.width == 64 else Scalars(self.text, "f64")

    def widen(self, x):
        return self.text.op(f"(double){x}", "double")

    def narrow(self, x):
        return self.text.op(f"(float){x}", "float")

    def elementary(self, name, args):
        """A call of an elementary function."""
        return self.text.op(f"{elementary(self.module, name, self.width, len(args))}({', '.join(args)})", self.of_float)

    def cast(self, x, source, target):
        """A value of one kind in another."""
        if source == target:
            return x
        if target == "b8":
            return self.text.op(f"{x} != 0", "int")
        if source[0] == "f" and target[0] == "i":
            return self.helper(f"cv_whole{target[1:]}{'f' if source == 'f32' else ''}", TYPES[target], x)
        return self.text.op(f"({TYPES[target]}){x}", TYPES[target])


def elementary(module, name, width, count):
    """The name of an elementary function in a module, which is written the first time."""
    symbol = f"cv_{name}{'f' if width == 32 else ''}"
    if symbol in module.functions:
        return symbol
    text = Text(module)
    b = Scalars(text, f"f{width}")
    args = [Name("xyz"[k], b.of_float) for k in range(count)]
    if name in NEAR:  # the quicker way for arguments within its bound
        quick, bound = NEAR[name]
        text.open(f"if (!(fabs{b.suffix}({args[0]}) < {b.const(bound[width])}))")
        text.emit(f"return {elementary(module, f'{name}_far', width, count)}({', '.join(args)});")
        text.close()
        text.emit(f"return {quick(b, *args)};")
    else:
        text.emit(f"return {FUNCTIONS[name.removesuffix('_far')](b, *args)};")
    given = ", ".join([f"{b.of_float} {a}" for a in args])
    language = module.language
    head = language.aside if name.endswith("_far") else language.inline
    module.functions[symbol] = "\n".join([f"{head} {b.of_float} {symbol}({given})", "{", *text.finished(), "}"])
    return symbol
