"""The tables of operations in `compat/torch/_impl/types` are what their generator makes of PyTorch."""

import importlib.util
import sys
from pathlib import Path

import pytest

from covector.compat.torch._impl.types import operation_table

HERE = Path(__file__).resolve().parent


@pytest.mark.reference
def test_the_tables_are_what_the_generator_makes_of_pytorch():
    torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
    path = HERE / "tables" / "generate.py"
    spec = importlib.util.spec_from_file_location("compat_tables_generate", path)
    generator = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    made = generator.texts()
    assert made == {file: (generator.TARGETS / file).read_text(encoding="utf-8") for file in made}, (
        f"python tests/compat/tables/generate.py writes other tables for PyTorch {torch.__version__}")


def test_the_first_line_of_the_table_names_pytorchs_version():
    assert "PyTorch 2." in operation_table.__doc__.splitlines()[0]
