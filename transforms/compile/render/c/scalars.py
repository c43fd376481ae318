"""The builder of C text: arithmetic on single values, the same as that of `transforms/compile/render/llvm/simd.py`."""

from ...loops.operations import table_of
from ...maths import FUNCTIONS, NEAR
from .languages import HELPERS
from .text import TYPES, Name, Text, number


class Scalars:
    """A builder of values of one kind; see `transforms/compile/loops/operations.py` for what it must have."""

    def __init__(self, text, kind):
        self.text = text
        self.module = text.module
        self.kind = kind
        self.width = 32 if kind in ("f32", "i32") else 64
        self.of_float = "float" if self.width == 32 else "double"
        self.of_int = f"int{self.width}_t"
        self.suffix = "f" if self.width == 32 else ""

    def constant(self, value, kind):
        """A number."""
        return Name(number(value, kind), TYPES[kind])

    def const(self, x):
        return self.constant(x, f"f{self.width}")

    def iconst(self, x):
        x &= (1 << self.width) - 1
        return self.constant(x - (1 << self.width) if x >> (self.width - 1) else x, f"i{self.width}")

    def infix(self, sign, x, y, of=None):
        return self.text.op(f"{x} {sign} {y}", of or x.type)

    def helper(self, name, of, *args):
        """A call of a helper."""
        if name not in self.module.functions:
            result, given, body = HELPERS[name]
            self.module.functions[name] = f"{self.module.language.inline} {result} {name}{given} {{ {body} }}"
        return self.text.op(f"{name}({', '.join(args)})", of)

    def whole(self, name, x, y):
        return self.helper(f"cv_{name}{self.width}", self.of_int, x, y)

    def library(self, name, *args):
        """A function of the C library."""
        return self.text.op(f"{name}{self.suffix}({', '.join(args)})", self.of_float)

    def fadd(self, x, y):
        return self.infix("+", x, y)

    def fsub(self, x, y):
        return self.infix("-", x, y)

    def fmul(self, x, y):
        return self.text.op(self.module.language.product(x, y, self.width), self.of_float)

    def fdiv(self, x, y):
        return self.infix("/", x, y)

    def fma(self, x, y, z):
        return self.library("fma", x, y, z)

    def sqrt(self, x):
        return self.library("sqrt", x)

    def fneg(self, x):
        return self.text.op(f"-({x})" if x[0] in "-(" else f"-{x}", x.type)

    def fabs(self, x):
        return self.library("fabs", x)

    def copysign(self, x, y):
        return self.library("copysign", x, y)

    def floor(self, x):
        return self.library("floor", x)

    def rint(self, x):
        return self.library("rint", x)

    def trunc(self, x):
        return self.library("trunc", x)

    def fcmp(self, op, x, y):
        return self.infix(op, x, y, "int")

    def icmp(self, op, x, y):
        return self.infix(op, x, y, "int")

    def isnan(self, x):
        return self.fcmp("!=", x, x)

    def select(self, m, x, y):
        return self.text.op(f"{m} ? {x} : {y}", x.type)

    def and_(self, x, y):
        return self.infix("&", x, y)

    def or_(self, x, y):
        return self.infix("|", x, y)

    def xor_(self, x, y):
        return self.infix("^", x, y)

    def not_(self, x):
        return self.text.op(f"!{x}", x.type)

    def iadd(self, x, y):
        return self.whole("add", x, y)

    def isub(self, x, y):
        return self.whole("sub", x, y)

    def imul(self, x, y):
        return self.whole("mul", x, y)

    def sdiv(self, x, y):
        return self.infix("/", x, y, self.of_int)

    def srem(self, x, y):
        return self.infix("%", x, y, self.of_int)

    def iand(self, x, y):
        return self.infix("&", x, y, self.of_int)

    def ior(self, x, y):
        return self.infix("|", x, y, self.of_int)

    def ixor(self, x, y):
        return self.infix("^", x, y, self.of_int)

    def shl(self, x, y):
        return self.whole("shl", x, y)

    def lshr(self, x, y):
        return self.whole("shr", x, y)

    def ashr(self, x, y):
        return self.infix(">>", x, y, self.of_int)

    def bits(self, x):
        return self.helper(f"cv_bits{self.width}", self.of_int, x)

    def from_bits(self, i):
        return self.helper(f"cv_float{self.width}", self.of_float, i)

    def to_int(self, x):
        return self.cast(x, f"f{self.width}", f"i{self.width}")

    def to_float(self, i):
        return self.text.op(f"({self.of_float}){i}", self.of_float)

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

    def run(self, name, args):
        """The result of an operation by its name."""
        if name == "where":
            return self.select(*args)
        found = table_of(self.kind).get(name)
        return self.elementary(name, args) if found is None else found(self, *args)

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
