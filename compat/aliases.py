"""Modules of covector.compat found under the name of the library they stand for: a finder in front of the others."""

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution


def answer(ours, theirs, private, advice):
    """Let imports of the package `theirs`, and of what is below it, give `ours` from now on; False if they do already.

    `importlib.metadata.version(theirs)` is then `ours.__version__`, if there is one.

    Args:
        ours, theirs: names of packages.
        private: the package below `ours` that is not given.
        advice: what the error for a module that is not there says to do.
    Raises:
        RuntimeError: the other package is imported already.
    """
    loaded = sys.modules.get(theirs)
    if loaded is not None and loaded is not sys.modules.get(ours):
        raise RuntimeError(
            f"{theirs} itself is imported in this process already (from {getattr(loaded, '__file__', None)}), and its "
            f"values cannot be mixed with those of {ours}; call install() before anything imports {theirs}, or import "
            f"{ours} under a name of its own")
    if loaded is not None:
        return False
    for name, module in list(sys.modules.items()):
        if (name == ours or name.startswith(f"{ours}.")) and not name.startswith(private):
            sys.modules[theirs + name[len(ours) :]] = module
            rename(module, theirs + name[len(ours) :])
    sys.meta_path.insert(0, Finder(ours, theirs, private, advice))
    return True


def rename(module, name):
    """Let a module, and the classes that are its own, say the name that it is found under: libraries compare both."""
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            value.__module__ = name
    module.__name__ = name


class Finder(MetaPathFinder):
    """Finds a package and what is below it as the modules of ours."""

    def __init__(self, ours, theirs, private, advice):
        self.ours = ours
        self.theirs = theirs
        self.private = private
        self.advice = advice

    def find_distributions(self, context=None):
        """Yield the metadata of the package for `importlib.metadata`: its name and version."""
        version = getattr(sys.modules.get(self.ours), "__version__", None)
        if version is not None and context is not None and context.name == self.theirs:
            yield Described(f"Metadata-Version: 2.1\nName: {self.theirs}\nVersion: {version}\n")

    def find_spec(self, name, path=None, target=None):
        """The spec of a module of the package, and of one of ours, which is renamed; None for any other."""
        if name.startswith(f"{self.ours}.") and not name.startswith(self.private):
            found = (f.find_spec(name, path, target) for f in sys.meta_path if not isinstance(f, Finder))
            spec = next((s for s in found if s is not None), None)
            if spec is not None and spec.loader is not None:
                spec.loader = Renaming(spec.loader, self.theirs + name[len(self.ours) :])
            return spec
        if name != self.theirs and not name.startswith(f"{self.theirs}."):
            return None
        ours = self.ours + name[len(self.theirs) :]
        if ours.startswith(self.private) or not exists(ours):
            raise ModuleNotFoundError(
                f"No module named {name!r}: {self.ours}, which stands for {self.theirs} in this process (install() was "
                f"called), does not have it; {self.advice}", name=name)
        return ModuleSpec(name, Alias(ours, name), is_package=hasattr(importlib.import_module(ours), "__path__"))


class Described(Distribution):
    """The metadata of a package that is not installed."""

    def __init__(self, text):
        self.text = text

    def read_text(self, filename):
        """The metadata; there is no other file."""
        return self.text if filename == "METADATA" else None

    def locate_file(self, path):
        """Raise FileNotFoundError: the package has no files.

        Raises:
            FileNotFoundError: always.
        """
        raise FileNotFoundError(f"{path}: the package is answered by another one and has no files")


class Renaming(Loader):
    """Loads a module of ours as its own loader does, and renames it."""

    def __init__(self, loader, theirs):
        self.loader = loader
        self.theirs = theirs

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        """The module that the loader makes; None for an ordinary one."""
        return self.loader.create_module(spec)

    def exec_module(self, module):
        """Run it, then let it be found and say so under the other name."""
        self.loader.exec_module(module)
        sys.modules[self.theirs] = module
        rename(module, self.theirs)


class Alias(Loader):
    """Gives a module of ours, as it is, under another name."""

    def __init__(self, ours, theirs):
        self.ours = ours
        self.theirs = theirs

    def create_module(self, spec):
        """The module of ours; what its own import noted of it is kept."""
        module = importlib.import_module(self.ours)
        self.spec = module.__spec__
        return module

    def exec_module(self, module):
        """Nothing is run: it is imported."""
        module.__spec__ = self.spec
        rename(module, self.theirs)


def exists(name):
    """Tell whether there is a module of a name."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and name.startswith(error.name):
            return False
        raise
    return True
