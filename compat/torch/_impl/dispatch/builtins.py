"""Functions that PyTorch has in C++: as attributes of a class they bind nothing, `act = torch.tanh` in its body."""

from types import FunctionType

from ....._engine import make_node

FUNCTIONS = FunctionType, type(make_node)  # interpreted ones and compiled ones

# Which those are: all of these namespaces; of torch all but these; of the others these alone.
_WHOLE = frozenset({"torch.linalg", "torch.fft", "torch.special", "torch._VF"})
_IN_PYTHON = frozenset("""
are_deterministic_algorithms_enabled atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors
cartesian_prod cdist chain_matmul compile compiled_with_cxx11_abi cond einsum from_dlpack
get_default_device get_deterministic_debug_mode
get_float32_matmul_precision get_rng_state initial_seed install is_deterministic_algorithms_warn_only_enabled is_storage
is_tensor is_warn_always_enabled load lu manual_seed meshgrid norm pca_lowrank save seed set_default_device
set_default_dtype set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision set_printoptions
set_rng_state set_warn_always split stft svd_lowrank sym_float sym_int sym_max sym_min sym_not sym_sqrt
tensordot typename unique unique_consecutive unravel_index use_deterministic_algorithms vmap while_loop
""".split())
_SOME = {"torch.nn.functional": """adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle
    conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity elu_ gelu
    hardshrink hardtanh_ leaky_relu_ linear logsigmoid native_channel_shuffle one_hot pairwise_distance pdist
    pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ scaled_dot_product_attention selu_ softplus softshrink
    threshold_""",
         "torch.functional": "istft",
         "torch.overrides": "has_torch_function has_torch_function_unary has_torch_function_variadic",
         "torch.sparse": "addmm log_softmax mm softmax spdiags",
         "torch.utils.dlpack": "to_dlpack"}
_PRIVATE = "._impl."
_SOME = {module: frozenset(names.split()) for module, names in _SOME.items()}


class Builtin(staticmethod):
    """A function that is the same object wherever it is read: a static method of no class, called without Python.

    The function that it calls is a method where Tensor has it, and binds; both are equal, so that what is kept by
    function is found by method. It costs 0.04 us a call, where a class with `__call__` costs 0.13.
    """

    def __get__(self, instance, owner=None):
        return self

    def __getattr__(self, name):  # what a row or a wrapper noted at the function
        if name.startswith("__"):
            raise AttributeError(f"'builtin function' object has no attribute '{name}'")
        return getattr(self.__func__, name)

    def __eq__(self, other):
        return other is self or other is self.__func__

    def __hash__(self):
        return hash(self.__func__)

    def __reduce__(self):
        return self.__qualname__

    def __repr__(self):
        return f"<built-in function {self.__name__}>"


def builtin(module, name, fun):
    """A function under a name of a module of torch, as one that binds nothing where PyTorch has it in C++."""
    if module == "torch":
        own = name not in _IN_PYTHON
    else:
        own = module in _WHOLE or name in _SOME.get(module, ())
    if not own or not isinstance(fun, FUNCTIONS):
        return fun
    made, home = known_as(fun), fun.__module__
    if made is fun:
        made = Builtin(fun)
        public = f"{__name__.partition(_PRIVATE)[0]}{module[5:]}"
        if _PRIVATE in home:
            made.__module__, made.__qualname__ = public, name
        if _PRIVATE in home or home == public:  # else it is a function in Python under another name
            fun.builtin = made
    return made


def known_as(fun):
    """The object under which programs know a function."""
    return getattr(fun, "builtin", fun)
