"""The names of other projects that the site links to exist where those projects are installed."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
pytest.importorskip("sphinx", reason="sphinx is missing: pip install '.[docs]'")
sys.path.insert(0, str(ROOT / "docs"))
inventories = import_module("inventories")
counterparts = import_module("counterparts")
sys.path.pop(0)

pytestmark = pytest.mark.reference
FOLDER = ROOT / "docs" / "_inventories"
PROJECTS = (*inventories.PLACES, "python")
# Projects without an inventory here, and names whose address does not follow from the name: attributes, arrays of
# indices, classes of JAX, modules that are described by hand.
WITHOUT_ADDRESS = (
    "optax.", "autograd.", "jax.export.", "jax.sharding.", "jax.profiler.", "jax.test_util.", "jax.flatten_util.",
    "jax.scipy.integrate.", "jax.scipy.interpolate.", "jax.scipy.ndimage.", "jax.scipy.optimize.", "jax.custom_",
    "jax.checkpoint_policies", "jax.P", "jax.ShapeDtypeStruct", "jax.remat", "torch.distributed.", "torch.export.",
    "torch.profiler.", "torch.fx.symbolic_trace", "torch.Tensor.", "torch.autograd.gradcheck", "scipy.special.jn",
    *(f"{home}.{name}" for home in ("numpy", "jax.numpy") for name in ("c_", "r_", "mgrid", "ogrid")))


def rows(project):
    return inventories.read(FOLDER / f"{project}.inv")


@pytest.mark.parametrize("project", PROJECTS)
def test_names_exist(project):
    if project != "python":
        pytest.importorskip(project, reason=f"{project} is missing")
    assert rows(project) and [name for name, _, _ in rows(project) if inventories.find(name) is None] == []


def test_a_name_that_does_not_exist_is_noticed():
    assert inventories.find("numpy.linalg.nrom") is None and inventories.numpy_place("numpy.linalg.nrom") is None


@pytest.mark.parametrize("project", PROJECTS)
def test_addresses_name_what_they_lead_to(project):
    for name, kind, address in rows(project):
        page, _, place = address.partition("#")
        assert page.endswith(".html") and place.rpartition(".")[2] and name.partition(".")[0] in place, address
        assert (kind == "module") == place.startswith("module-"), address
        assert "generated/" not in page or page.rpartition("/")[2] == f"{place}.html", address


@pytest.mark.parametrize("project", PROJECTS)
def test_sphinx_reads_them(project):
    inventory = import_module("sphinx.util.inventory").InventoryFile
    loaded = inventory.loads((FOLDER / f"{project}.inv").read_bytes(), uri="https://there/")
    read = {(name, kind.removeprefix("py:"), item.uri)
            for kind, items in loaded.data.items() for name, item in items.items()}
    assert read == {(name, kind, f"https://there/{address}") for name, kind, address in rows(project)}


@pytest.mark.parametrize("project", inventories.PLACES)
def test_addresses_are_those_of_the_script(project):
    pytest.importorskip(project, reason=f"{project} is missing")
    place = inventories.PLACES[project]
    assert [row for row in rows(project) if place(row[0]) != row[2]] == [], "run `python docs/inventories.py`"


def test_the_names_beside_ours_are_linked():
    linked = {name for project in PROJECTS for name, _, _ in rows(project)}
    beside = {other for others in counterparts.NAMES.values() for other in others}
    assert len(beside & linked) > 900
    assert [name for name in sorted(beside - linked) if not name.startswith(WITHOUT_ADDRESS)] == []
