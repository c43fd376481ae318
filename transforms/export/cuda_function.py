"""A function of single elements as a function of CUDA, for kernels that are written around it."""

from ...core.types import Any, Callable
from .c_file import kernel_of, unused_among, wrapped
from .cuda_file import HEAD
from .languages import Cuda
from .printer import Printer
from .staged import refuse, staged
from .text import STORED, Module


def cuda_function(fun: Callable[..., Any], args: tuple[Any, ...], name: str) -> str:
    """The text of a function `name` that takes a pointer for each argument, and then for each result.

    It begins with the types that it needs. Results may not lie where arguments do.

    Args:
        fun: a function that returns arrays; args: `ShapeDtype` of a few elements each, usually of one.
    Raises:
        as `export_cuda`; RuleError for what has no CUDA form.
    """
    found = staged(fun, args, "cuda_function")
    refuse(found, "cuda_function", "CUDA")
    kernel = kernel_of(found.draft, found.known)
    module = Module(Cuda)
    pairs = list(zip((*kernel.inputs, *kernel.outputs), (*found.inputs, *found.outputs)))
    lines = Printer(kernel, module, {memory: v.name for memory, v in pairs}).lines
    inputs = len(kernel.inputs)
    parameters = [f"{'const ' if k < inputs else ''}{STORED[memory.kind]} *{v.name}"
                  for k, (memory, v) in enumerate(pairs)]
    return "\n".join([HEAD, *[part + "\n" for part in module.needed_by(lines)],
                      wrapped(f"{Cuda.inline} void {name}(", parameters, ")"), "{",
                      *unused_among([v.name for v in found.inputs], lines), *lines, "}", ""])
