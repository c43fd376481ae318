"""Kernels that update all elements of lists of arrays of a device, each made of a function of one element."""

import numpy as np

from ..... import ShapeDtype, _kernels
from ..types.arrays import cupy

KINDS = {"f": "float", "d": "double"}  # the dtypes of kernels
THREADS, EACH = 256, 4  # of a block, and the elements of a thread
BLOCK, CHUNK = (THREADS,), THREADS * EACH
ROOM = 4000  # bytes of the arguments of a launch, which may have 4096
TEXT = """
struct Lists {{
    uint64_t arrays[{rows}][{count}];  // where the rows of each list lie
    int64_t sizes[{count}];
    {kind} numbers[{numbers}];
    int32_t first[{count}];  // the block that each list begins with
    int32_t count;
}};

extern "C" __global__ void {name}(const Lists lists)
{{
    int k = 0;
    for (int step = {half}; step > 0; step /= 2)
        if (k + step < lists.count && lists.first[k + step] <= (int)blockIdx.x)
            k += step;
    const int64_t n = lists.sizes[k];
    int64_t i = (int64_t)((int)blockIdx.x - lists.first[k]) * {chunk} + threadIdx.x;
{declared}
    for (int each = 0; each < {each}; each++, i += {threads})
        if (i < n) {{
{body}
        }}
}}
"""


class ListKernel:
    """A kernel over lists of arrays of one size: `rows` arrays a list, of which it writes to some.

    Args:
        update: a function of numbers and then of one element of each row, that returns the new elements of the rows in
            `written`; traced once.
        name: of the kernel.
        numbers, rows: how many of both there are.
        written: places among the rows.
        dtype: of all arrays, float32 or float64.
    """

    def __init__(self, update, name, numbers, rows, written, dtype):
        number, element = ShapeDtype((), dtype), ShapeDtype((1,), dtype)
        self.count = (ROOM - dtype.itemsize * max(numbers, 1) - 8) // (8 * rows + 8 + 4)
        self.layout = np.dtype([
            ("arrays", np.uint64, (rows, self.count)), ("sizes", np.int64, self.count),
            ("numbers", dtype, max(numbers, 1)), ("first", np.int32, self.count), ("count", np.int32)], align=True)
        self.text = _kernels.cuda_text.cuda_function(update, (*[number] * numbers, *[element] * rows), "update")
        self.text += self.around(name, KINDS[dtype.char], numbers, rows, written)
        self.kernel = cupy().RawModule(code=self.text).get_function(name)

    def around(self, name, kind, numbers, rows, written):
        """The text of the kernel itself."""
        declared = [f"const {kind} n{k} = lists.numbers[{k}];" for k in range(numbers)]
        declared += [f"{'' if k in written else 'const '}{kind} *__restrict__ const x{k} = ({kind} *)"
                     f"lists.arrays[{k}][k];" for k in range(rows)]
        given = [*[f"&n{k}" for k in range(numbers)], *[f"x{k} + i" for k in range(rows)],
                 *[f"&y{k}" for k in written]]
        body = [f"{kind} {', '.join([f'y{k}' for k in written])};", f"update({', '.join(given)});",
                *[f"x{k}[i] = y{k};" for k in written]]
        half = 1 << (self.count - 1).bit_length() - 1
        return TEXT.format(rows=rows, count=self.count, kind=kind, numbers=max(numbers, 1), name=name, half=half,
                           chunk=CHUNK, each=EACH, threads=THREADS, declared=indented(declared, 4),
                           body=indented(body, 12))


class Launches:
    """What the launches of a kernel are given that all lists take, in memory of the processor."""

    def __init__(self, kernel, sizes):
        self.kernel = kernel.kernel
        self.parts = []  # (argument, its numbers, its rows, the slice of lists, grid)
        for start in range(0, len(sizes), kernel.count):
            here = slice(start, start + kernel.count)
            blocks = [-(-size // CHUNK) for size in sizes[here]]
            given = np.zeros((), kernel.layout)
            given["count"] = n = len(blocks)
            given["sizes"][:n] = sizes[here]
            given["first"][:n] = np.cumsum([0, *blocks[:-1]])
            self.parts.append((given, memoryview(given["numbers"]), [memoryview(row) for row in given["arrays"]], here,
                               (sum(blocks),)))

    def place(self, row, arrays):
        """Let a row be these arrays, one of each list."""
        for _, _, rows, here, _ in self.parts:
            cells = rows[row]
            for k, array in enumerate(arrays[here]):
                cells[k] = array.data.ptr

    def run(self, values=()):
        """Launch the kernel on the current stream, with these numbers; it has copied all that it is given."""
        for given, numbers, _, _, grid in self.parts:
            for k, value in enumerate(values):
                numbers[k] = value
            if grid[0]:
                self.kernel(grid, BLOCK, (given,))


def indented(lines, depth):
    """Lines of text."""
    return "\n".join([" " * depth + line for line in lines])
