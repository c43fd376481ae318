"""Products of matrices as calls of NumPy's own BLAS."""

from .simd import TYPES, number

_ROW_MAJOR, _WAYS = 101, (112, 111)  # of the library of products: matrices are turned, or lie along rows


def print_product(printer, product):
    """A call of gemm or gemv: `out` is row-major, operands lie along rows or columns."""
    x, y, out = product.by_rows()
    kind = x.kind
    (n, k), m = x.shape, y.shape[1]
    base, letter = TYPES[kind], "d" if kind == "f64" else "s"
    one, zero = number(1.0, kind), number(0.0, kind)
    a, b, c = printer.address(x), printer.address(y), printer.address(out)
    (along_x, line_x), (along_y, line_y) = x.lying(), y.lying()
    if m == 1 or n == 1:
        vector, matrix, along, line = (y, x, along_x, line_x) if m == 1 else (x, y, along_y, line_y)
        step = 1 if k == 1 else vector.strides[0] if m == 1 else vector.strides[1]
        rows, columns = matrix.shape if along else matrix.shape[::-1]
        into = 1 if max(n, m) == 1 else out.strides[0] if m == 1 else out.strides[1]
        if step > 0 and into > 0:
            matrix, vector = (a, b) if m == 1 else (b, a)
            given = (f"i32 {_ROW_MAJOR}, i32 {_WAYS[along == (m == 1)]}, i64 {rows}, i64 {columns}, {base} {one}, "
                     f"ptr {matrix}, i64 {line}, ptr {vector}, i64 {step}, {base} {zero}, ptr {c}, i64 {into}")
            _call(printer, f"{letter}gemv", given)
            return
    given = (f"i32 {_ROW_MAJOR}, i32 {_WAYS[along_x]}, i32 {_WAYS[along_y]}, i64 {n}, i64 {m}, i64 {k}, {base} {one}, "
             f"ptr {a}, i64 {line_x}, ptr {b}, i64 {line_y}, {base} {zero}, ptr {c}, i64 {max(out.strides[0], m)}")
    _call(printer, f"{letter}gemm", given)


def _call(printer, name, given):
    """A call of a function of the library of products."""
    slots = printer.slots
    printer.text.emit(f"call void {slots.load(printer.text, slots.place(name, printer.blas[name]))}({given})")
