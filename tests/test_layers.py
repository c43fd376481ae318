"""The layers: who may import whom, and the shape of files and packages that keeps it so."""

import ast
import re
import subprocess
import sys
import textwrap
import tomllib
from functools import cache
from pathlib import Path

import pytest

from covector.compat.autograd._impl.module_loader import TABLE as AUTOGRAD
from covector.compat.reexports import homes
from covector.compat.torch._impl.module_loader import TABLE as TORCH

ROOT = Path(__file__).resolve().parent.parent
TABLES = (AUTOGRAD, TORCH)  # of modules that only re-export
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
THEIRS = {("compat", "autograd", "util.py"), ("torch", "_dynamo", "utils.py")}  # names of other libraries
MAX_LINES = 600
MAX_FILES, MAX_SHORT = 948, 29  # files; those of 20 lines or fewer that are no package's face
# How many modules are imported one through another, at most; a package's own `__init__` counts where it is named.
# Layers of torch.nn and distributions stand on all operations (33).
MAX_DEPTH = {"core": 16, "transforms": 24, "api": 28, "compat": 39}
MAX_COMPILER = 18_062  # lines of transforms/compile that are no comments
NAMED, MAX_NAMED = re.compile(r"prim\.name *(?:==|!=|in\b|not in\b)"), 4
# Containers and classes of a module that others fill when they are imported: registries, whose readers ask by name and
# need none of those who fill them. Anything else that another module fills is an import in disguise, and counts as one.
REGISTRIES = {
    "covector.compat.torch._impl.dispatch.call.ROWS": "the operations by name; each file of them adds its own",
    "covector.compat.torch._impl.types.tensor_type.Tensor": "its methods: each file of operations attaches its own",
    "covector.core.trace.tracer.Tracer": "its NumPy methods and operators, attached where they are declared",
    "covector.core.tape.strong_zeros.CHOICES": "operations that rules need before they can be declared",
}
MUTATORS = {"append", "add", "update", "extend", "insert", "setdefault", "set"}
# The folders from the bottom up, each with the folders that it imports from. `~` is compat/torch/_impl.
# `python tests/test_layers.py` prints the table as it is.
ARROWS = """
compat
compat/torch/ao/quantization
compat/torch/distributed/algorithms
compat/torch/distributed/fsdp
compat/torch/distributed/nn
compat/torch/distributed/tensor
compat/torch/nested
compat/torch/signal
core
transforms
compat/torch/ao: compat/torch/ao/quantization
compat/torch/distributed/_composable: compat/torch/distributed/fsdp
compat/torch/distributed/_tensor: compat/torch/distributed/tensor
compat/torch/quantization: compat/torch/ao/quantization
core/arrays: core
backends: core core/arrays
core/trace: core core/arrays
transforms/graph: core core/arrays
transforms/scope: core core/arrays
core/tape: core core/arrays core/trace
transforms/compile/machine: core core/arrays transforms/scope
core/primitive: core core/arrays core/trace core/tape
core/ops: core core/arrays core/trace core/tape core/primitive
transforms/compile/analysis: core transforms/graph core/primitive
core/ops/indexing: core core/arrays core/trace core/tape core/primitive core/ops
core/ops/sparse: core core/arrays core/tape core/primitive core/ops
core/ops/special: core core/arrays core/trace core/tape core/primitive core/ops
transforms/compile/render: core/arrays transforms/compile/analysis
transforms/compile/render/numpy: core core/arrays transforms/graph transforms/scope core/primitive
    transforms/compile/analysis
transforms/ranks: core core/arrays core/trace core/primitive core/ops
core/ops/linalg: core core/arrays core/trace core/tape core/primitive core/ops core/ops/indexing
transforms/arguments: core core/arrays core/trace core/tape core/ops/indexing
transforms/compile/maths: core core/ops/special
transforms/compile/rules: core core/arrays transforms/graph core/primitive core/ops core/ops/indexing
api/tree: core core/arrays core/trace core/ops transforms/arguments
core/numpy_api: core core/arrays core/trace core/primitive core/ops core/ops/indexing core/ops/sparse core/ops/special
    core/ops/linalg
core/ops/nn: core core/arrays core/trace core/tape core/primitive core/ops core/ops/indexing core/ops/linalg
core/ops/scipy: core core/arrays core/trace core/tape core/primitive core/ops core/ops/indexing core/ops/linalg
transforms/compile/loops: core core/arrays transforms/compile/maths
transforms/compile/lower: core core/arrays core/trace transforms/graph transforms/compile/machine core/primitive
    core/ops core/ops/indexing core/ops/linalg transforms/compile/rules transforms/compile/loops
transforms/compile/render/floats: core core/arrays transforms/graph transforms/compile/analysis
    transforms/compile/loops
transforms/compile: core core/arrays transforms/graph transforms/compile/analysis transforms/compile/render
    transforms/compile/render/numpy transforms/compile/rules transforms/compile/lower transforms/compile/render/floats
transforms/compile/render/c: core transforms/graph transforms/compile/maths transforms/compile/loops
    transforms/compile/lower
transforms/compile/render/llvm: core transforms/compile/machine transforms/compile/maths transforms/compile/loops
    transforms/compile/lower
transforms/reverse: core core/arrays core/trace transforms/graph transforms/scope core/tape core/primitive core/ops
    transforms/compile/render transforms/compile/render/numpy transforms/compile/rules transforms/compile/lower
transforms/compile/render/cuda: core transforms/graph transforms/compile/maths transforms/compile/loops
    transforms/compile/lower transforms/compile/render/c
transforms/interpreters: core core/arrays core/trace transforms/graph transforms/scope core/tape core/primitive
    core/ops core/ops/indexing transforms/ranks transforms/arguments transforms/reverse
transforms/collectives: core core/arrays core/trace transforms/scope core/primitive core/ops transforms/ranks
    transforms/arguments core/numpy_api transforms/reverse transforms/interpreters
transforms/staging: core core/arrays core/trace transforms/graph transforms/scope core/tape core/primitive core/ops
    core/ops/indexing transforms/arguments transforms/compile/rules transforms/compile transforms/reverse
    transforms/interpreters
api/numpy: core core/arrays core/trace core/ops core/ops/indexing core/ops/special core/ops/linalg core/numpy_api
    transforms/staging
transforms/compile/call: core core/arrays core/trace transforms/graph transforms/scope core/tape
    transforms/compile/machine core/primitive transforms/compile/analysis transforms/compile/render
    transforms/compile/render/numpy transforms/arguments transforms/compile/loops transforms/compile/lower
    transforms/compile transforms/compile/render/c transforms/compile/render/llvm transforms/reverse
    transforms/compile/render/cuda transforms/interpreters transforms/staging
transforms/control: core core/arrays core/trace transforms/graph transforms/scope core/tape core/primitive core/ops
    core/ops/indexing core/ops/linalg transforms/arguments transforms/reverse transforms/interpreters
    transforms/staging
transforms/custom: core core/arrays core/trace transforms/scope core/tape core/primitive core/ops transforms/arguments
    transforms/reverse transforms/interpreters transforms/staging
transforms/distributed: core core/arrays core/trace transforms/scope core/tape core/ops transforms/ranks
    transforms/arguments transforms/reverse transforms/interpreters transforms/collectives transforms/staging
api/distributed: core transforms/distributed
api/nn: core core/arrays core/trace core/ops core/ops/special core/ops/linalg core/numpy_api core/ops/nn api/numpy
api/optimizers: core core/ops transforms/arguments api/tree transforms/control
api/random: core core/arrays core/trace core/primitive core/ops core/ops/special core/ops/nn transforms/staging
    api/numpy
api/scipy/_solvers: core core/arrays core/trace core/ops/linalg transforms/arguments transforms/interpreters
    transforms/staging api/numpy transforms/custom
api/scipy/fft: core core/trace core/ops core/numpy_api core/ops/scipy api/numpy
api/scipy/interpolate: core core/trace core/ops core/ops/indexing core/numpy_api core/ops/scipy api/numpy
api/scipy/ndimage: core core/trace core/ops core/ops/indexing core/numpy_api core/ops/scipy api/numpy
api/scipy/signal: core core/arrays core/trace core/ops core/numpy_api core/ops/scipy api/numpy
api/scipy/sparse: core core/arrays core/trace core/ops core/ops/indexing core/ops/sparse api/tree core/numpy_api
    transforms/interpreters transforms/staging api/numpy transforms/control transforms/custom
transforms/sparse: core core/arrays core/trace transforms/graph core/primitive core/ops core/ops/indexing
    core/ops/sparse transforms/arguments transforms/interpreters transforms/staging transforms/compile/call
api/scipy/integrate: core core/arrays core/trace transforms/arguments transforms/interpreters transforms/staging
    api/numpy transforms/custom api/scipy/_solvers
api/scipy/linalg: core core/arrays core/trace core/ops core/ops/indexing core/ops/linalg core/ops/scipy
    transforms/interpreters transforms/staging api/numpy transforms/control transforms/custom api/scipy/_solvers
api/scipy/optimize: core core/arrays core/trace core/ops/indexing transforms/arguments transforms/interpreters
    api/numpy transforms/custom api/scipy/_solvers
api/scipy/special: core core/arrays core/trace core/ops core/ops/special core/ops/nn api/numpy api/nn
api/scipy/stats: core core/trace core/ops core/ops/special core/ops/nn transforms/staging api/numpy api/nn
api/lax: core core/arrays core/trace core/ops core/ops/indexing transforms/collectives transforms/staging api/numpy
    transforms/control transforms/custom api/nn api/scipy/special
api/scipy: core api/scipy/linalg api/scipy/special api/scipy/stats
api: core core/arrays backends core/trace transforms/graph transforms/scope core/tape transforms/compile/machine
    core/primitive core/ops core/ops/indexing core/ops/special core/ops/linalg api/tree core/numpy_api core/ops/nn
    transforms/reverse transforms/interpreters transforms/collectives transforms/staging api/numpy
    transforms/compile/call transforms/control transforms/custom api/distributed api/nn api/optimizers api/random
    transforms/sparse api/lax api/scipy
api/testing: core core/arrays transforms/graph core/tape core/primitive transforms/arguments core/ops/scipy
    transforms/compile/loops transforms/compile/lower transforms/interpreters transforms/staging transforms/sparse api
compat/autograd/_impl: compat api/tree api/numpy api/scipy/stats api
~/modes: api
compat/autograd/misc: api/numpy api compat/autograd/_impl
compat/autograd/numpy: api/numpy api compat/autograd/_impl
compat/autograd/scipy/stats: api/numpy api/scipy/stats compat/autograd/_impl
~/types: api ~/modes
compat/autograd: compat compat/autograd/_impl compat/autograd/misc compat/autograd/numpy
compat/autograd/scipy: api/numpy api/scipy/linalg api/scipy/special compat/autograd/_impl compat/autograd/misc
    compat/autograd/scipy/stats
compat/torch/utils/tensorboard: api ~/types
~/graph: api ~/modes ~/types
~/lists: api ~/modes ~/types ~/graph
~/staged: api ~/types ~/graph
~/state: api ~/modes ~/types ~/graph
~/profiler: api ~/modes ~/types ~/graph ~/state
~/views: api ~/modes ~/types ~/graph ~/state
~/values: api ~/modes ~/types ~/graph ~/state ~/views
~/engine: api ~/modes ~/types ~/graph ~/staged ~/state ~/views ~/values
~/forward_ad: ~/modes ~/types ~/state ~/views ~/values
~/inplace: api ~/modes ~/types ~/graph ~/state ~/views ~/values
~/dispatch: compat api ~/modes ~/types ~/graph ~/staged ~/state ~/views ~/values ~/engine ~/inplace
~/saved: api ~/modes ~/types ~/graph ~/values ~/engine
~/factories: ~/modes ~/types ~/state ~/values ~/dispatch
~/fastpath: api ~/modes ~/types ~/graph ~/state ~/views ~/values ~/dispatch
~/graph_view: ~/modes ~/types ~/graph ~/state ~/values ~/engine ~/saved
~/random: api ~/modes ~/types ~/graph ~/state ~/views ~/values ~/inplace ~/dispatch ~/factories
~/function: api/numpy api ~/modes ~/types ~/graph ~/state ~/views ~/values ~/engine ~/inplace ~/saved ~/graph_view
    ~/random
~/platform: compat ~/modes ~/types ~/dispatch ~/random
~/tensor: api/tree api ~/modes ~/types ~/graph ~/state ~/views ~/values ~/engine ~/inplace ~/dispatch ~/factories
    ~/graph_view ~/random
compat/torch/_subclasses: ~/platform
compat/torch/amp: ~/platform
compat/torch/backends: ~/types ~/platform
compat/torch/cpu: ~/platform
compat/torch/cuda/amp: ~/platform
compat/torch/distributed: ~/dispatch ~/platform
compat/torch/distributed/elastic/multiprocessing: ~/platform
compat/torch/fx/experimental: ~/platform
compat/torch/jit: ~/dispatch ~/platform
compat/torch/onnx: ~/platform
~/ops: api/numpy api/nn api/scipy/linalg api/scipy/special api ~/modes ~/types ~/graph ~/lists ~/staged ~/state
    ~/views ~/values ~/inplace ~/dispatch ~/factories ~/fastpath ~/random ~/tensor
~/sparse: api ~/modes ~/types ~/graph ~/state ~/dispatch ~/factories ~/function ~/tensor
compat/torch/cuda: ~/types ~/dispatch ~/factories ~/platform compat/torch/cuda/amp
compat/torch/distributed/elastic: compat/torch/distributed/elastic/multiprocessing
compat/torch/fx: ~/dispatch ~/platform compat/torch/fx/experimental
compat/torch/masked: ~/platform ~/ops
~/checkpoint: ~/modes ~/types ~/graph ~/state ~/values ~/engine ~/dispatch ~/saved ~/graph_view ~/random ~/function
    ~/ops
~/gradcheck: ~/types ~/state ~/forward_ad ~/dispatch ~/factories ~/random ~/function ~/ops
~/interchange: api ~/types ~/graph ~/state ~/views ~/dispatch ~/factories ~/tensor ~/sparse
~: compat ~/modes ~/types ~/forward_ad ~/dispatch ~/factories ~/random ~/tensor ~/ops ~/sparse ~/interchange
~/data: ~/types ~/profiler ~/random ~
~/distributions: ~/types ~/state ~/dispatch ~
~/func: api ~/modes ~/types ~/graph ~/state ~/values ~/engine ~/dispatch ~/factories ~/random ~/ops ~
~/module: api/nn api ~/modes ~/types ~/graph ~/state ~/dispatch ~/factories ~/function ~/platform ~/tensor ~/ops ~
compat/torch/_C: api ~/modes ~/types ~/graph ~/state ~/inplace ~/dispatch ~/saved ~/graph_view ~/random ~/function
    ~/module
compat/torch/_dynamo: ~/dispatch ~/platform ~/module
compat/torch/_higher_order_ops: ~/func
compat/torch/distributions/utils: ~/distributions
compat/torch/func: ~/func
compat/torch/nn/attention: ~/modes ~/types ~/dispatch ~/ops ~ ~/func
compat/torch/nn/modules/utils: ~/module
compat/torch/nn/parallel: ~/module
compat/torch/utils/data/_utils: ~/data
~/functional: ~/modes ~/types ~/forward_ad ~/dispatch ~/factories ~/ops ~/func
~/optim: ~/modes ~/types ~/graph ~/lists ~/state ~/profiler ~/dispatch ~/factories ~ ~/module
compat/torch/autograd: ~/modes ~/types ~/state ~/profiler ~/forward_ad ~/dispatch ~/saved ~/graph_view ~/random
    ~/function ~/tensor ~/gradcheck ~/functional
compat/torch/distributions: ~/distributions compat/torch/distributions/utils
compat/torch/nn/modules: ~/types ~/ops ~ ~/module compat/torch/nn/modules/utils
compat/torch/utils/data: ~/dispatch ~/platform ~/data compat/torch/utils/data/_utils
compat/torch/nn/utils: ~/types ~/lists ~ ~/func ~/module compat/torch/nn/modules
compat/torch/optim: ~/modes ~/dispatch ~/optim compat/torch/nn/modules
compat/torch/profiler: ~/profiler compat/torch/autograd
compat/torch/utils: ~/types compat/torch/utils/tensorboard ~/graph ~/profiler ~/engine ~/dispatch ~/graph_view
    ~/platform ~/tensor ~/ops ~/checkpoint ~/interchange ~/module ~/optim compat/torch/utils/data
compat/torch/nn: ~/types ~ ~/module compat/torch/nn/parallel compat/torch/nn/modules compat/torch/nn/utils
compat/torch: compat api ~/modes ~/types ~/inplace ~/dispatch ~/factories ~/random ~/function ~/platform ~/tensor
    compat/torch/jit ~/ops ~/sparse compat/torch/cuda ~/interchange ~ ~/func ~/module compat/torch/_C
    compat/torch/func compat/torch/autograd compat/torch/utils compat/torch/nn
compat/torch/_functorch: ~/func compat/torch
"""


def layer_of(module):
    """The layer of a dotted module name; `covector` and `covector.numpy` are api."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in FOLDERS and parts[1] != "api" else "api"


@cache
def rows():
    """The modules that are rows of a table: the file that each would be -> the text that it would have."""
    return {ROOT / "compat" / table.theirs / f"{table.place(path)}.py": table.source(path)
            for table in TABLES for path in table.rows}


def text_of(path):
    """The text of a module, a file or a row."""
    return rows()[path] if path in rows() else path.read_text(encoding="utf-8")


@cache
def modules():
    """Dotted module name -> its file, for every Python file and every row of the library."""
    found = {}
    for folder in FOLDERS:
        for path in sorted({*(ROOT / folder).rglob("*.py"), *(p for p in rows() if folder == "compat")}):
            parts = list(path.relative_to(ROOT).with_suffix("").parts)
            parts = (["covector"] if folder == "api" else ["covector", folder]) + parts[1:]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    assert len(found) > len(FOLDERS)
    return found


@cache
def tree(path):
    return ast.parse(text_of(path), str(path))


def is_lazy(node):
    """Tell whether a node makes a `LazyModule`, an import that waits, or lists names of compat.torch that wait."""
    if not isinstance(node, ast.Call):
        return False
    return ast.unparse(node.func) == "LazyModule" or ast.unparse(node.func) == "_surface.look_up" and len(node.args) > 1


def targets(module, node, known):
    """The library modules that one import statement of `module` names, or a `LazyModule` there."""
    if isinstance(node, ast.Call) and len(node.args) > 1:
        return {f"{TORCH.package}.{home}" for home in homes(ast.literal_eval(node.args[1]))}
    if isinstance(node, ast.Call):
        name = ast.literal_eval(node.args[0])
        return {name} if name.split(".")[0] == "covector" else set()
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


INDENTED = re.compile(r"^\s+(?:from|import)\b", re.M)


@cache
def import_statements(path):
    text = text_of(path)
    below = INDENTED.search(text) or "LazyModule" in text or "look_up" in text
    nodes = ast.walk(tree(path)) if below else tree(path).body
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) or is_lazy(node)]


def imports(known):
    """Every import statement of library modules: (importer, statement, imported module)."""
    for module, path in known.items():
        for node in import_statements(path):
            for target in targets(module, node, known):
                yield module, node, target


def wrong_arrows(known):
    return sorted(
        f"{module} line {node.lineno} imports {target}: {layer_of(module)} may not import {layer_of(target)}"
        for module, node, target in imports(known)
        if layer_of(target) != layer_of(module) and layer_of(target) not in ALLOWED[layer_of(module)]
    )


def import_graph(known):
    """Module -> the library modules that it imports."""
    edges = {module: set() for module in known}
    for module, _, target in imports(known):
        if target != module:
            edges[module].add(target)
    return edges


def cycles(edges):
    """The cycles of a graph, each as a chain."""
    found, done, active = [], set(), []

    def visit(module):
        if module in active:
            found.append(" → ".join([*active[active.index(module) :], module]))
        elif module not in done:
            active.append(module)
            for target in sorted(edges.get(module, ())):
                visit(target)
            done.add(active.pop())

    for module in edges:
        visit(module)
    return sorted(set(found))


def names_of_modules(module, known):
    """Imports of a module from others: its own name for it -> (the module, the name there; None for the module)."""
    found = {}
    for node in ast.walk(tree(known[module])):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                for target in targets(module, ast.ImportFrom(node.module, [alias], node.level), known):
                    whole = target.rpartition(".")[2] == alias.name and target in known
                    found[alias.asname or alias.name] = (target, None if whole else alias.name)
    return found


def run_at_import(module_tree):
    """The statements that run when a module is imported: its own, and those of its functions that it calls itself."""
    called = {node.value.func.id for node in module_tree.body if isinstance(node, ast.Expr)
              and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)}
    for node in module_tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node
        elif node.name in called:
            yield from node.body


def filled_by(module, known):
    """The containers, classes and attributes of other modules that a module fills when it is imported."""
    names = names_of_modules(module, known)

    def owned(node):
        """`module.name` of a name that was imported, or of an attribute of a module that was."""
        owner, name = names.get(node.id, (None, None)) if isinstance(node, ast.Name) else (None, None)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner, name = names.get(node.value.id, (None, None))
            name = node.attr if name is None else None
        return None if owner is None or name is None else f"{owner}.{name}"

    for statement in run_at_import(tree(known[module])):
        for node in ast.walk(statement):
            filled = []
            if isinstance(node, ast.Assign):
                filled = [part for t in node.targets for part in ([t.value] if isinstance(t, ast.Subscript) else
                          [t, t.value] if isinstance(t, ast.Attribute) else [])]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
                filled = [node.func.value]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
                filled = node.args[:1]
            yield from (name for name in map(owned, filled) if name is not None)


def hidden_edges(known):
    """(the module that owns a container, the one that fills it, the container), but for registries."""
    return sorted({(name.rpartition(".")[0], module, name) for module in known for name in filled_by(module, known)
                   if name not in REGISTRIES and name.rpartition(".")[0] in known})


def depths(edges):
    """How many modules are imported one through another, up to each."""
    @cache
    def depth(module):
        return 1 + max(map(depth, edges[module]), default=0)

    return {module: depth(module) for module in edges}


def folder_of(path):
    """The folder of a file as the table names it."""
    return path.parent.relative_to(ROOT).as_posix().replace("compat/torch/_impl", "~")


def folder_arrows(known):
    """Folder -> the folders that its files import from, from the bottom up."""
    edges = {folder_of(path): set() for path in known.values()}
    for module, _, target in imports(known):
        if target in known and folder_of(known[target]) != folder_of(known[module]):
            edges[folder_of(known[module])].add(folder_of(known[target]))
    assert cycles(edges) == []
    level = depths(edges)
    return {folder: sorted(edges[folder], key=lambda f: (level[f], f)) for folder in
            sorted(edges, key=lambda f: (level[f], f))}


def as_table(arrows):
    """The text of `ARROWS`."""
    return "\n".join(textwrap.fill(f"{folder}: {' '.join(below)}".rstrip(": "), 118, subsequent_indent="    ",
                                   break_on_hyphens=False) for folder, below in arrows.items())


def local_imports(path):
    """The import statements inside functions, and calls of import_module or __import__ there."""
    text = text_of(path)
    if not (INDENTED.search(text) or "import_module" in text or "__import__" in text):
        return []
    found = []
    for function in ast.walk(tree(path)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                func = getattr(node, "func", None)
                called = getattr(func, "attr", getattr(func, "id", None))
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
    assert cycles(import_graph(modules())) == []


def test_cycle_is_noticed(tmp_path):
    known = planted(tmp_path, core__a="from . import b", core__b="from .a import x")
    assert cycles(import_graph(known)) == ["covector.core.a → covector.core.b → covector.core.a"]


def test_nothing_is_filled_from_above():
    edges = import_graph(modules())
    for owner, module, _ in hidden_edges(modules()):
        edges[owner].add(module)
    assert cycles(edges) == []


def test_registries_are_filled_by_others():
    filled = {name for module in modules() for name in filled_by(module, modules())}
    assert set(REGISTRIES) <= filled


@pytest.mark.parametrize(
    "filling",
    ["from .a import CELL\nCELL.append(1)", "from .a import CELL\nCELL[0] = 1", "from . import a\na.CELL = 1",
     "from . import a\na.CELL['x'] = 1", "from .a import CELL\ndef fill():\n    CELL.append(1)\nfill()",
     "from .a import CELL as C\nfor x in 'ab':\n    C.add(x)", "from .a import CELL\nCELL.attribute = 1",
     "from .a import CELL\nsetattr(CELL, 'x', 1)"],
)
def test_cell_is_noticed(tmp_path, filling):
    known = planted(tmp_path, core__a="CELL = []", core__b=filling)
    assert hidden_edges(known) == [("covector.core.a", "covector.core.b", "covector.core.a.CELL")]


@pytest.mark.parametrize(
    "harmless",
    ["from .a import CELL\nOWN = []\nOWN.append(CELL)", "from .a import CELL\ndef run():\n    CELL.append(1)",
     "from .a import CELL\nCELL = [1]", "import os\nos.environ.setdefault('A', '1')"],
)
def test_what_is_no_cell_is_not_noticed(tmp_path, harmless):
    assert hidden_edges(planted(tmp_path, core__a="CELL = []", core__b=harmless)) == []


def test_folders_import_as_the_table_says():
    assert as_table(folder_arrows(modules())).splitlines() == ARROWS.strip().splitlines()


def test_folder_cycle_is_noticed():
    edges = {"core/a": {"core/b"}, "core/b": {"core/a"}}
    assert cycles(edges) == ["core/a → core/b → core/a"]


def test_chains_of_imports_are_short():
    found = depths(import_graph(modules()))
    deepest = {layer: max(n for module, n in found.items() if layer_of(module) == layer) for layer in MAX_DEPTH}
    assert all(deepest[layer] <= bound for layer, bound in MAX_DEPTH.items()), deepest


def test_the_compiler_does_not_grow_back():
    """Lines of code, and questions for a primitive's name where its statement should say it: both may only fall."""
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "transforms").rglob("*.py")}
    lines = sum(not line.lstrip().startswith("#") for path, text in texts.items()
                if path.relative_to(ROOT).parts[1] == "compile" for line in text.splitlines())
    asked = sum(len(NAMED.findall(text)) for text in texts.values())
    assert lines <= MAX_COMPILER, f"{lines} lines in transforms/compile, of {MAX_COMPILER}: shorten what is beside"
    assert asked <= MAX_NAMED, f"{asked} questions for a primitive's name, of {MAX_NAMED}: declare a trait"


def test_depth_counts_modules(tmp_path):
    known = planted(tmp_path, core__a="", core__b="from . import a", core__c="from .b import x\nfrom . import a")
    assert depths(import_graph(known)) == {"covector.core.a": 1, "covector.core.b": 2, "covector.core.c": 3}


def test_one_module_of_api_imports_backends():
    importers = {module for module, _, target in imports(modules()) if layer_of(target) == "backends"}
    assert {module for module in importers if layer_of(module) == "api"} == {"covector"}


def test_no_import_inside_a_function():
    wrong = {}
    for module, path in modules().items():
        found = local_imports(path)
        if module == "covector.core.lazy":  # the one place that imports later
            found = found[1:]
        if module in ("covector.compat.aliases", "covector.compat.reexports"):  # finders of modules
            found = []
        if module.endswith("__main__"):  # programs
            found = []
        if layer_of(module) == "backends":  # the one line that loads the backend's library
            found = [n for n in found if "covector" in ast.unparse(n) or getattr(n, "level", 0)] or found[1:]
        if found:
            wrong[module] = [f"line {node.lineno}: {ast.unparse(node)}" for node in found]
    assert wrong == {}


def test_import_inside_a_function_is_noticed(tmp_path):
    path = planted(tmp_path, core__a="def f():\n    from .b import x\n    return x\n")["covector.core.a"]
    assert len(local_imports(path)) == 1


def test_library_imports_itself_relatively():
    absolute = [
        f"{module} line {node.lineno}: {ast.unparse(node)}"
        for module, path in modules().items()
        for node in import_statements(path)
        if (isinstance(node, ast.Import) and any(a.name.split(".")[0] in ("covector", *FOLDERS) for a in node.names))
        or (isinstance(node, ast.ImportFrom) and not node.level and node.module.split(".")[0] in ("covector", *FOLDERS))
    ]
    assert absolute == []


def test_tests_import_covector_never_relatively():
    relative = [
        f"{path.relative_to(ROOT)} line {node.lineno}"
        for folder in ("tests", "examples", "benchmarks")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if re.search(r"^\s*from\s+\.", path.read_text(encoding="utf-8"), re.M)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_file_is_short_and_says_what_it_owns():
    long = {module: n for module, path in modules().items()
            if (n := text_of(path).count("\n")) > MAX_LINES}
    assert long == {}
    assert [m for m, path in modules().items() if path.stem in UNNAMED and path.parts[-3:] not in THEIRS] == []
    silent = [module for module, path in modules().items() if not ast.get_docstring(tree(path))]
    assert silent == [], "the first line says what the file owns"


def test_files_are_few_and_as_long_as_their_subject():
    files = [path for path in modules().values() if path not in rows()]
    short = [path for path in files if path.stem != "__init__" and text_of(path).count("\n") <= 20]
    assert len(files) <= MAX_FILES, f"{len(files)} files, of {MAX_FILES}: join one to its neighbour"
    assert len(short) <= MAX_SHORT, f"{len(short)} short files, of {MAX_SHORT}: join it to its neighbour"


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
    first = [ROOT / path / "__init__.py" for path in on_disk.values()]
    assert not [path for path in first if not path.exists() and path not in rows()]


def test_no_row_stands_where_a_file_does():
    assert [path for path in rows() if path.exists()] == []


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


if __name__ == "__main__":
    print(as_table(folder_arrows(modules())))
