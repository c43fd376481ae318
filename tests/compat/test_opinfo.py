"""Every operation of PyTorch's own table, `op_db`, on compat and on PyTorch: values, derivatives, vmap, forms, errors.

`opinfo_differences.txt` lists what differs, by operation, kind and number of samples, with the reason; a line whose
difference is gone, or that counts another number, fails here. `python tests/compat/opinfo_differences.py` writes the
list anew.
"""

import pathlib
import string

import pytest

KINDS = {  # kind, and dtype where it is not float64 -> samples an operation
    "value": 16, "gradient": 16, "second": 4, "forward": 4, "vmap": 4, "inplace": 4, "inplace_gradient": 3, "method": 4,
    "nested": 2, "error": 100, "value/complex128": 6, "gradient/complex128": 6, "value/int64": 5, "value/uint8": 5,
    "value/bool": 4, "value/bfloat16": 4,
}
INITIALS = string.ascii_lowercase + "_" + string.ascii_uppercase
pytestmark = [pytest.mark.reference]


@pytest.fixture(scope="module")
def table():
    """The comparisons, or the tests are skipped."""
    for library in ("torch", "expecttest"):
        pytest.importorskip(library, reason=f"needs {library}, of the `reference` extra: pip install -e '.[reference]'")
    import torch

    import opinfo_harness

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are small
    yield opinfo_harness
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def known():
    """(operation, kind) -> number of samples that differ."""
    lines = pathlib.Path(__file__).with_name("opinfo_differences.txt").read_text().splitlines()
    rows = [line.split(None, 3) for line in lines if line and not line.startswith("#")]
    assert all(len(row) == 4 for row in rows), "a line of opinfo_differences.txt is: operation kind number reason"
    found = {(name, kind): int(count) for name, kind, count, _ in rows}
    assert len(found) == len(rows), "opinfo_differences.txt has two lines for one operation and kind"
    assert not [row for row in rows if row[3].startswith("no reason yet")], "give the new differences their reasons"
    return found


@pytest.mark.slow
@pytest.mark.parametrize("initial", INITIALS)
@pytest.mark.parametrize("kind", KINDS)
def test_operations_agree_with_pytorch(table, known, kind, initial):
    wrong = []
    for name, op in table.operations().items():
        if name.startswith(initial):
            found, _ = table.compare(op, *kind.split("/"), cap=KINDS[kind])
            expected = known.get((name, kind), 0)
            if len(found) != expected:
                wrong += [f"{name} {kind}: {len(found)} differ, opinfo_differences.txt has {expected}", *found]
    assert not wrong, "\n".join(wrong)


def test_each_line_of_the_differences_names_a_comparison(table, known):
    names = table.operations()
    assert not [(name, kind) for name, kind in known if name not in names or kind not in KINDS]
