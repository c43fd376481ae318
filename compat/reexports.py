"""Modules that only re-export: rows of a table, and the finder and the loader that make modules of them.

A row is found where a file would lie: the finder is that of the folders of the package, so that imports, `pkgutil` and
`importlib.reload` treat rows as they treat files, and both may stand side by side.
"""

import importlib
import os
import pkgutil
import sys
from dataclasses import KW_ONLY, dataclass, field
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec, SourceFileLoader


@dataclass(frozen=True, slots=True)
class Row:
    """A module that only re-exports.

    Args:
        doc: its docstring, behind the name of the module.
        names: a line `home: name new=old *MAPPING` for each module that it has names from: a name, a name under
            another one, all of a mapping. A home is the path of a module below the package; a line without one goes on.
        later: the same, for homes that are imported when one of these names is first asked for.
        exported: the names of `__all__`, "*" among them for the public ones of `names` and `later`; without it there is
            no `__all__`.
        values: names that are constants.
        package: whether files are below it; where rows are it is one anyway.
    """

    doc: str
    names: str = ""
    _: KW_ONLY
    later: str = ""
    exported: str | None = None
    values: dict = field(default_factory=dict)
    package: bool = False

    def all(self):
        """`__all__`, or None."""
        if self.exported is None:
            return None
        every = [new for _, new, _ in entries(f"{self.names} {self.later}") if new and new[0] != "_"]
        return sorted({name for word in self.exported.split() for name in (every if word == "*" else (word,))})


def homes(text):
    """Home -> the words behind it, of the lines of a row."""
    found = {}
    for word in text.split():
        if word.endswith(":"):
            words = found.setdefault(word[:-1].strip("."), [])
        else:
            words.append(word)
    return found


def entries(text):
    """`(home, name here, name there)` of each name in the lines of a row; of a mapping, no name here."""
    for home, words in homes(text).items():
        for word in words:
            new, _, old = word.rpartition("=")
            yield home, None if word[0] == "*" else new or old, old.removeprefix("*")


class Table:
    """The modules of a package that are rows.

    Args:
        package, theirs: its name, and the name of the package that it stands for, which docstrings say.
        table: the module of the table, in the package's `_impl`: its `MODULES` are path below the package -> `Row`. Its
            file is what the modules give as theirs.
        finish: `finish(module, path, row)` is called with each module once it has its names; the row of a file is None.
    """

    def __init__(self, package, theirs, table, finish):
        self.package, self.theirs, self.finish = package, theirs, finish
        self.rows, self.file = table.MODULES, table.__file__
        self.folder = os.path.dirname(os.path.dirname(self.file))
        self.packages = {path.rpartition(".")[0] for path in self.rows}
        self.packages |= {path for path, row in self.rows.items() if row.package}

    def register(self):
        """Let imports find the rows."""
        sys.path_importer_cache.pop(self.folder, None)
        sys.path_hooks.insert(0, self.finder)

    def finder(self, folder):
        """The finder of a folder; the import system asks for it.

        Raises:
            ImportError: for a folder of others, and for those of the implementation, which has no rows.
        """
        inside = folder.removeprefix(self.folder)
        if inside == folder or inside and inside[0] != os.sep or inside.startswith(f"{os.sep}_impl"):
            raise ImportError(f"{folder} is no folder of the public modules of {self.package}")
        return Finder(self, folder, inside.strip(os.sep).replace(os.sep, "."))

    def below(self, path):
        """The names of the rows right below a path, and whether each is a package."""
        start = path and f"{path}."
        names = {row.removeprefix(start): row in self.packages for row in self.rows if row.startswith(start)}
        return {name: package for name, package in names.items() if "." not in name}

    def doc(self, path):
        """The docstring of a row."""
        doc = self.rows[path].doc
        return f"{self.theirs}.{path}{'' if doc[:1] in ',.' else ': '}{doc or '.'}"

    def place(self, path):
        """The path that the file of a row would have, without its suffix."""
        return path.replace(".", "/") + "/__init__" * (path in self.packages)

    def source(self, path):
        """The text of a file that would re-export the names of a row: for type checkers and editors."""
        row, dots = self.rows[path], "." * (path.count(".") + 1 + (path in self.packages))
        lines = [f'"""{self.doc(path)}"""', "", "from typing import Any", ""]
        lines += [f"from {dots}{home} import {old} as {new}" for home, new, old in entries(f"{row.names} {row.later}")
                  if new is not None]
        loaded = [home.rpartition(".") for home, words in homes(row.names).items() if not words]
        lines += [f"from {dots}{above} import {name} as __loaded" for above, _, name in loaded]
        lines += [f"from . import {name} as {name}" for name in self.below(path)]
        lines += [f"{name}: {'None' if value is None else type(value).__name__}" for name, value in row.values.items()]
        if row.exported is not None:
            lines.append(f"__all__ = {row.all()!r}")
        return "\n".join([*lines, "", "def __getattr__(name: str) -> Any: ...", ""])


class Finder:
    """Finds the modules of a folder: rows, and files as ever."""

    def __init__(self, table, folder, inside):
        self.table, self.folder, self.inside = table, folder, inside
        hooks = [hook for hook in sys.path_hooks if hook != table.finder] if os.path.isdir(folder) else []
        self.files = next(filter(None, (_importer(hook, folder) for hook in hooks)), None)

    def find_spec(self, name, target=None):
        """The spec of a module; None where there is none."""
        path = name.removeprefix(f"{self.table.package}.")
        if path not in self.table.rows:
            spec = None if self.files is None else self.files.find_spec(name, target)
            if spec is not None and type(spec.loader) is SourceFileLoader:
                spec.loader = FileLoader(self.table, path, spec.loader)
            return spec
        loader = Loader(self.table, path)
        spec = ModuleSpec(name, loader, origin=self.table.file, is_package=loader.is_package(name))
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.join(self.folder, path.rpartition(".")[2]))
        return spec

    def invalidate_caches(self):
        """Let the folder be looked at anew."""
        if self.files is not None:
            self.files.invalidate_caches()

    def iter_modules(self, prefix=""):
        """`(name, whether it is a package)` of each module, for `pkgutil`."""
        found = dict(() if self.files is None else pkgutil.iter_importer_modules(self.files))
        found |= self.table.below(self.inside)
        return [(prefix + name, found[name]) for name in sorted(found)]


def _importer(hook, folder):
    """The finder that a hook gives for a folder, or None."""
    try:
        return hook(folder)
    except ImportError:
        return None


class FileLoader(SourceFileLoader):
    """Makes a module of a file, which may then be asked for names that it does not hold, as a row may."""

    def __init__(self, table, path, loader):
        super().__init__(loader.name, loader.path)
        self.table, self.below = table, path

    def exec_module(self, module):
        """Run the file."""
        super().exec_module(module)
        self.table.finish(module, self.below, None)


class Loader(InspectLoader):
    """Makes a module of a row."""

    def __init__(self, table, path):
        self.table, self.path = table, path

    def exec_module(self, module):
        """Import the homes of the names, and take them from there."""
        row, room = self.table.rows[self.path], vars(module)
        room["__doc__"] = self.table.doc(self.path)
        for home in homes(row.names):  # all of them before the first name: an import gives its parent a name, too
            importlib.import_module(f"{self.table.package}.{home}".rstrip("."))
        for home, new, old in entries(row.names):
            found = getattr(sys.modules[f"{self.table.package}.{home}".rstrip(".")], old)
            room.update(found if new is None else {new: found})
        room.update(row.values)
        if row.exported is not None:
            room["__all__"] = row.all()
        self.table.finish(module, self.path, row)

    def get_source(self, fullname):
        """The text of a file that would re-export the names."""
        return self.table.source(self.path)

    def is_package(self, fullname):
        """Tell whether other modules are below this one."""
        return self.path in self.table.packages
