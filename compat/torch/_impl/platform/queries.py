"""Functions by which programs ask for parts of PyTorch that are not here, or mark what those would use."""

from contextlib import contextmanager


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


# Switches of a backend that is not here: attributes of its module, which change nothing.


def flags_of(module):
    """The function `flags` of a backend's module: a context in which some of its switches are others.

    Args:
        module: its namespace, in which the switches are.
    """
    switches = [name for name, value in module.items() if not name.startswith("_") and not callable(value)]

    @contextmanager
    def flags(**names):
        """A context in which some switches are others; they change nothing here."""
        for name in names:
            if name not in switches:
                raise TypeError(f"flags() got an unexpected keyword argument {name!r}; it takes {', '.join(switches)}")
        before = {name: module[name] for name in names}
        module.update(names)
        try:
            yield
        finally:
            module.update(before)

    flags.__module__, flags.__qualname__ = module["__name__"], "flags"
    return flags


# A kind of device that is not here: programs that ask first find out, all else is refused.


def refusing(name, kind, message):
    """A function that raises."""

    def refuse(*args, **kwargs):
        raise kind(f"{name}(): {message}")

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.__doc__ = "Refused: there is no such device."
    return refuse


def class_without_objects(name, kind, message):
    """A class whose call raises: programs write it in annotations, and ask `isinstance`, which is False."""

    def __new__(cls, *args, **kwargs):  # noqa: N807
        raise kind(f"{name}(): {message}")

    module, _, word = name.rpartition(".")
    return type(word, (), {"__new__": __new__, "__module__": module, "__doc__": "Refused: there is no such device."})


def answering(name, answer, doc):
    """A function that gives one value."""

    def answer_always(*args, **kwargs):
        return answer() if callable(answer) else answer

    answer_always.__name__ = answer_always.__qualname__ = name
    answer_always.__doc__ = doc
    return answer_always


def without_device(module, kind, message, refused, lacks=""):
    """The functions of a device's module, by name.

    Args:
        module: `torch.cuda`; kind, message: what its refusals raise; refused: names of what needs a device;
            lacks: names that PyTorch's module of other devices has, and this one has not.
    """
    zero = "memory_allocated max_memory_allocated memory_reserved max_memory_reserved device_count"
    quiet = "empty_cache manual_seed manual_seed_all seed seed_all ipc_collect"
    room = {name: answering(name, 0, "0: there is no such device.") for name in zero.split()}
    room |= {name: answering(name, None, "Nothing: there is no such device.") for name in quiet.split()}
    room |= {name: answering(name, False, "False: there is no such device.")
             for name in ("is_available", "is_initialized", "is_bf16_supported")}
    room |= {name: (class_without_objects if name[0].isupper() else refusing)(f"{module}.{name}", kind, message)
             for name in refused.split()}
    return {name: fun for name, fun in room.items() if name not in lacks.split()}


MESSAGE = "Torch not compiled with {} enabled: tensors of covector.compat.torch live on the CPU; use device='cpu'"
MPS = without_device(
    "torch.mps", AssertionError, MESSAGE.format("MPS"), "synchronize Event get_rng_state set_rng_state",
    "memory_allocated max_memory_allocated memory_reserved max_memory_reserved manual_seed_all seed_all "
    "ipc_collect is_initialized is_bf16_supported")
XPU = without_device(
    "torch.xpu", AssertionError, MESSAGE.format("XPU"),
    "current_device set_device synchronize current_stream Stream Event get_rng_state set_rng_state", "ipc_collect")
