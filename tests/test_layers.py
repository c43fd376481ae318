"""The layers: who may import whom, and the shape of files and packages that keeps it so."""

import ast
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("core", "transforms", "backends", "api", "compat")

# layer -> the layers it may import from, itself aside. Nothing imports compat, and compat sees
# public names alone. api names what core and transforms define; it imports backends once.
ALLOWED = {
    "core": set(),
    "transforms": {"core"},
    "backends": {"core"},
    "api": {"transforms", "core", "backends"},
    "compat": {"api"},
}
UNNAMED = {"utils", "util", "common", "helpers", "misc", "base", "part1", "part2"}  # say nothing of what they hold
MAX_LINES, MAX_LINES_TABLE = 400, 600


def layer_of(module):
    """The layer of a dotted module name; `covector` and `covector.numpy` are api."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in FOLDERS and parts[1] != "api" else "api"


@cache
def modules():
    """Dotted module name -> its file, for every Python file of the library."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = list(path.relative_to(ROOT).with_suffix("").parts)
            parts = (["covector"] if folder == "api" else ["covector", folder]) + parts[1:]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    assert len(found) > len(FOLDERS)
    return found


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def targets(module, node, known):
    """The library modules that one import statement of `module` names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names if alias.name.split(".")[0] == "covector"}
    if node.level:
        package = module if known[module].name == "__init__.py" else module.rpartition(".")[0]
        package = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
        source = f"{package}.{node.module}" if node.module else package
    else:
        source = node.module
    if source.split(".")[0] != "covector":
        return set()
    return {f"{source}.{a.name}" if f"{source}.{a.name}" in known else source for a in node.names}


def imports(known):
    """Every import statement of library modules: (importer, statement, imported module)."""
    for module, path in known.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for target in targets(module, node, known):
                    yield module, node, target


def wrong_arrows(known):
    return sorted(
        f"{module} line {node.lineno} imports {target}: {layer_of(module)} may not import {layer_of(target)}"
        for module, node, target in imports(known)
        if layer_of(target) != layer_of(module) and layer_of(target) not in ALLOWED[layer_of(module)]
    )


def cycles(known):
    """The import cycles, each as a chain of modules."""
    edges = {module: set() for module in known}
    for module, _, target in imports(known):
        if target != module:
            edges[module].add(target)
    found, done, active = [], set(), []

    def visit(module):
        if module in active:
            found.append(" → ".join([*active[active.index(module) :], module]))
        elif module not in done:
            active.append(module)
            for target in sorted(edges.get(module, ())):
                visit(target)
            done.add(active.pop())

    for module in known:
        visit(module)
    return sorted(set(found))


def local_imports(path):
    """The import statements inside functions, and calls of import_module or __import__ there."""
    found = []
    for function in ast.walk(tree(path)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                called = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else None
                if isinstance(node, ast.Import | ast.ImportFrom) or called in ("import_module", "__import__"):
                    found.append(node)
    return found


def planted(tmp_path, **sources):
    """A library of files with the given sources, as `modules` returns it."""
    found = {}
    for name, source in sources.items():
        module = "covector." + name.replace("__", ".")
        found[module] = tmp_path / f"{name}.py"
        found[module].write_text(source)
    return found


def test_imports_follow_the_arrows_only():
    assert wrong_arrows(modules()) == []


def test_wrong_arrow_is_noticed(tmp_path):
    known = planted(tmp_path, core__aval="from ..transforms.reverse import grad", transforms__reverse="")
    assert wrong_arrows(known) == [
        "covector.core.aval line 1 imports covector.transforms.reverse: core may not import transforms"
    ]


def test_no_import_cycle():
    assert cycles(modules()) == []


def test_cycle_is_noticed(tmp_path):
    known = planted(tmp_path, core__a="from . import b", core__b="from .a import x")
    assert cycles(known) == ["covector.core.a → covector.core.b → covector.core.a"]


def test_one_module_of_api_imports_backends():
    importers = {module for module, _, target in imports(modules()) if layer_of(target) == "backends"}
    assert {module for module in importers if layer_of(module) == "api"} == {"covector"}


@pytest.mark.parametrize("module", [m for m in modules() if not m.endswith("__main__")])
def test_no_import_inside_a_function(module):
    found = local_imports(modules()[module])
    if layer_of(module) == "backends":  # the one line that loads the backend's library
        found = [node for node in found if "covector" in ast.unparse(node) or getattr(node, "level", 0)] or found[1:]
    assert not found, [f"line {node.lineno}: {ast.unparse(node)}" for node in found]


def test_import_inside_a_function_is_noticed(tmp_path):
    path = planted(tmp_path, core__a="def f():\n    from .b import x\n    return x\n")["covector.core.a"]
    assert len(local_imports(path)) == 1


@pytest.mark.parametrize("module", modules())
def test_library_imports_itself_relatively(module):
    absolute = [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree(modules()[module]))
        if (isinstance(node, ast.Import) and any(a.name.split(".")[0] in ("covector", *FOLDERS) for a in node.names))
        or (isinstance(node, ast.ImportFrom) and not node.level and node.module.split(".")[0] in ("covector", *FOLDERS))
    ]
    assert not absolute


def test_tests_import_covector_never_relatively():
    relative = [
        f"{path.relative_to(ROOT)} line {node.lineno}"
        for folder in ("tests", "examples", "benchmarks")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


@pytest.mark.parametrize("module", modules())
def test_file_is_short_and_says_what_it_owns(module):
    path = modules()[module]
    tables = ROOT / "core" / "ops", ROOT / "compat" / "torch" / "_impl" / "ops"  # primitives, and rows of operations
    limit = MAX_LINES_TABLE if any(path.is_relative_to(t) for t in tables) else MAX_LINES
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= limit
    assert path.stem not in UNNAMED
    assert ast.get_docstring(tree(path)), "the first line says what the file owns"


def test_project_file_lists_exactly_the_packages_on_disk():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    on_disk = {}
    for folder in FOLDERS:
        for path in {p.parent for p in (ROOT / folder).rglob("*.py")}:
            inside = path.relative_to(ROOT).as_posix()
            name = inside.replace("/", ".")
            on_disk["covector" + name.removeprefix("api") if folder == "api" else f"covector.{name}"] = inside
    assert listed["package-dir"] == on_disk
    assert sorted(listed["packages"]) == sorted(on_disk)
    assert not (ROOT / "__init__.py").exists()
    assert not [path for path in on_disk.values() if not (ROOT / path / "__init__.py").exists()]


def test_no_layer_is_loaded_as_a_top_level_module():
    assert not {"core", "transforms", "backends", "compat", "api"} & set(sys.modules)
    names = [name for name in modules() if not name.endswith("__main__") and not name.startswith("covector.compat.")]
    code = (
        f"import importlib, sys\nfor name in {names!r}: importlib.import_module(name)\n"
        "print(sorted({'core', 'transforms', 'backends', 'compat', 'api'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_import_loads_no_optional_library():
    code = (
        "import sys, covector\n"
        "print(sorted({'cupy', 'scipy', 'torch', 'jax', 'ml_dtypes', 'matplotlib', 'hypothesis'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
