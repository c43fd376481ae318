"""The lanes of `compat/torch/_impl/fastpath` are what their generator makes of the template."""

import importlib.util
import sys
from pathlib import Path

PATH = Path(__file__).resolve().parent / "lanes" / "generate.py"


def test_the_lanes_are_what_the_generator_makes_of_the_template():
    spec = importlib.util.spec_from_file_location("compat_lanes_generate", PATH)
    generator = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    for name, text in generator.files().items():
        assert text == (generator.TARGET / name).read_text(encoding="utf-8"), (
            f"python tests/compat/lanes/generate.py writes another {name}: edit tests/compat/lanes/template.txt")
