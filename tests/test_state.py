"""Whatever is kept between calls is listed in docs/design/state.md, and nothing else is kept."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "design" / "state.md"
FOLDERS = ("core", "transforms", "backends", "api", "compat")
# What makes a container that is filled later, a counter or a dynamic variable.
CONTAINERS = {"dict", "list", "set", "deque", "OrderedDict", "defaultdict", "Counter"}
WEAK = {"WeakKeyDictionary", "WeakValueDictionary", "WeakSet"}
MAKERS = CONTAINERS | WEAK | {"ContextVar", "count", "local", "Lock", "RLock", "RuleTable"}
CACHES = {"cache", "lru_cache"}


def last_name(node):
    """`count` of `itertools.count(0)`, of `count` and of `itertools.count(0).__next__`; None for anything else."""
    if isinstance(node, ast.Attribute) and node.attr == "__next__":
        node = node.value
    if isinstance(node, ast.Call):
        node = node.func
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def is_held(value):
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):  # even with contents: a list that never changes would be a tuple
        return True
    is_counter = isinstance(value, ast.Attribute) and value.attr == "__next__"
    return (isinstance(value, ast.Call) or is_counter) and last_name(value) in MAKERS and not filled(value)


def filled(value):
    """Tell whether a container is made from contents, and so is a table rather than state."""
    given = isinstance(value, ast.Call) and [*value.args, *[k for k in value.keywords if k.arg != "maxlen"]]
    return bool(given) and last_name(value) in CONTAINERS


def state_of(source):
    """The names of a module that hold something between calls."""
    held, tree = set(), ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_held(node.value):
            held.update(t.id for t in (node.targets if isinstance(node, ast.Assign) else [node.target]))
    for node in ast.walk(tree) if re.search(r"\bglobal\b|cache", source) else ():
        if isinstance(node, ast.Global):
            held.update(node.names)
        elif isinstance(node, ast.FunctionDef) and CACHES & {last_name(d) for d in node.decorator_list}:
            held.add(node.name)
    return held - {"__all__"}


def found():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            held = state_of(path.read_text(encoding="utf-8"))
            yield from (f"{path.relative_to(ROOT)}: {name}" for name in sorted(held))


def listed():
    """The first column of the table: `file: name`."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return [row.split("|")[1].strip(" `") for row in rows]


def test_every_global_is_listed_and_every_entry_exists():
    held = set(found())
    assert sorted(held - set(listed())) == []
    assert sorted(set(listed()) - held) == []
    assert len(listed()) == len(set(listed()))


@pytest.mark.parametrize(
    "source",
    ["A = {}", "A: dict = {}", "A = []", "A = dict()", "A = ContextVar('a', default=None)", "A = itertools.count(1)",
     "A = itertools.count(1).__next__", "A = 0\ndef f():\n    global A\n    A = 1", "@lru_cache(8)\ndef A(): ...",
     "A = weakref.WeakValueDictionary()"],
)
def test_global_is_noticed(source):
    assert state_of(source) == {"A"}


TABLES = ["A = {1: 2}", "A = (1, 2)", "A = frozenset({1})", "A = dict(a=1)", "def f():\n    a = {}"]


@pytest.mark.parametrize("source", TABLES)
def test_table_is_no_state(source):
    assert state_of(source) == set()
