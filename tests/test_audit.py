"""The audit has no hole, notices one, and says why a case is absent."""

import json

import numpy as np
import pytest
from rig.__main__ import main
from rig.audit import COLUMNS, audit, holes

import covector  # noqa: F401 - fills the registry
from covector.core.primitive.primitive import REGISTRY


def test_no_primitive_has_a_hole():
    table = audit()
    assert set(table) == set(REGISTRY)
    assert holes(table) == []


def test_every_absence_has_a_reason():
    entries = [entry for row in audit().values() for entry in row.values()]
    assert all(len(entry) > len("n/a: ") for entry in entries if entry.startswith("n/a"))


def test_command_prints_the_table(capsys):
    assert main(["audit"]) == 0
    out = capsys.readouterr().out
    assert "jvp rule" in out and "0 gaps" in out
    assert main(["audit", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["primitives"]["sin"]) == set(COLUMNS)


@pytest.mark.parametrize("column", ["vjp rule", "samples", "float32"])
def test_hole_is_noticed(column, monkeypatch, capsys):
    prim = REGISTRY["sin"]
    if column == "vjp rule":
        monkeypatch.setattr(prim, "vjp", {})
    else:
        keep = [] if column == "samples" else REGISTRY["sin"].samples(np.random.default_rng(0))[:4]
        monkeypatch.setattr(REGISTRY["sin"], "samples", lambda rng: keep)
    assert main(["audit"]) == 1
    assert f"sin: {column}" in capsys.readouterr().out
