"""Kernels that update all elements of lists of arrays of a device, each made of a function of one element."""

import numpy as np

from ..... import _kernels
from ....._primitives import ShapeDtype
from ..types.arrays import cupy

KINDS = {"f": "float", "d": "double"}  # the dtypes of kernels
THREADS, EACH = 256, 4  # of a block, and the elements of a thread
BLOCK, CHUNK = (THREADS,), THREADS * EACH
ROOM = 4000  # bytes of the arguments of a launch, which may have 4096
HEAD = """
struct Lists {{
    uint64_t arrays[{rows}][{count}];  // where the rows of each list lie
    int64_t sizes[{count}];
    uint64_t shared[{shared}];  // arrays that are not of one list
    {kind} numbers[{numbers}];
    int32_t first[{count}];  // the block that each list begins with
    int32_t count;
    int32_t before;  // blocks of earlier launches
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
"""
UPDATE = """\
    for (int each = 0; each < {each}; each++, i += {threads})
        if (i < n) {{
            {kind} {new};
            update({given});
            {stores}
        }}
}}
"""


class ListKernel:
    """A kernel over lists of arrays of one size: `rows` arrays a list, of which it writes to some.

    Args:
        update: a function of numbers, then of shared elements, then of one element of each row, that returns the new
            elements of the rows in `written`; traced once.
        name: of the kernel.
        numbers, shared, rows: how many of these there are.
        written: places among the rows.
        dtype: of all arrays, float32 or float64.
    """

    def __init__(self, update, name, numbers, shared, rows, written, dtype):
        number, element = ShapeDtype((), dtype), ShapeDtype((1,), dtype)
        given = (*[number] * (numbers + shared), *[element] * rows)
        self.text = _kernels.cuda_text.cuda_functions({"update": (update, given)})
        self.text += self.head(name, numbers, shared, rows, dtype) + UPDATE.format(
            each=EACH, threads=THREADS, kind=KINDS[dtype.char], new=", ".join([f"y{k}" for k in written]),
            given=", ".join([*[f"&n{k}" for k in range(numbers)], *[f"s{k}" for k in range(shared)],
                             *[f"x{k} + i" for k in range(rows)], *[f"&y{k}" for k in written]]),
            stores=" ".join([f"x{k}[i] = y{k};" for k in written]))
        self.function = cupy().RawModule(code=self.text).get_function(name)

    def head(self, name, numbers, shared, rows, dtype):
        """The beginning of the kernel: which list a block is about, and what that has."""
        self.count = (ROOM - dtype.itemsize * max(numbers, 1) - 8 * max(shared, 1) - 8) // (8 * rows + 8 + 4)
        self.layout = np.dtype([
            ("arrays", np.uint64, (rows, self.count)), ("sizes", np.int64, self.count),
            ("shared", np.uint64, max(shared, 1)), ("numbers", dtype, max(numbers, 1)),
            ("first", np.int32, self.count), ("count", np.int32), ("before", np.int32)], align=True)
        kind = KINDS[dtype.char]
        declared = [f"const {kind} n{k} = lists.numbers[{k}];" for k in range(numbers)]
        declared += [f"const {kind} *const s{k} = (const {kind} *)lists.shared[{k}];" for k in range(shared)]
        declared += [f"{kind} *__restrict__ const x{k} = ({kind} *)lists.arrays[{k}][k];" for k in range(rows)]
        return HEAD.format(rows=rows, count=self.count, kind=kind, numbers=max(numbers, 1), shared=max(shared, 1),
                           name=name, half=1 << (self.count - 1).bit_length() - 1, chunk=CHUNK,
                           declared="\n".join(["    " + line for line in declared]))


class Launches:
    """Launch arguments of a kernel that are common to all lists, in host memory."""

    def __init__(self, kernel, sizes):
        self.kernel = kernel
        self.blocks = 0  # of all launches
        self.parts = []  # (argument, its numbers, its shared arrays, its rows, the slice of lists, grid)
        for start in range(0, len(sizes), kernel.count):
            here = slice(start, start + kernel.count)
            blocks = [-(-size // CHUNK) for size in sizes[here]]
            given = np.zeros((), kernel.layout)
            given["count"] = n = len(blocks)
            given["sizes"][:n] = sizes[here]
            given["first"][:n] = np.cumsum([0, *blocks[:-1]])
            given["before"] = self.blocks
            self.blocks += sum(blocks)
            self.add(given, here, (sum(blocks),))

    def add(self, given, here, grid):
        """Add a launch."""
        self.parts.append((given, memoryview(given["numbers"]), memoryview(given["shared"]),
                           [memoryview(row) for row in given["arrays"]], here, grid))

    def copy(self):
        """The same, to be written to."""
        new = Launches.__new__(Launches)
        new.kernel, new.blocks, new.parts = self.kernel, self.blocks, []
        for given, *_, here, grid in self.parts:
            new.add(given.copy(), here, grid)
        return new

    def place(self, row, arrays):
        """Let a row be these arrays, one of each list."""
        for *_, rows, here, _ in self.parts:
            cells = rows[row]
            for k, array in enumerate(arrays[here]):
                cells[k] = array.data.ptr

    def run(self, values=(), shared=()):
        """Launch the kernel on the current stream, with these numbers and shared arrays; it copies all it is given."""
        for given, numbers, pointers, _, _, grid in self.parts:
            for k, value in enumerate(values):
                numbers[k] = value
            for k, array in enumerate(shared):
                pointers[k] = array.data.ptr
            if grid[0]:
                self.kernel.function(grid, BLOCK, (given,))
