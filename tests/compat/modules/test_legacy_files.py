"""Files of PyTorch before 1.6, which `_use_new_zipfile_serialization=False` writes too: read, and nothing is run."""

import base64
import io
import os
import pickle
import random
import tracemalloc
import zlib
from collections import OrderedDict

import pytest

import covector.compat.torch as torch
from harness import pytorch

# {"w": arange(6.).view(2, 3), "part": two elements of it, "p": a Parameter of float64, "h": bfloat16, "o": an
# OrderedDict, "n": an empty tensor of int64}, written by PyTorch 2.13.
WHOLE = zlib.decompress(base64.b64decode("""
eNp1kktv00AQx/1KAoaW8qY8yzvlEVLHcZJTK1T14kJbc/EFWa6zqo2M12Ovi0CqlEtKy2fgwJGPwdfhxhWJA7PrNMJSWHnXnvHs/Oa/OyPlix
7/+brxe+nd9+3F1kh59VPF9QCkprsgSVKaUUYDGnv7JMsjmoCMAe4c/okjxmLikWQY+QkoR66OTvYxJV4efSI5qAegNd0aOvOQZgxqtuKqaEUJ
g7qtuRrPQZM9aNhaUZwwZfR+ADlgNAvCllewKM51LyO7RRQPPUaSnGbevqGD0my6DZ4cI/09Amq5Rd+Iqc/elE4dNHceYwamafbaRqc7aFtmG2
qijiAtsI76awaNHVuyFVs9hFO2asuHcPo4QMkxCRgqzvWtbEgyMlyPAqaDvuzAGQZnHZgTElIftc2HWE6ohjNx58ISs7CDEGUM5215DBeOQ57p
IoNLDlwWslO48h/ZyPDfE0YyHa6WpInYdVrsxmSq9toUbw06Vq9r9C0TFhGvIP66UDmGGxx/s8TfYnDbgTtHwlj6DHcduCdqCeF+BfRSHOuKNU
U9qKC4UEQ9RJSMqEcchZTHfGmWqGUGTxx4KrJTeCZ8z4XlQ8uWc/GZwIsKdhP7Y4psV9UZVr/fhhVESog0OFIaQ4cjzRLZZWA50OO99Zb31ozt
8qwTU2ZpU2ddrUZa0mQo0r/j1+rJW554fqzWKxEjHrGGD84Rzm9rfwGefOUy"""))


def checked(found, like=None):
    """Whether what was read is what was written."""
    assert found["w"].tolist() == [[0, 1, 2], [3, 4, 5]] and found["part"].tolist() == [2, 3]
    assert found["part"].data_ptr() == found["w"].data_ptr() + 8
    assert isinstance(found["p"], torch.nn.Parameter) and found["p"].dtype is torch.float64
    assert found["h"].item() == 1.5 and found["h"].dtype is torch.bfloat16
    assert type(found["o"]) is OrderedDict and found["n"].shape == (0,)


def test_tensors_are_read_with_the_memory_they_share(tmp_path):
    path = tmp_path / "old.pt"
    path.write_bytes(WHOLE)
    checked(torch.load(path))
    checked(torch.load(io.BytesIO(WHOLE), weights_only=False))
    assert torch.load(path, map_location="meta")["w"].device.type == "meta"


def test_a_file_is_read_from_its_place_on():
    file = io.BytesIO(b"before" + WHOLE)
    file.seek(6)
    checked(torch.load(file))


def test_any_damage_is_read_or_refused():
    chance = random.Random(0)
    for _ in range(300):
        data = bytearray(WHOLE)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)):]
        for _ in range(chance.randrange(3)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            torch.load(io.BytesIO(bytes(data)))
        except (pickle.UnpicklingError, NotImplementedError, RuntimeError) as error:
            assert "load" in str(error) or "device" in str(error)


@pytest.mark.parametrize("strict", [True, False])
def test_memory_is_bounded_by_the_file(strict):
    asked = b"\x80\x05\x96" + (1 << 28).to_bytes(8, "little") + b"abc."
    tracemalloc.start()
    try:
        with pytest.raises(pickle.UnpicklingError):
            torch.load(io.BytesIO(asked), weights_only=strict)
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


def harmful(path):
    """A file of that format that asks for a program to be run."""

    class Harm:
        def __reduce__(self):
            return os.mkdir, (str(path),)

    return b"".join(pickle.dumps(part, 2) for part in (
        0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}, {"x": Harm()}, []))


def test_nothing_is_run(tmp_path):
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed. .* GLOBAL posix.mkdir"):
        torch.load(io.BytesIO(harmful(tmp_path / "made")))
    assert not (tmp_path / "made").exists()


def test_what_a_trusted_file_names_is_called_once(tmp_path):
    torch.load(io.BytesIO(harmful(tmp_path / "made")), weights_only=False)
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize(("data", "words"), [
    (b"", "neither a zip archive"), (b"garbage", "neither a zip archive"), (pickle.dumps({"a": 1}), "neither a zip"),
    (b"PK\x03\x04rest", "begins as a zip archive and does not end as one"),
    (pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(7, 2) + pickle.dumps({}, 2), "of version 7")])
def test_other_files_are_refused_by_what_they_are(data, words):
    with pytest.raises(pickle.UnpicklingError, match=words):
        torch.load(io.BytesIO(data))


def test_a_number_is_no_file():
    with pytest.raises(AttributeError, match="You can only torch.load from a file that is seekable"):
        torch.load(3)


@pytest.mark.reference
def test_a_network_of_pytorchs_is_read():
    theirs = pytorch().nn.Sequential(pytorch().nn.Linear(2, 3), pytorch().nn.BatchNorm1d(3))
    file = io.BytesIO()
    pytorch().save({"state": theirs.state_dict(), "epoch": 3}, file, _use_new_zipfile_serialization=False)
    file.seek(0)
    ours = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    ours.load_state_dict(torch.load(file)["state"])
    for name, value in theirs.state_dict().items():
        assert ours.state_dict()[name].tolist() == value.tolist()
