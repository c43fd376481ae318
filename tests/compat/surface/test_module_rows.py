"""Modules that are rows of a table: found, listed, read, pickled and patched as files are."""

import importlib
import inspect
import io
import pickle
import pkgutil
import pydoc
import subprocess
import sys
import types
from unittest import mock

import pytest

import covector.compat.torch as torch
from covector.compat.reexports import entries, homes
from covector.compat.torch._impl.module_loader import TABLE

ROOT = torch.__name__
ROWS = TABLE.rows


def run(code):
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("path", ROWS)
def test_a_module_has_the_names_of_its_row(path):
    module = importlib.import_module(f"{ROOT}.{path}")
    assert module.__name__ == f"{ROOT}.{path}" and module.__doc__ == TABLE.doc(path)
    assert module.__spec__.name == module.__name__ and module.__file__ == TABLE.file
    assert hasattr(module, "__path__") == (path in TABLE.packages)
    for home, new, old in entries(f"{ROWS[path].names} {ROWS[path].later}"):
        found = getattr(importlib.import_module(f"{ROOT}.{home}".rstrip(".")), old)
        named = found if new is None else {new: found}
        assert {name: getattr(module, name) for name in named}.items() == named.items()
        assert set(named) <= set(dir(module))
    names = {}
    exec(f"from {module.__name__} import *", names)
    assert set(ROWS[path].all() or ()) <= set(names)


@pytest.mark.parametrize("path", ROWS)
def test_the_text_for_type_checkers_says_what_the_module_has(path):
    names = {"__name__": f"{ROOT}.{path}", "__package__": f"{ROOT}.{path}" if path in TABLE.packages else
             f"{ROOT}.{path}".rpartition(".")[0]}
    exec(TABLE.source(path), names)
    module = importlib.import_module(f"{ROOT}.{path}")
    for name in [n for n in names if n == "__all__" or n[:2] != "__" and n != "Any"]:
        assert names[name] is getattr(module, name) or names[name] == getattr(module, name), name


def test_packages_list_rows_and_files():
    found = {m.name: m.ispkg for m in pkgutil.walk_packages(torch.optim.__path__, "")}
    assert found["adam"] is found["swa_utils"] is False
    above = {m.name: m.ispkg for m in pkgutil.iter_modules(torch.__path__, "torch.")}
    assert above["torch.optim"] and above["torch.cuda"] and not above["torch.linalg"]
    every = {m.name for m in pkgutil.walk_packages(torch.__path__, f"{ROOT}.", onerror=print) if "._impl" not in m.name}
    assert {f"{ROOT}.{path}" for path in ROWS} <= every


def test_attributes_import_what_is_below():
    assert run("import covector.compat.torch as torch, sys\n"
               "print('covector.compat.torch.optim' in sys.modules, torch.optim.adam.Adam is torch.optim.Adam,"
               " hasattr(torch, 'nope'), hasattr(torch.optim, 'nope'), torch.hub.__name__)") == (
        "False True False False covector.compat.torch.hub")


def test_a_module_is_made_again():
    module = importlib.import_module(f"{ROOT}.optim.adam")
    kept, module.Adam = module.Adam, None
    assert importlib.reload(module) is module and module.Adam is kept
    assert kept.__module__ == f"{ROOT}.optim.adam"


def test_names_can_be_patched():
    with mock.patch(f"{ROOT}.fft.fft", return_value=1), mock.patch(f"{ROOT}.nn.Bilinear", 2):
        assert (torch.fft.fft(), torch.nn.Bilinear) == (1, 2)
    assert torch.fft.fft(torch.ones(2)).tolist() == [2, 0] and torch.nn.Bilinear is torch.nn.modules.linear.Bilinear


def test_a_module_runs_and_can_be_read():
    done = subprocess.run([sys.executable, "-P", "-m", f"{ROOT}.quasirandom"], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "from .._impl.optim.adam import Adam as Adam" in torch.optim.adam.__loader__.get_source("")
    assert '"optim.adam": Row(' in inspect.getsource(torch.optim.adam)
    shown = io.StringIO()
    pydoc.Helper(output=shown)(torch.optim.adam)
    assert "Adam, and its step as a function" in shown.getvalue()


def test_an_error_names_the_module_and_the_attribute():
    with pytest.raises(AttributeError, match=r"^module 'torch.optim.adam' has no attribute 'nope'$"):
        _ = torch.optim.adam.nope
    with pytest.raises(ImportError, match="cannot import name 'nope'"):
        exec(f"from {ROOT}.optim.adam import nope")
    with pytest.raises(ModuleNotFoundError, match=rf"^No module named '{ROOT}.optim.nope'$"):
        importlib.import_module(f"{ROOT}.optim.nope")


def test_what_a_row_publishes_is_reached_through_it():
    """Else the module that a class says would be the one that happens to be imported first."""
    publishers = {(home, old): path for path, row in ROWS.items() if row.published
                  for home, new, old in entries(row.names) if new and new[0] != "_" and home.startswith("_impl.")}
    around = [f"{path}: {home}.{old}" for path, row in ROWS.items()
              for home, new, old in entries(f"{row.names} {row.later}")
              if (at := publishers.get((home, old), path)) != path and not path.startswith(f"{at}.") and new[0] != "_"]
    assert around == ["nn: _impl.types.parameter.Parameter"]  # which says its module itself


def test_no_name_that_waits_is_a_module_below():
    """An import of that module would take the name."""
    assert [f"{path}.{new}" for path, row in ROWS.items() for _, new, _ in entries(row.later)
            if importlib.util.find_spec(f"{ROOT}.{path}").submodule_search_locations
            and importlib.util.find_spec(f"{ROOT}.{path}.{new}")] == []


@pytest.mark.parametrize("path", ["optim.Adam", "nn.Linear", "utils.data.DataLoader", "no_grad", "func.vmap"])
def test_a_pickle_loads_where_nothing_is_imported(path):
    value = torch
    for name in path.split("."):
        value = getattr(value, name)
    assert run(f"import pickle; print(pickle.loads({pickle.dumps(value)!r}).__name__)") == value.__name__


def test_homes_are_the_lines_of_a_row():
    assert homes("a.b: x y=z\n    w\n .: v\n c:") == {"a.b": ["x", "y=z", "w"], "": ["v"], "c": []}
    assert list(entries("a: x y=z *W")) == [("a", "x", "x"), ("a", "y", "z"), ("a", None, "W")]
    assert isinstance(torch.optim, types.ModuleType)
