"""The results of `export_cuda`: kernels, and the steps that launch them."""

from typing import NamedTuple

from ....core.types import Any


class Launch(NamedTuple):
    """A launch of a kernel: its name, blocks, threads of a block, and the names of the arrays that it is given."""

    kernel: str
    grid: int
    block: int
    arguments: tuple[str, ...]


class Call(NamedTuple):
    """An operation that has no CUDA form here, by the name in `covector.extend.REGISTRY`.

    `REGISTRY[operation].rebind((*operands, *params))` runs it; it takes the names of arrays, or constants.
    """

    operation: str
    params: tuple[Any, ...]
    arguments: tuple[Any, ...]
    results: tuple[str, ...]


class ExportedCuda(NamedTuple):
    """The result of `export_cuda`: the text of the kernels, and what a program does with them.

    `arrays` are (shape, dtype) by name: arguments, results, and what lies between; `steps` launches and calls, in
    order; `inputs` and `outputs` the names of arguments and results, in the order of their leaves. A result may be an
    argument, or a number or array that is known.
    """

    name: str
    source: str
    arrays: dict[str, tuple[tuple[int, ...], str]]
    steps: tuple[Launch | Call, ...]
    inputs: tuple[str, ...]
    outputs: tuple[Any, ...]
