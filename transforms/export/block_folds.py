"""Folds among the threads of a block, through shared memory, in a fixed order."""

from ..native.ir.constants import start_of
from ..native.ir.statements import Place, Value
from .scalars import Scalars
from .text import TYPES, Name, Text, number

LARGEST = 1024  # threads of a block
_WAYS = 8  # values that one thread folds between two barriers, each of which takes longer than these
_SHARED = "cv_shared"


class Gather:
    """`out`, a fold of what the blocks of a part left in `partial`, which every thread of a later part gets."""

    def __init__(self, name, partial, part):
        self.name = name
        self.partial = partial
        self.part = part
        self.out = Value(partial.kind)

    def write(self, printer):
        text, kind, count = printer.text, self.partial.kind, self.part.grid
        place = Place(self.partial, (count,))
        total = text.new("s")
        text.emit(f"{TYPES[kind]} {total} = {number(start_of(self.name, kind), kind)};")
        i = text.new("i")
        text.open(f"for (int32_t {i} = (int32_t)threadIdx.x; {i} < {count}; {i} += (int32_t)blockDim.x)")
        x = printer.load(place, [(i, 1)])
        y = text.op(total, TYPES[kind])
        text.emit(f"{total} = {Scalars(text, kind).run(self.name, [y, x])};")
        text.close()
        printer.values[self.out] = folded(printer, self.name, kind, Name(total, TYPES[kind]))


def folded(printer, name, kind, x, lane="threadIdx.x", lanes="blockDim.x", apart="1"):
    """The fold of what `lanes` threads have, the next `apart` threads further on; all threads of a block call it."""
    function = _function(printer.text.module, name, kind)
    return printer.text.op(f"{function}({x}, {lane}, {lanes}, {apart})", TYPES[kind])


def _function(module, name, kind):
    """The name of the function of such a fold."""
    symbol = f"cv_block_{name}_{kind}"
    if symbol not in module.functions:
        inline, of = module.language.inline, TYPES[kind]
        module.functions.setdefault(_SHARED, "\n".join([
            f"{inline} void *{_SHARED}(void)", "{", f"    __shared__ double memory[{LARGEST}];",
            "    return (void *)memory;", "}"]))
        text = Text(module)
        text.emit(f"{of} *const s = ({of} *){_SHARED}() + threadIdx.x;")
        text.emit("__syncthreads();")
        text.emit("s[0] = x;")
        text.emit("__syncthreads();")
        text.open("for (unsigned n = lanes, k = 0; n > 1; n = k)")
        text.emit(f"k = (n + {_WAYS - 1}) / {_WAYS};")
        text.open("if (lane < k)")
        text.emit(f"{of} total = s[0];")
        text.emit("#pragma unroll")
        text.open(f"for (unsigned i = 1; i < {_WAYS}; i++)")
        text.open("if (lane + i * k < n)")
        y = text.op("s[i * k * apart]", of)
        text.emit(f"total = {Scalars(text, kind).run(name, [Name('total', of), y])};")
        text.close()
        text.close()
        text.emit("s[0] = total;")
        text.close()
        text.emit("__syncthreads();")
        text.close()
        text.emit("return *(s - lane * apart);")
        given = f"{of} x, unsigned lane, unsigned lanes, unsigned apart"
        module.functions[symbol] = "\n".join([f"{inline} {of} {symbol}({given})", "{", *text.finished(), "}"])
    return symbol
