"""`import torch` answered by covector.compat.torch: a finder in front of the others, and the names it gives."""

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

from ..types.tensor_type import Tensor

OURS = __name__.partition("._impl.")[0]
THEIRS = "torch"


def install():
    """Let `import torch`, and of every submodule, give covector.compat.torch from now on in this process.

    Programs and libraries that were written for PyTorch then run on covector unchanged. Call it before they are
    imported; calling it again does nothing. `python -m covector.compat.torch script.py` runs a script so.

    Raises:
        RuntimeError: PyTorch itself is imported already: objects of both would meet.

    >>> import covector.compat.torch
    >>> covector.compat.torch.install()  # doctest: +SKIP
    >>> import torch  # doctest: +SKIP
    >>> torch.__name__, torch.__spec__.name  # doctest: +SKIP
    ('torch', 'covector.compat.torch')
    """
    loaded = sys.modules.get(THEIRS)
    if loaded is not None and loaded is not sys.modules[OURS]:
        raise RuntimeError(
            f"PyTorch itself is imported in this process already (from {getattr(loaded, '__file__', None)}), and its "
            "tensors cannot be mixed with those of covector.compat.torch; call install() before anything imports "
            "torch, or import covector.compat.torch under a name of its own")
    if loaded is not None:
        return
    for name, module in list(sys.modules.items()):
        if (name == OURS or name.startswith(f"{OURS}.")) and not name.startswith(f"{OURS}._impl"):
            sys.modules[THEIRS + name[len(OURS) :]] = module
            module.__name__ = THEIRS + name[len(OURS) :]  # libraries compare it
    sys.meta_path.insert(0, Finder())
    Tensor.__module__ = THEIRS  # libraries tell arrays apart by it


class Finder(MetaPathFinder):
    """Finds torch and what is below it as the modules of covector.compat.torch."""

    def find_spec(self, name, path=None, target=None):
        """The spec of a module of torch; None for any other."""
        if name != THEIRS and not name.startswith(f"{THEIRS}."):
            return None
        ours = OURS + name[len(THEIRS) :]
        if ours.startswith(f"{OURS}._impl") or not exists(ours):
            raise ModuleNotFoundError(
                f"No module named {name!r}: covector.compat.torch, which stands for torch in this process (install() "
                "was called), does not have it; docs/compat_gaps.md says what to use instead", name=name)
        return ModuleSpec(name, Alias(ours), is_package=hasattr(importlib.import_module(ours), "__path__"))


class Alias(Loader):
    """Gives a module of ours, as it is, under another name."""

    def __init__(self, ours):
        self.ours = ours

    def create_module(self, spec):
        """The module of ours; what its own import noted of it is kept."""
        module = importlib.import_module(self.ours)
        self.spec = module.__spec__
        return module

    def exec_module(self, module):
        """Nothing is run: it is imported."""
        module.__spec__ = self.spec
        module.__name__ = THEIRS + self.ours[len(OURS) :]


def exists(name):
    """Whether there is a module of a name."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and name.startswith(error.name):
            return False
        raise
    return True
