"""The names of other libraries that the reference gives for each name exist there, and ours exist here."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs"))
pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
pytest.importorskip("docutils", reason="docutils is missing: pip install '.[docs]'")
counterparts = import_module("counterparts")
sys.path.pop(0)

pytestmark = pytest.mark.reference
LIBRARIES = ("numpy", "scipy", "jax", "torch", "optax", "autograd")


def found(full):
    """Whether a dotted name leads to something, through modules that have to be imported on the way."""
    parts = full.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            thing = import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True
    return False


def test_a_name_that_does_not_exist_is_noticed():
    assert found("numpy.linalg.norm") and not found("numpy.linalg.nrom")


@pytest.mark.parametrize("library", LIBRARIES)
def test_names_of_other_libraries_exist(library):
    pytest.importorskip(library, reason="needs the `reference` extra: pip install -e '.[reference]'")
    named = {other for others in counterparts.NAMES.values() for other in others if other.startswith(f"{library}.")}
    assert named and sorted(name for name in named if not found(name)) == []


def test_every_row_names_known_libraries():
    assert [name for name, others in counterparts.NAMES.items()
            if not all(other.split(".")[0] in LIBRARIES for other in others)] == []


def test_our_names_exist():
    assert sorted(name for name in {*counterparts.NAMES, *counterparts.COSTS} if not found(name)) == []


def test_the_transforms_all_have_counterparts():
    page = (ROOT / "docs" / "api" / "covector.md").read_text(encoding="utf-8")
    alone = {"sparse_jacobian", "sparse_hessian", "sparsity", "debug_mutation", "Profile", "pvary", "show_config"}
    listed = {line.split("covector.")[1] for line in page.splitlines() if line.startswith(".. auto")}
    assert {name for name in listed if f"covector.{name}" not in counterparts.NAMES} == alone
