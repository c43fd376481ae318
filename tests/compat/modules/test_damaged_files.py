"""Files of torch.save that are damaged, or made to do harm: refused with their name and place, and nothing is run."""

import io
import os
import pickle
import random
import zipfile
from collections import OrderedDict
from fractions import Fraction

import pytest

import covector.compat.torch as torch


def written(thing):
    file = io.BytesIO()
    torch.save(thing, file)
    return file.getvalue()


def archive(pickled, storages=()):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("archive/data.pkl", pickled)
        for key, data in enumerate(storages):
            made.writestr(f"archive/data/{key}", data)
    file.seek(0)
    return file


def parts(data):
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {name: found.read(name) for name in found.namelist()}


WHOLE = written({"w": torch.arange(12.0).view(3, 4), "p": torch.nn.Parameter(torch.ones(2)), "o": OrderedDict(a=1)})


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
        except pickle.UnpicklingError as error:
            assert "BytesIO" in str(error) or "zip archive" in str(error)


def test_any_damage_of_the_pickle_is_read_or_refused():
    chance, whole = random.Random(1), parts(WHOLE)
    for _ in range(400):
        text = bytearray(whole["archive/data.pkl"])
        for _ in range(chance.randrange(1, 4)):
            text[chance.randrange(len(text))] = chance.randrange(256)
        try:
            torch.load(archive(bytes(text), [whole["archive/data/0"], whole["archive/data/1"]]))
        except pickle.UnpicklingError:
            pass


def test_the_message_names_the_file_and_the_place(tmp_path):
    whole = parts(WHOLE)
    path = tmp_path / "net.pt"
    path.write_bytes(archive(whole["archive/data.pkl"], [b"\0" * 8]).getvalue())
    with pytest.raises(pickle.UnpicklingError, match=r"net.pt.*archive/data.pkl.*setStorage"):
        torch.load(path)
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "none.pt")


class Harm:
    def __init__(self, fun, *args):
        self.fun, self.args = fun, args

    def __reduce__(self):
        return self.fun, self.args


@pytest.mark.parametrize("fun", [os.system, eval, exec, getattr, open, print])
def test_functions_are_not_called(fun, tmp_path):
    target = tmp_path / "made"
    with pytest.raises(pickle.UnpicklingError, match="not an allowed global"):
        torch.load(archive(pickle.dumps(Harm(fun, f"touch {target}"), 2)))
    assert not target.exists()


@pytest.mark.parametrize("name", [b"ctorch\nSize\n", b"ccollections\nOrderedDict\n", b"ctorch\nfloat32\n",
                                  b"ctorch._utils\n_rebuild_tensor_v2\n"])
def test_nothing_is_written_to_what_a_file_names(name):
    before = dict(vars(torch.Size)), dict(vars(OrderedDict))
    with pytest.raises(pickle.UnpicklingError, match="set the state of a"):
        torch.load(archive(b"\x80\x02" + name + b"N}X\x01\x00\x00\x00aK\x01s\x86b."))
    assert before == (dict(vars(torch.Size)), dict(vars(OrderedDict)))


def test_memory_is_not_taken_for_what_a_file_says():
    with pytest.raises(pickle.UnpicklingError):
        torch.load(archive(b"\x80\x02" + b"B\xff\xff\xff\x7f" + b"abc."))
    assert torch.load(archive(b"\x80\x02K\x01r\xff\xff\xff\x7f.")) == 1  # a far place of the memo


def test_what_the_user_allows_is_made():
    data = written({"rate": Fraction(1, 3)})
    assert torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == ["fractions.Fraction"]
    with pytest.raises(pickle.UnpicklingError, match="safe_globals"):
        torch.load(io.BytesIO(data))
    with torch.serialization.safe_globals([Fraction]):
        assert torch.load(io.BytesIO(data)) == {"rate": Fraction(1, 3)}
        assert torch.serialization.get_safe_globals() == [Fraction]
        assert torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == []
    assert torch.serialization.get_safe_globals() == []
    torch.serialization.add_safe_globals([(Fraction, "fractions.Fraction")])
    assert torch.load(io.BytesIO(data)) == {"rate": Fraction(1, 3)}
    torch.serialization.clear_safe_globals()
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(data))


@pytest.mark.parametrize("pickled", [
    b"cos\nsystem\n.", b"(ios\nsystem\n.", b"(V1\nios\nsystem\n.", b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
    b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93\x940h\x00h\x01\x93.",
    b"\x80\x04\x8c\x06system\x94\x8c\x02os\x9400h\x01h\x00\x93.",
    b"\x80\x02X\x02\x00\x00\x00osq\x05X\x06\x00\x00\x00systemr\x06\x00\x00\x0000h\x05j\x06\x00\x00\x00\x93.",
    b"\x80\x04(\x8c\x01a\x8c\x01bt0\x8c\x02os\x8c\x06system\x93.",
])  # fmt: skip
def test_every_way_to_name_a_global_is_reported(pickled):
    assert torch.serialization.get_unsafe_globals_in_checkpoint(archive(pickled)) == ["os.system"]


def test_names_of_python_2_are_reported_as_those_of_today():
    assert torch.serialization.get_unsafe_globals_in_checkpoint(archive(pickle.dumps(print, 2))) == ["builtins.print"]
    assert torch.serialization.get_unsafe_globals_in_checkpoint(archive(pickle.dumps({1, 2}, 2))) == []


def test_names_of_a_memoised_module_are_reported():
    pickled = pickle.dumps([io.BytesIO, io.StringIO, zipfile.ZipFile], 4)
    assert torch.serialization.get_unsafe_globals_in_checkpoint(archive(pickled)) == [
        "_io.BytesIO", "_io.StringIO", "zipfile.ZipFile"]


@pytest.mark.parametrize("strict", [True, False])
def test_memory_that_a_pickle_asks_for_is_bounded_by_the_file(strict):
    asked = b"\x80\x05\x96" + (1 << 50).to_bytes(8, "little") + b"."
    with pytest.raises((pickle.UnpicklingError, ValueError), match="bytearray"):
        torch.load(archive(asked), weights_only=strict)


def test_compressed_archives_are_bounded_by_the_file():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("archive/data.pkl", b"N." + bytes(1 << 20))
    for load in (torch.load, torch.serialization.get_unsafe_globals_in_checkpoint):
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError, match="without compression"):
            load(file)
