"""`docs/torch_support.md`: what it says is measured again, and compared with PyTorch."""

import importlib.util
import re
from pathlib import Path

import pytest

import covector.compat.torch as compat

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


@pytest.mark.reference
@pytest.mark.parametrize("name", NAMES)
def test_an_operation_does_what_pytorch_does(name):
    torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
    torch.set_num_threads(1)
    ours, theirs = support.measured(compat, name), support.measured(torch, name)
    if ours is None:
        return
    found = {" | ".join(d[:3]): d[3] for d in support.measure.differences(ours, theirs, support.ROWS[name])}
    lines = {line for line in support.known() if line.startswith(f"{name} | ")}
    new = [f"{k}: {why}" for k, why in found.items() if k not in lines]
    assert not new, "\n".join(new)
    assert found.keys() == lines, f"these agree now, take them out of differences.txt: {sorted(lines - found.keys())}"
