"""Products of matrices as calls of NumPy's own BLAS."""

from .simd import TYPES, number

_ROW_MAJOR, _PLAIN, _TURNED = 101, 111, 112  # of the library of products


def print_product(printer, product):
    """A call of gemm or gemv: `out` is row-major, operands lie along rows or columns."""
    x, y, out = product.x, product.y, product.out
    kind = x.kind
    (n, k), m = x.shape, y.shape[1]
    base, letter = TYPES[kind], "d" if kind == "f64" else "s"
    one, zero = number(1.0, kind), number(0.0, kind)
    a, b, c = printer.address(x), printer.address(y), printer.address(out)
    if out.strides[1] != 1 and m > 1:  # its transpose is row-major
        x, y, a, b, n, m = _turned(y), _turned(x), b, a, m, n
        out = _turned(out)
    (over_x, line_x), (over_y, line_y) = _lying(x), _lying(y)
    name = f"{letter}gemm"
    text = printer.text
    if m == 1 or n == 1:
        name = f"{letter}gemv"
        vector, matrix, over, line = (y, x, over_x, line_x) if m == 1 else (x, y, over_y, line_y)
        step = vector.strides[0] if m == 1 else vector.strides[1]
        step = 1 if k == 1 else step
        rows, columns = matrix.shape if over == _PLAIN else matrix.shape[::-1]
        turned = over if m == 1 else _TURNED if over == _PLAIN else _PLAIN
        into = out.strides[0] if m == 1 else out.strides[1]
        into = 1 if max(n, m) == 1 else into
        if step > 0 and into > 0:
            matrix, vector = (a, b) if m == 1 else (b, a)
            given = (f"i32 {_ROW_MAJOR}, i32 {turned}, i64 {rows}, i64 {columns}, {base} {one}, ptr {matrix}, "
                     f"i64 {line}, ptr {vector}, i64 {step}, {base} {zero}, ptr {c}, i64 {into}")
            text.emit(f"call void {_library(printer, name)}({given})")
            return
        name = f"{letter}gemm"
    given = (f"i32 {_ROW_MAJOR}, i32 {over_x}, i32 {over_y}, i64 {n}, i64 {m}, i64 {k}, {base} {one}, ptr {a}, "
             f"i64 {line_x}, ptr {b}, i64 {line_y}, {base} {zero}, ptr {c}, i64 {max(out.strides[0], m)}")
    text.emit(f"call void {_library(printer, name)}({given})")


def _library(printer, name):
    """A function of the library of products."""
    return printer.slots.load(printer.text, printer.slots.place(name, printer.blas[name]))


def _turned(place):
    return type(place)(place.memory, place.shape[::-1], place.strides[::-1], place.offset, place.moving)


def _lying(place):
    """How a matrix lies: along rows or columns, and how far its lines are apart."""
    (n, m), (down, right) = place.shape, place.strides
    if (right == 1 or m == 1) and (down >= m or n == 1):
        return _PLAIN, max(down, m)
    return _TURNED, max(right, n)
