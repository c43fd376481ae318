"""Options of the whole test suite."""


def pytest_addoption(parser):
    """`pytest -m reference --record-answers` renews the answers of PyTorch in `tests/compat/recorded`."""
    parser.addoption("--record-answers", action="store_true", help="write the answers of PyTorch that differ from "
                     "those in tests/compat/recorded, or are not there; with -m reference")
