"""Names that programs import from parts of PyTorch that are not implemented: their use is refused."""

import functools

from .unbuilt import unbuilt


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
