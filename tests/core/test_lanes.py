"""The lanes of core and compat are what their templates say."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import covector

spec = importlib.util.spec_from_file_location("generate_lanes", Path(__file__).with_name("generate_lanes.py"))
lanes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lanes)
SOURCES = {path: source for template in lanes.TEMPLATES
           for path, source in lanes.generated(template.read_text(encoding="utf-8")).items()}


@pytest.mark.parametrize("path", SOURCES)
def test_checked_in_lanes_are_those_of_the_template(path):
    assert (lanes.ROOT / path).read_text(encoding="utf-8") == SOURCES[path], "run tests/core/generate_lanes.py"


def test_macro_is_put_in_with_its_arguments():
    text = ("macro twice(x, y):\n    x = y + x.y\n\nmacro both(a):\n    $twice(a, (1, 2))\n\n"
            "=== f.py\nif b:\n    $both(z)\n")
    assert lanes.generated(text) == {"f.py": "if b:\n    z = (1, 2) + z.y\n"}


def test_macro_of_one_line_stands_anywhere():
    text = "macro low(x):\n    (x < 0)\n\n=== f.py\nif $low(a) or $low(b[0]):\n    pass\n"
    assert lanes.generated(text) == {"f.py": "if (a < 0) or (b[0] < 0):\n    pass\n"}
    with pytest.raises(ValueError, match="several lines"):
        lanes.generated("macro two(x):\n    x\n    x\n\n=== f.py\nif $two(a):\n")


def test_macro_with_a_wrong_number_of_arguments_is_refused():
    with pytest.raises(ValueError, match="shorter"):
        lanes.generated("macro one(x, y):\n    x = y\n\n=== f.py\n$one(z)\n")


@pytest.mark.parametrize("function", [np.add, np.multiply, np.divide, np.maximum, np.arctan2])
@pytest.mark.parametrize("shape", [(), (3,), (1, 3), (2, 1), (2, 3)])
@pytest.mark.parametrize("traced", [0, 1])
def test_constant_on_either_side_of_a_traced_value_broadcasts(function, shape, traced):
    rng = np.random.default_rng(0)
    x, constant = rng.uniform(0.5, 2.0, (2, 3)), rng.uniform(0.5, 2.0, shape)
    for value, beside in ((x, constant), (constant, x)):
        def f(v, beside=beside):
            out = function(v, beside) if traced == 0 else function(beside, v)
            return (out * np.arange(1.0, 7.0).reshape(2, 3)).sum()

        slope = np.zeros_like(value)
        for i in np.ndindex(value.shape):
            h = np.zeros_like(value)
            h[i] = 1e-6
            slope[i] = (f(value + h) - f(value - h)) / 2e-6
        np.testing.assert_allclose(covector.grad(f)(value), slope, rtol=1e-6, atol=1e-8)
