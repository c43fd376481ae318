"""Functions by which programs ask for parts of PyTorch that are not here, or mark what those would use."""


def is_available():
    """False: it is not here."""
    return False


def is_built():
    """False: it is not here."""
    return False


def is_here():
    """True: covector needs it."""
    return True


def get_cpu_capability():
    """"DEFAULT", PyTorch's word for kernels that are written for no instruction set: NumPy chooses its own."""
    return "DEFAULT"


def is_compile_supported(device_type):
    """False: nothing is compiled, on no device."""
    return False


def get_proxy_mode():
    """None: nothing is being traced."""
    return None


def is_fake(x):
    """False: no tensor is."""
    return False


def is_traceable_wrapper_subclass(t):
    """False: no subclass wraps tensors by `__tensor_flatten__`."""
    return False


def is_masked_tensor(obj, /):
    """False: there are no `MaskedTensor`s here; the functions of torch.masked take masks."""
    return False


def is_in_onnx_export():
    """False: no model is being exported.

    >>> import covector.compat.torch as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return False


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """Nothing: only an export would ask for it, and `export` is refused."""


def parse_args(*arg_descriptors):
    """A decorator that returns functions as they are: it describes operations to an export."""
    return lambda fn: fn


def functional_datapipe(name, enable_df_api_tracing=False):
    """A decorator of classes of pipes, which it leaves as they are: there are no pipes to call them by name."""
    return lambda cls: cls


def reset():
    """Nothing: nothing was compiled."""


def cudagraph_mark_step_begin():
    """Nothing: there are no graphs of a device."""
