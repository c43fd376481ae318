"""Block-wide reductions through shared memory, in a fixed order."""

from ...loops.operations import Name
from ...loops.statements import Place, Value, start_of
from ..c.scalars import Scalars
from ..c.text import TYPES, Text, number

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


def gather(printer, gathers, block):
    """Write the loops of gathers, those over as many blocks in one, and fold what the threads of the block found."""
    text, found = printer.text, []
    counts = dict.fromkeys([each.part.grid for each in gathers])
    for count in counts:
        together = [each for each in gathers if each.part.grid == count]
        totals = [text.new("s") for _ in together]
        for each, total in zip(together, totals):
            kind = each.partial.kind
            text.emit(f"{TYPES[kind]} {total} = {number(start_of(each.name, kind), kind)};")
        k = text.new("i")
        text.emit("#pragma unroll")  # there are a few turns
        text.open(f"for (int32_t {k} = 0; {k} < {-(-count // block)}; {k}++)")
        i = text.op(f"(int32_t)threadIdx.x + {k} * {block}", "int32_t")
        text.open(f"if ({i} < {count})")
        loaded = [printer.load(Place(each.partial, (count,)), [(i, 1)]) for each in together]
        for each, total, x in zip(together, totals, loaded):
            kind = each.partial.kind
            y = text.op(total, TYPES[kind])
            text.emit(f"{total} = {Scalars(text, kind).run(each.name, [y, x])};")
        text.close()
        text.close()
        found += [(each, Name(total, TYPES[each.partial.kind])) for each, total in zip(together, totals)]
    values = folded(printer, [(each.name, each.partial.kind, x) for each, x in found], block)
    printer.values.update(zip([each.out for each, _ in found], values))


def folded(printer, folds, block, lane="threadIdx.x", lanes=None, apart="1"):
    """Fold what `lanes` threads have, all of a block by default, the next `apart` threads further on.

    All threads of a block call it.

    Args:
        folds: (name, kind, value) triples.
        block: threads of a block; so many folds share barriers as have room in shared memory.
    Returns:
        the names of what each thread has then.
    """
    text, found = printer.text, []
    room = max(LARGEST // block, 1)
    for at in range(0, len(folds), room):
        part = folds[at : at + room]
        function = _function(text.module, [(name, kind) for name, kind, _ in part])
        totals = [text.new("t") for _ in part]
        for total, (_, kind, x) in zip(totals, part):
            text.emit(f"{TYPES[kind]} {total} = {x};")
        text.emit(f"{function}({''.join(f'&{total}, ' for total in totals)}{lane}, {lanes or block}, {apart});")
        found += [Name(total, TYPES[kind]) for total, (_, kind, _) in zip(totals, part)]
    return found


def _function(module, folds):
    """The name of the function of such folds."""
    symbol = "_".join(["cv_block", *[f"{name}_{kind}" for name, kind in folds]])
    if symbol in module.functions:
        return symbol
    inline, types = module.language.inline, [TYPES[kind] for _, kind in folds]
    module.functions.setdefault(_SHARED, "\n".join([
        f"{inline} void *{_SHARED}(void)", "{", f"    __shared__ double memory[{LARGEST}];",
        "    return (void *)memory;", "}"]))
    text, each = Text(module), range(len(folds))

    def every(line):
        for j in each:
            text.emit(line.format(j=j, of=types[j]))

    every(f"{{of}} *const s{{j}} = ({{of}} *)((double *){_SHARED}() + {{j}} * blockDim.x) + threadIdx.x;")
    text.emit("__syncthreads();")
    every("s{j}[0] = *x{j};")
    text.emit("__syncthreads();")
    text.open("for (unsigned n = lanes, k = 0; n > 1; n = k)")
    text.emit(f"k = (n + {_WAYS - 1}) / {_WAYS};")
    text.open("if (lane < k)")
    every("{of} total{j} = s{j}[0];")
    text.emit("#pragma unroll")
    text.open(f"for (unsigned i = 1; i < {_WAYS}; i++)")
    text.open("if (lane + i * k < n)")
    for j, (name, kind) in enumerate(folds):
        y = text.op(f"s{j}[i * k * apart]", types[j])
        text.emit(f"total{j} = {Scalars(text, kind).run(name, [Name(f'total{j}', types[j]), y])};")
    text.close()
    text.close()
    every("s{j}[0] = total{j};")
    text.close()
    text.emit("__syncthreads();")
    text.close()
    every("*x{j} = *(s{j} - lane * apart);")
    given = ", ".join([f"{of} *x{j}" for j, of in enumerate(types)])
    module.functions[symbol] = "\n".join([
        f"{inline} void {symbol}(", f"    {given}, unsigned lane, unsigned lanes, unsigned apart)", "{",
        *text.finished(), "}"])
    return symbol
