"""Values of small arrays as LLVM text: a few neighbours to a vector, as long as they stay together."""

from ...loops.operations import CASTS, Name, is_costly
from ...loops.statements import BYTES, Const, Step, held
from .simd import TYPES, number

# What a function of so many numbers is.
_FEW = {("exp", "f64"): ("exp_few", 3), ("tanh", "f64"): ("tanh_few", 4), ("tanh", "f32"): ("tanh_few", 2)}


def pieces(count, most):
    """`(start, width)` of the vectors that hold so many values; widths are powers of two."""
    at = 0
    while at < count:
        width = min(1 << ((count - at).bit_length() - 1), most)
        yield at, width
        at += width


def is_apart(statements):
    """Tell whether two numbers wait for a function that takes one after the other: they are in registers of their
    own."""
    return any(type(s) is Step and len(s.outs) == 2 and (s.name, s.kind) in _FEW for s in statements)


def _pieces(printer, values, kind):
    """`pieces` of a few values."""
    if len(values) == 2 and printer.apart:
        return (0, 1), (1, 1)
    return pieces(len(values), _most(printer, kind))


def print_load(printer, statement):
    """Write a load."""
    place = statement.place
    start = printer.address(place)
    for at, width in _pieces(printer, statement.outs, place.kind):
        found = printer.load(printer.moved(start, place.kind, str(at), 1), place.kind, width)
        _keep(printer, statement.outs[at : at + width], found)


def print_store(printer, statement):
    """Write a store."""
    kind = statement.place.kind
    start = printer.address(statement.place)
    for at, width in _pieces(printer, statement.values, kind):
        values = statement.values[at : at + width]
        if width > 1 and len({v.kind for v in values}) == 1:
            found = _together(printer, values, True)
        else:
            width, found = 1, None
        for k, value in enumerate(values if found is None else values[:1]):
            x = printer.scalar(value) if found is None else found
            x = printer.text.builder(kind, width).cast(x, value.kind, held(kind))
            printer.store(x, printer.moved(start, kind, str(at + k), 1), kind, "0", 1, width)


def print_step(printer, step):
    """Write an operation on a few values: in vectors, where its operands lie so, or it is many instructions."""
    if len(step.outs) == 1:  # nearly all of a program on numbers
        args = [values[0] for values in step.args]
        printer.names[step.outs[0]] = _run(printer, step, 1, args, [printer.scalar(x) for x in args])
        return
    costly = is_costly(step.name)
    for at, width in _pieces(printer, step.outs, step.kind):
        outs = step.outs[at : at + width]
        args = [values[at : at + width] for values in step.args]
        vectors = [_together(printer, values, costly) for values in args] if width > 1 and all(
            len({v.kind for v in values}) == 1 for values in args) else [None]
        if any(v is None for v in vectors):
            for k, out in enumerate(outs):
                printer.names[out] = _run(printer, step, 1, [values[k] for values in args],
                                          [printer.scalar(values[k]) for values in args])
        else:
            _keep(printer, outs, _run(printer, step, width, [values[0] for values in args], vectors))


def _run(printer, step, width, values, names):
    builder = printer.text.builder(step.kind, width, printer.inline)
    if step.name in CASTS:
        return builder.cast(names[0], values[0].kind, step.kind)
    few, most = (None, 0) if printer.inline else _FEW.get((step.name, step.kind), (None, 0))
    return builder.few(few, *names) if len(step.outs) <= most else builder.run(step.name, names)


def _most(printer, kind):
    """The lanes of a vector; of booleans as many as of the numbers that they go with."""
    return printer.vector // (8 if kind == "b8" else BYTES[kind])


def _keep(printer, outs, found):
    """Note where values are."""
    if len(outs) == 1:
        printer.names[outs[0]] = found
    else:
        printer.packed.update((out, (found, lane)) for lane, out in enumerate(outs))


def _together(printer, values, force):
    """Values as one vector: the one that they are in, one of its lanes shuffled; None if it takes more."""
    text, width = printer.text, len(values)
    base = TYPES[values[0].kind]
    vector = f"<{width} x {base}>"
    if all(type(v) is Const for v in values):
        return Name("<" + ", ".join([f"{base} {number(v.value, v.kind)}" for v in values]) + ">", vector)
    if all(v is values[0] for v in values):
        return printer.splat(printer.scalar(values[0]), values[0].kind, width)
    places = [printer.packed.get(v) for v in values]
    sources = list(dict.fromkeys([p[0] for p in places])) if None not in places else []
    if len(sources) == 1 and sources[0].type == vector and [lane for _, lane in places] == list(range(width)):
        return sources[0]
    if 0 < len(sources) < 3 and len({s.type for s in sources}) == 1:
        count = int(sources[0].type[1:].split()[0])
        return text.shuffled(sources[0], sources[-1] if len(sources) == 2 else "poison", [
            lane + count * sources.index(s) for s, lane in places])
    return text.vector(list(map(printer.scalar, values)), base) if force else None
