"""Options of the whole test suite, and a cache of object code that is not the user's own."""

import os
import tempfile

_CACHE = tempfile.TemporaryDirectory(prefix="covector-tests-")  # removed when the tests end
os.environ["COVECTOR_CACHE_DIR"] = os.path.join(_CACHE.name, "cache")
os.environ.pop("COVECTOR_CACHE", None)


def pytest_addoption(parser):
    """`pytest -m reference --record-answers` renews the answers of PyTorch in `tests/compat/recorded`."""
    parser.addoption("--record-answers", action="store_true", help="write the answers of PyTorch that differ from "
                     "those in tests/compat/recorded, or are not there; with -m reference")
