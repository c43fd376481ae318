"""Writes the list of PyTorch's names that are not implemented: `python tests/compat/unbuilt.py`, with PyTorch."""

import importlib
import inspect
import pkgutil
import sys
import textwrap
import warnings
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "compat" / "torch" / "_impl" / "dispatch" / "unbuilt_names.py"
COMPAT = "covector.compat.torch"


def modules():
    """The public modules below torch that are there, but for those that stand for packages of others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = [found.name.removeprefix(f"{COMPAT}.") for found in pkgutil.walk_packages(
            importlib.import_module(COMPAT).__path__, f"{COMPAT}.")]
    return sorted(name for name in names if not any(
        part.startswith("_") or part in ("safetensors", "tensorboard") for part in name.split(".")))


HEAD = '''"""The names of PyTorch's public namespace that are not implemented; tests/compat/unbuilt.py writes them."""

# The part of the name up to the module, then those of the module.
NAMES = """\\
'''


def public(module):
    """The public names of a module of PyTorch that are PyTorch's own."""
    listed = getattr(module, "__all__", None)
    names = {name for name in dir(module) if inspect.ismodule(getattr(module, name, None))}
    names.update(dir(module) if listed is None or module.__name__ == "torch" else listed)
    for name in names:
        value = getattr(module, name, None)
        if inspect.ismodule(value):
            own = value.__name__ == f"{module.__name__}.{name}" or name in (listed or ())
        else:
            home = str(getattr(value, "__module__", None) or "torch")
            of_c = home.startswith("torch._C") and inspect.isclass(value) and name not in (listed or ())
            by_the_way = name not in (listed or name) and type(value) in (bool, tuple)
            own = home.startswith("torch") and not of_c and not by_the_way
        if own and value is not None and name.isidentifier() and not name.startswith("_"):
            yield name


def found(theirs, ours):
    """`{module: names}` of what theirs has and ours has not."""
    missing = {}
    for part in ("", *modules()):
        try:
            warnings.simplefilter("ignore")
            module = importlib.import_module(".".join([theirs.__name__, *[part] * bool(part)]))
        except ImportError:
            continue
        here = ours
        try:
            here = importlib.import_module(".".join([ours.__name__, *[part] * bool(part)]))
        except ImportError:
            here = None
        if here is None:
            continue  # the module itself is among the names of the one above
        absent = sorted(name for name in public(module) if not has(here, name))
        if absent:
            missing[part] = absent
    return missing


def has(module, name):
    """Whether a module has a name, without asking what it would say of one that it does not have."""
    try:
        getattr(module, name)
    except AttributeError:
        return False
    return True


def text(missing):
    """The file."""
    lines = []
    for part, names in missing.items():
        lines += textwrap.wrap(f"{part or '-'}: {' '.join(names)}", 110, subsequent_indent="    ",
                               break_on_hyphens=False, break_long_words=False)
    return HEAD + "\n".join(lines) + '\n"""\n'


if __name__ == "__main__":
    import torch

    import covector.compat.torch as compat

    PATH.write_text(text(found(torch, compat)), encoding="utf-8")
    sys.stdout.write(f"{PATH}\n")
