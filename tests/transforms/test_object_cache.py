"""The cache of object code on disk: what a second process finds, what is not trusted, and where nothing can be kept."""

import gc
import hashlib
import os
import resource
import stat
import subprocess
import sys
import textwrap
import threading
import time
import warnings
import weakref

import numpy as np
import pytest

import covector as cv
from covector import cache
from covector.transforms.compile.machine import engine, object_cache
from covector.transforms.compile.machine.object_cache import ObjectCache

KEY, OTHER = hashlib.sha256(b"a").digest(), hashlib.sha256(b"b").digest()
needs_llvm = pytest.mark.skipif("not __import__('importlib.util').util.find_spec('llvmlite')",
                                reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
needs_owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the cache needs files with owners")
pytestmark = needs_owners
PROGRAM = textwrap.dedent("""
    import numpy as np
    import covector as cv
    from covector.transforms.compile.machine.engine import machine

    def loss(w, x):
        s, rows = cv.scan(lambda s, r: (np.tanh(s @ w + r), s * 2.0), x[0], x)
        return np.sum(np.sin(rows) ** 1.5) + np.sum(np.exp(-s * s)) + np.sum(np.tanh(w @ x.T) * TABLE)

    TABLE = np.cos(np.arange(12 * 30.0)).reshape(12, 30)
    w, x = np.linspace(0.0, 0.2, 144).reshape(12, 12), np.linspace(0.1, 0.9, 360).reshape(30, 12)
    f = cv.jit(cv.value_and_grad(loss), compiler_options={"printer": "llvm"})
    value, slope = f(w, x)
    assert np.allclose(slope, cv.grad(loss)(w, x), 1e-9)
    print(machine().compiled, value.tobytes().hex(), slope.tobytes().hex())
""")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A cache of its own, and no warning given so far."""
    monkeypatch.setenv("COVECTOR_CACHE_DIR", str(tmp_path / "objects"))
    monkeypatch.setattr(object_cache, "_TOLD", set())
    return ObjectCache(tmp_path / "objects")


def outcome(**environment):
    """(modules that were compiled, the results) of the program in a process of its own."""
    done = subprocess.run([sys.executable, "-P", "-c", PROGRAM], capture_output=True, text=True, check=True,
                          env={**os.environ, **environment})
    assert "Warning" not in done.stderr
    count, *results = done.stdout.split()
    return int(count), results


def path_of(files, key=KEY):
    return files.folder / f"{key.hex()}.o"


@needs_llvm
def test_a_second_process_compiles_nothing(files):
    first = outcome(PYTHONHASHSEED="1")
    second = outcome(PYTHONHASHSEED="2")
    assert first[0] > 3 and second[0] == 0
    assert second[1] == first[1]
    assert outcome(COVECTOR_CACHE="0")[1] == first[1]


@needs_llvm
def test_texts_are_the_same_in_every_process():
    program = PROGRAM + "\nimport hashlib; print(hashlib.sha256(f.lower(w, x).source.encode()).hexdigest())"
    found = {subprocess.run([sys.executable, "-P", "-c", f"pad = [object() for _ in range({k})]\n{program}"],
                            capture_output=True, text=True, check=True).stdout.split()[-1] for k in (0, 1001, 70_003)}
    assert len(found) == 1


@needs_llvm
def test_no_address_stands_in_the_text():
    table = np.cos(np.arange(100.0))
    f = cv.jit(lambda x: np.sum(np.sin(x) * table) + (x[:, None] * table) @ table, compiler_options={"printer": "llvm"})
    source = f.lower(np.ones(100)).source
    assert "inttoptr (" not in source and str(id(np.ndarray)) not in source and "; table: " in source


@needs_llvm
def test_functions_of_one_text_share_their_code(files):
    def made(k):
        table = np.arange(100.0) * k  # a constant that is no part of the code
        return cv.jit(lambda x: np.sum(np.sin(x) * table), compiler_options={"printer": "llvm"})

    one, two = made(1.0), made(2.0)
    x = np.linspace(0.0, 1.0, 100)
    first = one(x)
    compiled = engine.machine().compiled
    assert np.isclose(two(x), 2.0 * first) and one(x) == first
    assert engine.machine().compiled == compiled


@needs_llvm
def test_memory_of_dead_functions_is_freed(files):
    def made(k):
        f = cv.jit(lambda x: np.sin(x) * float(k), compiler_options={"printer": "llvm"})
        f(np.ones(7))
        return f

    made(2)
    gc.collect()
    loaded = engine.machine().loaded
    before = len(loaded)
    functions = [made(k) for k in range(3, 8)]
    assert len(loaded) == before + 5
    functions.clear()
    gc.collect()
    assert len(loaded) == before


FRESH = textwrap.dedent("""
    import gc
    import numpy as np
    import psutil
    import covector as cv

    def resident():
        gc.collect()
        return psutil.Process().memory_info().rss

    def compiled(count, first):
        for k in range(first, first + count):
            cv.jit(lambda x: np.sum(x * x * k) / (x[0] + k), compiler_options={"printer": "llvm"})(x)

    x = np.ones(1000)
    compiled(200, 0)
    before = resident()
    for first in range(200, 1000, 100):
        compiled(100, first)
        gc.collect()  # functions are in cycles: how many are there at a time is not asked here
    print(resident() - before)
""")


@needs_llvm
def test_memory_of_fresh_functions_is_bounded():
    pytest.importorskip("psutil")
    done = subprocess.run([sys.executable, "-P", "-c", FRESH], capture_output=True, text=True, check=True,
                          env={**os.environ, "COVECTOR_CACHE": "0"})
    assert int(done.stdout) < 3 << 20  # 1 MB; LLVM keeps 4 more where each function has passes of its own


@needs_llvm
def test_code_keeps_the_elementary_functions_that_it_calls(files, monkeypatch):
    known = engine.machine()
    monkeypatch.setattr(known, "elementary", {})
    monkeypatch.setattr(known, "loaded", weakref.WeakValueDictionary())
    f = cv.jit(lambda x: np.sum(np.exp(x)), compiler_options={"printer": "llvm"})
    x = np.linspace(0.1, 1.0, 50)
    wanted = f(x)
    called = [weakref.ref(code) for code in known.elementary.values()]
    known.elementary.clear()
    gc.collect()
    assert called and all(code() is not None for code in called)
    assert f(x) == wanted
    del f
    gc.collect()
    assert all(code() is None for code in called)


@needs_llvm
@pytest.mark.parametrize("spoil", [lambda data: b"", lambda data: data[:64], lambda data: data[:-30],
                                   lambda data: b"\x7fELF garbage" * 50, lambda data: b"\xff" * len(data)],
                         ids=["empty", "head", "cut", "garbage", "no text"])
def test_contents_that_are_none_are_replaced(files, spoil):
    """Their checksums are right."""
    before = outcome()
    for path in files.folder.glob("*.o"):
        data, key = path.read_bytes(), bytes.fromhex(path.stem)
        body = spoil(data[len(object_cache._MAGIC) + 64 :])
        path.write_bytes(object_cache._MAGIC + key + hashlib.sha256(body).digest() + body)
    done = subprocess.run([sys.executable, "-P", "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stderr.count("CacheWarning") == 1 and "is damaged" in done.stderr
    assert done.stdout.split()[1:] == before[1]
    assert outcome() == (0, before[1])


def test_what_is_kept_is_found(files):
    assert files.get(KEY) is None and not files.folder.exists()
    files.put(KEY, b"code")
    assert files.get(KEY) == b"code" and files.get(OTHER) is None
    assert stat.S_IMODE(files.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(path_of(files).stat().st_mode) == 0o600
    assert cache.info() == (files.folder, 1, path_of(files).stat().st_size)
    assert cache.clear() == 1 and cache.info().files == 0 and files.get(KEY) is None


def damage(files, data):
    path_of(files).write_bytes(data)


def swap(files):
    files.put(OTHER, b"other")
    os.replace(path_of(files, OTHER), path_of(files))


def link(files):
    elsewhere = files.folder.parent / "elsewhere"
    os.replace(path_of(files), elsewhere)
    path_of(files).symlink_to(elsewhere)


@pytest.mark.parametrize("spoil", [
    lambda files: damage(files, path_of(files).read_bytes()[:-1]), lambda files: damage(files, b""),
    lambda files: damage(files, path_of(files).read_bytes()[:40]), lambda files: damage(files, b"something else"),
    lambda files: damage(files, path_of(files).read_bytes()[:-1] + b"!"), swap, link,
    lambda files: path_of(files).chmod(0o620), lambda files: path_of(files).chmod(0o602)],
    ids=["cut", "empty", "head", "foreign", "poisoned", "of another key", "link", "group may write", "all may write"])
def test_a_file_that_cannot_be_trusted_is_replaced(files, spoil):
    files.put(KEY, b"code")
    spoil(files)
    with pytest.warns(cache.CacheWarning, match="a file of compiled code, .*; the code is compiled again") as caught:
        assert files.get(KEY) is None and files.get(KEY) is None
    assert len(caught) == 1
    files.put(KEY, b"new")
    assert files.get(KEY) == b"new"


def test_a_pipe_in_place_of_a_file(files):
    files.put(KEY, b"code")
    path_of(files).unlink()
    os.mkfifo(path_of(files))
    with pytest.warns(cache.CacheWarning, match="no file of this user"):
        assert files.get(KEY) is None


def test_files_of_somebody_else_are_not_used(files, monkeypatch):
    files.put(KEY, b"code")
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.warns(cache.CacheWarning, match="belongs to somebody else"):
        assert files.get(KEY) is None
    files.put(OTHER, b"other")
    monkeypatch.undo()
    assert not path_of(files, OTHER).exists()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_that_others_may_write_to_is_not_used(files, mode):
    files.put(KEY, b"code")
    files.folder.chmod(mode)
    with pytest.warns(cache.CacheWarning, match="others may write to it; run chmod 700 on it") as caught:
        assert files.get(KEY) is None
        files.put(OTHER, b"other")
    assert len(caught) == 1 and not path_of(files, OTHER).exists()


@pytest.mark.parametrize("place", ["/proc/covector", "file/covector", "file"])
def test_where_no_folder_can_be_made(tmp_path, monkeypatch, place):
    monkeypatch.setattr(object_cache, "_TOLD", set())
    (tmp_path / "file").write_bytes(b"")
    files = ObjectCache(tmp_path / place)
    with pytest.warns(cache.CacheWarning, match="the cache of compiled code is not used: ") as caught:
        files.put(KEY, b"code")
        files.put(OTHER, b"code")
        assert files.get(KEY) is None
    assert len(caught) == 1


def test_a_folder_that_is_full(files):
    files.put(KEY, b"code")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.warns(cache.CacheWarning, match="is not used: .*; code is compiled in each process") as caught:
            files.put(OTHER, bytes(100_000))
            files.put(OTHER, bytes(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(caught) == 1
    assert os.listdir(files.folder) == [path_of(files).name]  # and nothing half written
    assert files.get(KEY) == b"code"


def test_the_warning_can_be_filtered(files):
    files.put(KEY, b"code")
    damage(files, b"")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", cache.CacheWarning)
        assert files.get(KEY) is None


def test_oldest_files_go_first(files, monkeypatch):
    monkeypatch.setenv("COVECTOR_CACHE_SIZE", "20K")
    keys = [hashlib.sha256(b"%d" % k).digest() for k in range(12)]
    for k, key in enumerate(keys[:8]):
        files.put(key, bytes(2000))
        os.utime(path_of(files, key), (k, k))
    assert files.get(keys[0]) == bytes(2000)  # used just now
    for key in keys[8:]:
        files.put(key, bytes(2000))
    kept = [k for k, key in enumerate(keys) if path_of(files, key).exists()]
    assert 0 in kept and 1 not in kept and 11 in kept
    assert cache.info().bytes <= 20 << 10


def test_a_file_that_is_larger_than_the_limit(files, monkeypatch):
    monkeypatch.setenv("COVECTOR_CACHE_SIZE", "1000")
    files.put(KEY, bytes(5000))
    assert cache.info().files == 0


@pytest.mark.parametrize(("text", "wanted"), [("", 256 << 20), ("1000", 1000), ("1.5K", 1536), ("2M", 2 << 20),
                                              ("1G", 1 << 30), ("1GB", 1 << 30)])
def test_sizes(monkeypatch, text, wanted):
    monkeypatch.setenv("COVECTOR_CACHE_SIZE", text)
    assert object_cache.limit() == wanted


@pytest.mark.parametrize("text", ["much", "nan", "inf", "1e400"])
def test_a_size_that_is_none(files, monkeypatch, text):
    monkeypatch.setenv("COVECTOR_CACHE_SIZE", text)
    with pytest.warns(cache.CacheWarning, match=f"COVECTOR_CACHE_SIZE is '{text}', which is no number of bytes as"):
        assert object_cache.limit() == 256 << 20


def test_unfinished_files_are_removed_when_they_are_old(files):
    files.put(KEY, b"code")
    old, new = files.folder / "a.1.part", files.folder / "a.2.part"
    for path in (old, new):
        path.write_bytes(b"")
    os.utime(old, (time.time() - 1e5,) * 2)
    assert cache.info().files == 1
    assert not old.exists() and new.exists()


def test_the_cache_is_off(files, monkeypatch):
    monkeypatch.setenv("COVECTOR_CACHE", "0")
    assert object_cache.folder() is None and cache.info() == (None, 0, 0) and cache.clear() == 0
    assert engine.machine.__wrapped__().files() is None if engine.installed("llvmlite") else True


@pytest.mark.parametrize(("environment", "wanted"), [
    ({"COVECTOR_CACHE_DIR": "/a/b"}, "/a/b"), ({"XDG_CACHE_HOME": "/x"}, "/x/covector"),
    ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/covector"), ({}, "/home/me/.cache/covector")])
def test_the_folder(monkeypatch, environment, wanted):
    for name in ("COVECTOR_CACHE_DIR", "XDG_CACHE_HOME", "COVECTOR_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", "linux")
    assert str(object_cache.folder()) == wanted
    monkeypatch.setattr(sys, "platform", "darwin")
    assert str(object_cache.folder()) == (wanted if wanted == "/a/b" else "/home/me/Library/Caches/covector")


def test_tests_do_not_touch_the_cache_of_the_user():
    assert "covector-tests-" in str(object_cache.folder())


WRITER = textwrap.dedent("""
    import hashlib, sys
    from pathlib import Path
    from covector.transforms.compile.machine.object_cache import ObjectCache

    files = ObjectCache(Path(sys.argv[1]))
    for turn in range(200):
        key = hashlib.sha256(b"%d" % (turn % 7)).digest()
        found = files.get(key)
        assert found is None or found == key * 500, "a file of another, or a part of one"
        files.put(key, key * 500)
""")


def test_several_processes_write_at_the_same_time(files):
    running = [subprocess.Popen([sys.executable, "-P", "-W", "error", "-c", WRITER, str(files.folder)],
                                stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "COVECTOR_CACHE_SIZE": "100K"}) for _ in range(4)]
    assert [(process.communicate()[1], process.returncode) for process in running] == [("", 0)] * 4
    assert cache.info().bytes <= 100 << 10


@needs_llvm
def test_several_processes_compile_at_the_same_time(files):
    found = []
    threads = [threading.Thread(target=lambda: found.append(outcome()[1])) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3 and found[0] == found[1] == found[2]


def test_the_command(files):
    def run(*arguments):
        done = subprocess.run([sys.executable, "-P", "-m", "covector.cache", *arguments],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    files.folder.touch()
    assert run() == (1, f"{files.folder}: 0 files, 0 bytes\nthe cache of compiled code is not used: [Errno 20] Not a "
                        f"directory: '{files.folder}'; code is compiled in each process. Set COVECTOR_CACHE_DIR to a "
                        "folder that can be written to, or COVECTOR_CACHE=0\n")
    files.folder.unlink()
    files.put(KEY, b"code")
    size = path_of(files).stat().st_size
    assert run() == (0, f"{files.folder}: 1 files, {size} bytes\n")
    assert run("clear") == (0, "removed 1 files\n")
    assert run("clean")[0] == 2 and "got clean" in run("clean")[1]
    assert run("--help")[0] == 0 and "clear empties it" in run("--help")[1]
    done = subprocess.run([sys.executable, "-P", "-c", "import sys, covector.cache; print('llvmlite' in sys.modules)"],
                          capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_damaged_file_of_any_size_is_told_and_not_read(files):
    files.put(KEY, b"code")
    os.truncate(path_of(files), 1 << 40)  # with a hole: it takes no room
    with pytest.warns(cache.CacheWarning, match="is damaged"):
        assert files.get(KEY) is None
