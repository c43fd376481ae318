"""`docs/torch_support.md`: what it says is measured again, and compared with PyTorch."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import covector.compat.torch as compat
from covector.compat.torch._impl.dispatch import overriding

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("compat_support_page", HERE / "support_page.py")
support = importlib.util.module_from_spec(spec)
spec.loader.exec_module(support)
NAMES = list(support.ROWS)


@pytest.mark.slow
def test_the_page_says_what_the_operations_do():
    assert support.PAGE.read_text(encoding="utf-8") == support.page(compat), (
        "docs/torch_support.md is out of date: python tests/compat/support_page.py")


def test_the_operations_used_most_have_no_hole():
    text = support.PAGE.read_text(encoding="utf-8")
    most = text[text.index("## Most used operations") : text.index("## Often used operations")]
    rows = re.findall(r"^\| `(\S+)` \| (.*) \|$", most, re.MULTILINE)
    assert len(rows) == sum(row.tier == "First" for row in support.ROWS.values())
    for name, cells in rows:
        assert {"yes", "yes \\*", "—"}.issuperset(cells.split(" | ")), name
        assert cells.split(" | ")[0] != "—", name


def test_a_difference_on_purpose_has_its_reason_among_the_gaps():
    gaps = support.GAPS.read_text(encoding="utf-8")
    rows = [line.removeprefix("| ") for line in gaps.splitlines() if line.startswith("| ")]
    for line, why in support.meant().items():
        assert line in support.known(), f"this agrees now, take it out of on_purpose.txt: {line}"
        assert any(row.startswith(why) for row in rows), f"{line}: no row of docs/compat_gaps.md begins with {why!r}"


class Stopped(Exception):
    """What a class was asked for."""


class Asked(compat.Tensor):
    """A tensor that says what its class is asked with."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise Stopped(args, kwargs or {})


@pytest.mark.parametrize("name", NAMES)
def test_a_class_sees_the_arguments_that_were_given(name):
    row = support.ROWS[name]
    call = next((c for c in row.calls if c.args and isinstance(c.args[0], np.ndarray)), None)
    if call is None or name in support.sample.PROPERTIES or name.startswith("masked."):
        return  # as in PyTorch, a class is asked by the operations that torch.masked is made of
    probe = support.measure.Probe.__new__(support.measure.Probe)
    probe.torch = compat
    try:
        args, named = probe.arguments(call)
        args[0] = args[0].as_subclass(Asked)
        row.function(compat)(*args, **named)
    except Stopped as stopped:
        seen = [*stopped.args[0], *stopped.args[1].values()]
        given = [*args, *named.values()]
        if name not in overriding.IN_PYTHON:  # else in the way of PyTorch's function, with its defaults by name
            assert len(seen) == len(given)
        for v in given:
            assert any(v is s or not hasattr(v, "dim") and not hasattr(s, "dim") and v == s for s in seen)
    except NotImplementedError:
        return  # not built
    else:
        raise AssertionError(f"{name} did not ask the class")


# Where PyTorch rounds sums of half precision in between depends on the processor.
ROUNDED = ("nn.functional.conv_transpose2d | value | half",)


@pytest.mark.reference
@pytest.mark.parametrize("name", NAMES)
def test_an_operation_does_what_pytorch_does(name):
    torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
    torch.set_num_threads(1)
    ours, theirs = support.measured(compat, name), support.measured(torch, name)
    if ours is None:
        return
    found = {" | ".join(d[:3]): d[3] for d in support.measure.differences(ours, theirs, support.ROWS[name])}
    for line in ROUNDED:
        found.pop(line, None)
    lines = {line for line in support.known() if line.startswith(f"{name} | ")}
    new = [f"{k}: {why}" for k, why in found.items() if k not in lines]
    assert not new, "\n".join(new)
    assert found.keys() == lines, f"these agree now, take them out of differences.txt: {sorted(lines - found.keys())}"
