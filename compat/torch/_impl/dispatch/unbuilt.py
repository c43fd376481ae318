"""What is asked for and is not implemented: an error that names it, and says what to use."""

from .unbuilt_names import NAMES

# What to use in place of a name, or of all below it; the longest that fits counts.
ADVICE = {
    "sparse": "sparse tensors here are in coordinate format, torch.sparse_coo_tensor",
    **dict.fromkeys(("sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_bsc_tensor",
                     "sparse_compressed_tensor"), "use torch.sparse_coo_tensor, or scipy.sparse matrices with "
                                                  "covector.numpy"),
    **dict.fromkeys(("quantization", "ao.quantization"), "weights and activations stay floating here"),
    "nested": "pad the sequences, or use torch.nn.utils.rnn",
    "onnx": "load the weights into PyTorch with its state_dict and export there",
    "hub": "build the module, and load its weights with torch.load",
    "fx": "covector.make_graph records functions of arrays",
    "export": "covector.export_c writes compiled functions of arrays as C",
    "library": "torch.library.custom_op and torch.autograd.Function define operations of your own",
    "distributed": "one process runs here; covector.psum and others name axes of vmap",
    "jit": "torch.jit.script and trace return functions as they are",
    "cuda": "tensors live on the CPU; covector's own transforms take CuPy arrays",
    "xpu": "tensors live on the CPU",
    "mps": "tensors live on the CPU",
    "_dynamo": "torch.compile returns functions as they are",
    "utils.cpp_extension": "torch.autograd.Function defines operations of your own",
    "autocast": "cast the model and its inputs with .to(torch.bfloat16)",
}


def parsed():
    """The names, each with its module's."""
    found, part = set(), ""
    for line in NAMES.splitlines():
        head, colon, names = line.partition(": ")
        if colon:
            part = "" if head == "-" else f"{head}."
        found.update(part + name for name in (names if colon else line).split())
    return frozenset(found)


UNBUILT = parsed() | {"hub", "onnx",  # which PyTorch imports late itself
                      "utils.cpp_extension",
                      *[f"_dynamo.{name}" for name in ("export", "explain", "graph_break", "optimize",
                                                       "optimize_assert", "run")],
                      "sparse.sampled_addmm", "sparse.spsolve"}  # and what is in C++


class UnbuiltError(NotImplementedError, AttributeError):
    """A part of PyTorch that is not implemented; `hasattr` is False for it."""


def unbuilt(name):
    """The error for a name of torch: `nn.DataParallel`."""
    words = name
    while words and words not in ADVICE:
        words = words.rpartition(".")[0]
    advice = ADVICE.get(words)
    return UnbuiltError(f"torch.{name} is part of PyTorch, but not implemented in covector.compat.torch; "
                        + (f"{advice} (docs/compat_gaps.md has more)" if advice else
                           "docs/compat_gaps.md says what to use instead"))
