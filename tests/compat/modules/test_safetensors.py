"""Files of safetensors: what is written comes back, and damage is said with its place."""

import json
import random

import pytest

import covector.compat.torch as torch
from covector.compat.torch.utils import safetensors


def tensors():
    return {"w": torch.arange(12.0).view(3, 4), "n": torch.tensor(3), "empty": torch.zeros(0, 2),
            "ü": torch.ones(3).half(), "mask": torch.tensor([True, False]), "z": torch.ones(2, dtype=torch.complex64),
            "d": torch.nn.Parameter(torch.ones(2, dtype=torch.float64))}


def test_tensors_come_back(tmp_path):
    safetensors.save_file(tensors(), tmp_path / "a.safetensors", {"format": "pt"})
    found = safetensors.load_file(tmp_path / "a.safetensors")
    assert list(found) == sorted(tensors())
    for name, t in tensors().items():
        assert found[name].dtype is t.dtype and torch.equal(found[name], t)
    with safetensors.safe_open(tmp_path / "a.safetensors") as file:
        assert file.metadata() == {"format": "pt"}
        part = file.get_slice("w")
        assert (part.get_shape(), part.get_dtype(), part[1:, 0].tolist()) == ([3, 4], "F32", [4.0, 8.0])
    with pytest.raises(safetensors.SafetensorError, match="closed"):
        file.get_tensor("w")


def test_bytes_are_those_of_the_format():
    data = safetensors.save({"b": torch.ones(1), "a": torch.ones(2, dtype=torch.float64)}, {"k": "v"})
    length = int.from_bytes(data[:8], "little")
    assert (8 + length) % 8 == 0
    assert json.loads(data[8:8 + length]) == {
        "__metadata__": {"k": "v"}, "a": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]},
        "b": {"dtype": "F32", "shape": [1], "data_offsets": [16, 20]}}
    assert data[8 + length:] == torch.ones(2, dtype=torch.float64).numpy().tobytes() + torch.ones(1).numpy().tobytes()


def made(head, data=b"\0" * 8):
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return len(text).to_bytes(8, "little") + text + data


ONE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(("data", "words"), [
    (b"abc", "3 bytes"), (b"\xff" * 20, "first 8 bytes"), (made(b"{nope"), "not the JSON"), (made([]), "is a list"),
    (made({"w": ONE}, b"\0" * 4), "'w'|cut off"), (made({"w": ONE}, b"\0" * 9), "lengthened"),
    (made({"w": ONE | {"data_offsets": [0, 9]}}), "tensor 'w'.*takes 8 bytes"),
    (made({"w": ONE | {"shape": [-2]}}), "'w'"),
    (made({"w": ONE | {"dtype": "F8_E4M3"}}), "'F8_E4M3'.*F32"), (made({"w": 3}), "'w'"), (made({"w": {}}), "'w'"),
    (made({"w": ONE, "v": ONE}), "'v' begins at byte 0"), (made({"__metadata__": {"a": 1}, "w": ONE}), "__metadata__"),
    (made(b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"w":{}}'), "'w' comes twice"),
    (made(b"[" * 100_000), "not the JSON"), (made({"w": ONE | {"shape": [2**70]}}), "'w'")])
def test_damage_is_said_with_its_place(data, words, tmp_path):
    with pytest.raises(safetensors.SafetensorError, match=words):
        safetensors.load(data)
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(safetensors.SafetensorError, match=f"{tmp_path / 'f'}.*(?:{words})|{tmp_path / 'f'}"):
        safetensors.load_file(tmp_path / "f")


def test_any_damage_is_refused_or_read():
    whole, chance = safetensors.save(tensors()), random.Random(0)
    for _ in range(500):
        data = bytearray(whole)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)):]
        for _ in range(chance.randrange(4)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            safetensors.load(bytes(data))
        except safetensors.SafetensorError as error:
            assert "the data" in str(error)


@pytest.mark.parametrize(("wrong", "error", "words"), [
    ([1], ValueError, "Expected a dict"), ({"w": 3}, ValueError, "`w`"),
    ({"w": torch.ones(2, 3).T}, ValueError, "non contiguous"), ({"w": torch.ones(1, dtype=torch.complex128)},
                                                                NotImplementedError, "complex128")])
def test_what_cannot_be_written(wrong, error, words):
    with pytest.raises(error, match=words):
        safetensors.save(wrong)


def test_tensors_that_share_memory_are_refused():
    x = torch.ones(4)
    with pytest.raises(RuntimeError, match="share memory"):
        safetensors.save({"a": x, "b": x[:2]})


def test_metadata_are_texts():
    with pytest.raises(TypeError, match="json.dumps"):
        safetensors.save({}, {"epoch": 3})


def test_storages_of_files_and_their_slices(tmp_path):
    (tmp_path / "f").write_bytes(bytes(range(8)))
    private = torch.UntypedStorage.from_file(str(tmp_path / "f"), False, 8)
    part = torch.asarray(private[2:6], dtype=torch.uint8)
    part[0] = 99
    assert private.tolist() == [0, 1, 99, 3, 4, 5, 6, 7] and (tmp_path / "f").read_bytes() == bytes(range(8))
    shared = torch.UntypedStorage.from_file(str(tmp_path / "f"), True, 10)
    shared[9] = 7
    del shared
    assert (tmp_path / "f").read_bytes() == bytes(range(8)) + b"\0\x07"
    with pytest.raises(RuntimeError, match="unable to open file"):
        torch.UntypedStorage.from_file(str(tmp_path / "none"), False, 8)
