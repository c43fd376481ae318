"""The public surface: each name has one home, a docstring with an example, and an entry in the reference."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import pytest

import covector

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "api"
# The public namespaces; their pages in docs/api have the same names.
NAMESPACES = sorted(path.stem for path in PAGES.glob("covector*.md"))
ENTRY = re.compile(r"^\.\. (?:auto\w+|py:data):: (covector[\w.]*)\.(\w+)", re.MULTILINE)
# The NumPy namespaces carry NumPy's documentation; their pages list names.
LISTED = re.compile(r"`(\w+)`(?=,|$)", re.MULTILINE)


def test_the_version_is_that_of_the_project_file():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert covector.__version__ == project["version"]


def test_no_layer_is_an_attribute_of_the_package():
    code = "import covector, covector.compat.torch, covector.testing; print(*dir(covector))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert not {"core", "transforms", "backends"} & set(done.stdout.split())


def test_help_shows_plain_signatures():
    assert str(inspect.signature(covector.numpy.sum)).startswith("(a, axis=None, dtype=None, out=None, keepdims=")
    assert str(inspect.signature(covector.nn.relu)) == "(x: Array) -> Array"
    assert str(inspect.signature(covector.random.normal)).startswith("(key: ")


def public_names(namespace):
    """`__all__`, or what a module defines without an underscore or imports under its own name (`x as x`, PEP 484)."""
    module = importlib.import_module(namespace)
    names = getattr(module, "__all__", None) or defined_names(Path(inspect.getfile(module)))
    return {name: getattr(module, name) for name in names if not isinstance(getattr(module, name), types.ModuleType)}


def defined_names(path):
    names = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names += [alias.name for alias in node.names if alias.asname == alias.name]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [leaf.id for target in node.targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name)]
    return [name for name in names if not name.startswith("_")]


def is_ours(thing, namespace):
    home = namespace if namespace in SECOND else "covector"
    return callable(thing) and str(getattr(thing, "__module__", "")).startswith(home)


# Second names, those of another library, for what has its home elsewhere.
SECOND = {"covector.lax"}
DISTRIBUTIONS = "covector.scipy.stats"  # whose page lists names, too
SURFACE = [(namespace, name) for namespace in NAMESPACES for name in sorted(public_names(namespace))]
OURS = [(namespace, name) for namespace, name in SURFACE
        if is_ours(getattr(importlib.import_module(namespace), name), namespace)]


def test_every_public_module_has_a_page():
    root = importlib.import_module("covector")
    below = {f"covector.{name}" for name, thing in vars(root).items() if isinstance(thing, types.ModuleType)}
    layers = {f"covector.{name}" for name in ("core", "transforms", "backends", "compat")}
    public = {name for name in below - layers if not name.rpartition(".")[2].startswith("_")}
    assert {"covector", *public} <= set(NAMESPACES)


def test_each_name_has_one_home():
    homes = {}
    for namespace, name in OURS:
        thing = getattr(importlib.import_module(namespace), name)
        homes.setdefault(id(thing), set()).add(namespace)
    shared = sorted(
        f"{name}: {', '.join(sorted(homes[id(getattr(importlib.import_module(namespace), name))]))}"
        for namespace, name in OURS
        if len(homes[id(getattr(importlib.import_module(namespace), name))]) > 1
    )
    assert shared == []


def docstrings():
    """Each public thing of ours by its full name, and its docstring."""
    for namespace, name in OURS:
        thing = getattr(importlib.import_module(namespace), name)
        yield f"{namespace}.{name}", thing, inspect.getdoc(thing) or ""


def test_docstring_says_what_it_does_by_example():
    assert [name for name, _, doc in docstrings() if not doc.strip()] == [], "no docstring"
    opening = ("This function", "Returns ", "A function")
    assert [name for name, _, doc in docstrings() if doc.startswith(opening)] == [], "they start with the imperative"
    bare = [name for name, thing, doc in docstrings() if not inspect.isclass(thing) and ">>>" not in doc]
    assert bare == [], "no example"


def test_docstring_says_what_goes_in_and_what_comes_out():
    functions = [(name, inspect.signature(f), doc) for name, f, doc in docstrings() if inspect.isfunction(f)]
    silent = [name for name, signature, doc in functions if signature.parameters and "\nArgs:\n" not in doc]
    assert silent == [], "nothing of the arguments"
    silent = [name for name, signature, doc in functions
              if signature.return_annotation not in (None, "None") and "\nReturns:\n" not in doc]
    assert silent == [], "nothing of the result"


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_reference_lists_every_name_once(namespace):
    text = (PAGES / f"{namespace}.md").read_text(encoding="utf-8")
    as_in_numpy = namespace.startswith("covector.numpy")
    entries = [name for home, name in ENTRY.findall(text) if home == namespace]
    also_lists = namespace in {*SECOND, DISTRIBUTIONS}
    entries = LISTED.findall(text) if as_in_numpy else entries + LISTED.findall(text) * also_lists
    public = set(public_names(namespace))
    assert sorted(set(entries)) == sorted(entries)
    assert sorted(public - set(entries)) == [], "not in the reference"
    assert sorted(set(entries) - public) == [], "in the reference, but not public"


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_public_functions_are_annotated(namespace):
    bare = []
    for home, name in OURS:
        thing = getattr(importlib.import_module(home), name)
        if home == namespace and inspect.isfunction(thing):
            signature = inspect.signature(thing)
            hints = [p.annotation for p in signature.parameters.values()] + [signature.return_annotation]
            if any(hint is inspect.Signature.empty for hint in hints):
                bare.append(name)
    assert bare == []


# Modules that `import covector` shows, beside the names of the reference: the public ones, and no layer.
MODULES = {
    "compat", "debug", "distributed", "extend", "lax", "nn", "numpy", "ops", "optimizers", "random", "scipy",
    "testing", "tree",
}
LOADED_LATER = {"compat"}  # when it is first imported


def test_package_shows_its_public_names_alone():
    code = "import covector; print(*[n for n in dir(covector) if not n.startswith('_')])"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert set(done.stdout.split()) == set(public_names("covector")) | MODULES - LOADED_LATER
