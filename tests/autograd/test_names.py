"""Each public name of autograd is in the module of the same name here, or its error names it and says what to use."""

import importlib
import pkgutil
import types

import pytest

from covector.compat.autograd._impl.module_loader import TABLE
from covector.compat.reexports import entries

OURS = "covector.compat.autograd"


def public_names(module):
    """What a module defines, or imports from another module of the same package."""
    package = module.__name__.partition(".")[0]
    return [name for name, value in vars(module).items()
            if name[:1] != "_" and not isinstance(value, types.ModuleType)
            and (getattr(value, "__module__", None) or package).partition(".")[0] == package]


def modules(package):
    return [package.__name__, *[info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]]


@pytest.mark.reference
def test_every_name_of_autograd_is_here_or_named_by_its_error():
    autograd = pytest.importorskip("autograd", reason="needs the `reference` extra: pip install -e '.[reference]'")
    lost = []
    for name in modules(autograd):
        theirs = importlib.import_module(name)
        ours = importlib.import_module(OURS + name.removeprefix("autograd"))
        for word in public_names(theirs):
            try:
                getattr(ours, word)
            except AttributeError as error:
                if f"{name}.{word}" not in str(error):
                    lost.append(f"{name}.{word}")
    assert lost == []


@pytest.mark.parametrize(("module", "name"), [
    ("core", "backward_pass"), ("tracer", "Node"), ("extend", "JVPNode"), ("numpy.numpy_vjps", "grad_np_sum"),
    ("misc.tracers", "full_graph")])
def test_a_name_that_is_not_here_says_so(module, name):
    with pytest.raises(AttributeError, match=rf"covector.compat.autograd has no autograd.{module}.{name}: "):
        getattr(importlib.import_module(f"{OURS}.{module}"), name)


def test_a_name_that_nobody_has():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'; of autograd.core.nonsense"):
        importlib.import_module(f"{OURS}.core").nonsense


@pytest.mark.parametrize("path", TABLE.rows)
def test_a_module_that_is_a_row_has_its_names(path):
    module, row = importlib.import_module(f"{OURS}.{path}"), TABLE.rows[path]
    assert (module.__name__, module.__doc__, module.__file__) == (f"{OURS}.{path}", TABLE.doc(path), TABLE.file)
    for home, new, old in entries(row.names):
        found = getattr(importlib.import_module(f"{OURS}.{home}"), old)
        assert vars(module).items() >= (found if new is None else {new: found}).items()
    for name in " ".join(row.advice).split():
        with pytest.raises(AttributeError, match=f"has no autograd.{path}.{name}: "):
            getattr(module, name)
    exec(TABLE.source(path), {"__package__": f"{OURS}.{path}" if path in TABLE.packages else module.__package__})


def test_packages_list_rows_and_files():
    found = modules(importlib.import_module(OURS))
    assert {f"{OURS}.{path}" for path in [*TABLE.rows, "scipy.linalg", "numpy.numpy_wrapper"]} <= set(found)
