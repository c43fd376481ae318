"""The error of a name that is not implemented, and the stubs that raise it."""

import functools

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
    **{name: f"use torch.nn.functional.{name}" for name in (
        "adaptive_max_pool1d batch_norm binary_cross_entropy_with_logits cosine_embedding_loss ctc_loss embedding "
        "embedding_bag hinge_embedding_loss instance_norm kl_div margin_ranking_loss poisson_nll_loss "
        "triplet_margin_loss").split()},
    **dict.fromkeys(("grid_sampler", "grid_sampler_2d", "grid_sampler_3d"), "use torch.nn.functional.grid_sample"),
    **{f"native_{name}": f"use torch.nn.functional.{name}" for name in (
        "batch_norm", "channel_shuffle", "dropout", "group_norm", "layer_norm")},
    **{name: f"use torch.linalg.{other}" for name, other in (
        ("eig", "eig"), ("lstsq", "lstsq"), ("matrix_rank", "matrix_rank"), ("solve", "solve"), ("symeig", "eigh"),
        ("frobenius_norm", "matrix_norm"), ("nuclear_norm", "matrix_norm(ord='nuc')"), ("lobpcg", "eigh"))},
    "_mkldnn": "torch.nn and torch.nn.functional have the layers that it computes",
    **dict.fromkeys(("_prims", "_refs", "_decomp", "_meta_registrations"), "operations are computed as they are here"),
    **dict.fromkeys(("_ops", "_classes"), "use torch.ops"),
    **dict.fromkeys(("_inductor", "_export"), "covector.jit compiles functions of arrays"),
    **dict.fromkeys(("_lowrank", "_linalg_utils"), "use torch.svd_lowrank, torch.pca_lowrank and torch.linalg"),
    "_tensor": "use torch.Tensor",
    "_weights_only_unpickler": "torch.load executes no code here",
    **dict.fromkeys([f"nn.functional.{name}_torch_function{rest}" for name in ("has", "handle")
                     for rest in ("", "_unary", "_variadic")], "torch.overrides has it"),
    "autograd.profiler.ProfilerActivity": "torch.profiler has it",
    "nn.attention": "attention is computed by SDPBackend.MATH alone",
    "nn.parallel": "there is one device here",
    "autocast": "cast the model and its inputs with .to(torch.bfloat16)",
}


KINDS = (  # by how names begin
    (("quantize", "fake_quantize", "fbgemm_", "fused_moving_avg", "q_", "qint", "quint", "qscheme", "per_tensor_",
      "per_channel_"), "weights and activations stay floating here"),
    (("cudnn_", "miopen_", "mkldnn_"), "torch.nn and torch.nn.functional have the layers that it computes"),
    (("sym_",), "sizes are Python's own numbers here"),
)


def parsed():
    """The names, each with its module's."""
    found, part = set(), ""
    for line in NAMES.splitlines():
        head, colon, names = line.partition(": ")
        if colon:
            part = "" if head == "-" else f"{head}."
        found.update(part + name for name in (names if colon else line).split())
    return frozenset(found)


UNBUILT = parsed() | {
    "autograd.profiler.ProfilerActivity", "sparse.sampled_addmm", "sparse.spsolve",  # and what is in C++
    *[f"_dynamo.{name}" for name in "export explain graph_break optimize optimize_assert run".split()],
    *"""_awaits _classes _decomp _dispatch _export _guards _inductor _linalg_utils _logging _meta_registrations
    _mkldnn _numpy _prims _refs _sources _strobelight _utils_internal _vendor _weights_only_unpickler""".split()}


class UnbuiltError(NotImplementedError, AttributeError):
    """A part of PyTorch that is not implemented; `hasattr` is False for it."""


class UnbuiltImport(NotImplementedError, ImportError):
    """The same where a name is imported from its module: Python would say that it cannot, and not why."""


def compiled(name, kind=UnbuiltError):
    """The error for a name of torch._C that is not there: the compiled part of PyTorch, which has 977 of them."""
    return kind(f"torch._C.{name} is not implemented in covector.compat.torch: what is in C++ in PyTorch is in "
                        "Python here; use the public function or class that it stands behind (docs/compat_gaps.md "
                        "has more)")


def unbuilt(name, kind=UnbuiltError):
    """The error for a name of torch: `nn.DataParallel`."""
    words = name
    while words and words not in ADVICE:
        words = words.rpartition(".")[0]
    advice = ADVICE.get(words) or next((advice for starts, advice in KINDS if name.startswith(starts)), None)
    return kind(f"torch.{name} is part of PyTorch, but not implemented in covector.compat.torch; "
                        + (f"{advice} (docs/compat_gaps.md has more)" if advice else
                           "docs/compat_gaps.md says what to use instead"))


# Names that programs import from parts of PyTorch that are not implemented: their use is refused.


def parts(module, classes="", functions=""):
    """Classes and functions of a module of torch, by name, that raise when they are called.

    Programs write them in annotations, in `isinstance` (which is False) and as bases of classes.

    Args:
        module: `distributed.rpc`.
        classes, functions: the names, with spaces between.
    """
    room = {name: unbuilt_class(module, name) for name in classes.split()}
    room.update((name, unbuilt_function(module, name)) for name in functions.split())
    return room


@functools.lru_cache(256)  # one class, whichever module gives it
def unbuilt_class(module, name):
    """A class that has no objects."""

    def __new__(cls, *args, **kwargs):  # noqa: N807
        raise unbuilt(full)

    full = f"{module}.{name}".lstrip(".")
    doc = f"torch.{full}, which is not implemented: a class without objects."
    return type(name, (), {"__new__": __new__, "__doc__": doc, "__class_getitem__": classmethod(lambda cls, item: cls),
                           "__module__": f"torch.{module}".rstrip(".")})


def unbuilt_function(module, name):
    """A function that raises."""

    def refuse(*args, **kwargs):
        raise unbuilt(f"{module}.{name}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__module__ = f"torch.{module}"
    refuse.__doc__ = f"torch.{module}.{name}, which is not implemented: it raises."
    return refuse
