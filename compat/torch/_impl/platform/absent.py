"""A kind of device that is not here: programs that ask first find out, all else is refused."""


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
