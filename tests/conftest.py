"""Options of the whole test suite, and a cache of object code that is not the user's own."""

import gc
import importlib.util
import itertools
import os
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

_CACHE = tempfile.TemporaryDirectory(prefix="covector-tests-")  # removed when the tests end
os.environ["COVECTOR_CACHE_DIR"] = os.path.join(_CACHE.name, "cache")
os.environ.pop("COVECTOR_CACHE", None)


_ROOT = Path(__file__).resolve().parents[1]
_APART = Path(__file__).with_name("general_road.txt")
_SPEC = importlib.util.spec_from_file_location("like_cupy", Path(__file__).parent / "backends" / "like_cupy.py")
like_cupy = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(like_cupy)


def pytest_addoption(parser):
    """`pytest -m reference --record-answers` renews the answers of PyTorch in `tests/compat/recorded`."""
    parser.addoption("--stand-in", action="store_true", help="with -m gpu: a stand-in for CuPy and its device, on the "
                     "processor")
    parser.addoption("--record-answers", action="store_true", help="write the answers of PyTorch that differ from "
                     "those in tests/compat/recorded, or are not there; with -m reference")


def pytest_configure(config):
    """Refuse compiled modules older than their sources; the stand-in is CuPy before anything asks for CuPy."""
    if config.getoption("--stand-in"):
        like_cupy.install()
    declarations = [_ROOT.glob(f"{layer}/**/*.p[xy][dx]") for layer in ("core", "transforms", "compat")]
    for declared in itertools.chain.from_iterable(declarations):
        stem = str(declared.with_suffix(""))
        for built in [Path(stem + suffix) for suffix in EXTENSION_SUFFIXES if os.path.exists(stem + suffix)]:
            if any(file.stat().st_mtime > built.stat().st_mtime for file in (declared, declared.with_suffix(".py"))):
                raise pytest.UsageError(f"{built.name} is older than its source: pip install -e . compiles it again")


def pytest_collection_modifyitems(items):
    """On the general road, what is known to be apart has to be: a line of `general_road.txt` that agrees goes."""
    if os.environ.get("COVECTOR_ROADS") == "general":
        lines = [line for line in _APART.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        apart = dict(line.split(" | ") for line in lines)
        for item in items:
            if item.nodeid in apart:
                item.add_marker(pytest.mark.xfail(reason=apart[item.nodeid], strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Spare the collector of garbage, which 200 tests call, the tests: what is collected here stays to the end.

    A full collection goes through 1.5 million objects otherwise, in 0.2 s. For tests of long tapes: `nothing_frozen`.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture
def nothing_frozen():
    """The collector goes through everything during a test, as in the program of a user."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.fixture
def without_native(monkeypatch):
    """No native code in a test; which kernels there are is asked anew behind it."""
    from covector.core.primitive.kernels import KNOWN

    monkeypatch.setenv("COVECTOR_NATIVE", "0")
    before = {key: dict(kernels) for key, kernels in KNOWN.items()}
    for kernels in KNOWN.values():
        kernels.clear()
    yield
    for key, kernels in KNOWN.items():
        kernels.clear()
        kernels.update(before.get(key, {}))
