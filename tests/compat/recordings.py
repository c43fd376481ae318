"""Answers of PyTorch in `recorded/`, one JSON file a test module: what the plain run asserts against, without PyTorch.

An answer is a nest as `harness.record` makes it. Numbers are written so that they read back exactly, NaN and infinities
as JSON of Python has them, those of single precision by the fewest digits; more than 8 are bytes in base64.
"""

import base64
import functools
import json
from pathlib import Path

import numpy as np

HERE = Path(__file__).with_name("recorded")
TESTS = HERE.parent
TENSOR = ("dtype", "shape", "stride", "requires_grad", "leaf", "fn", "value")
SINGLE = {"float32": np.float32, "float16": np.float32, "bfloat16": np.float32, "complex64": np.complex64}


class Recording:
    """The recorded answers of one test module, given by its path below `tests/compat`."""

    def __init__(self, module):
        self.path = (HERE / module).with_suffix(".json")
        found = json.loads(self.path.read_text()) if self.path.exists() else {"torch": None, "answers": {}}
        self.version, self.answers = found["torch"], found["answers"]
        self.keys = set()  # of the tests that were collected

    def get(self, key):
        """The recorded answer of one test."""
        assert key in self.answers, (f"{key} has no recorded answer in {self.path.name}; record it where PyTorch is "
                                     "installed: pytest -m reference --record-answers, and commit the file")
        return decode(self.answers[key])

    def put(self, key, answer, version):
        """Write the answer of one test, one line of the file; lines of tests that are gone go."""
        self.answers[key], self.version = json.loads(json.dumps(encode(answer))), version
        self.answers = {k: self.answers[k] for k in sorted(self.answers) if k in self.keys}
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in self.answers.items())
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(f'{{"torch": {json.dumps(version)}, "answers": {{\n{lines}\n}}}}\n')


recording = functools.cache(Recording)  # by module


def encode(value):
    """What JSON can hold of an answer; `@` begins the names that `decode` knows."""
    if isinstance(value, np.ndarray):
        dtype, single = value.dtype.name, {"c": "complex64", "f": "float32"}.get(value.dtype.kind)
        if single and np.array_equal(value, array(numbers(value, single), single), equal_nan=True):
            dtype = single
        return {"@array": dtype, "of": numbers(value, dtype)}
    if isinstance(value, dict) and tuple(value) == TENSOR:
        return encode_tensor(*value.values())
    if isinstance(value, dict):
        assert not any(k.startswith("@") for k in value), "a name that begins with @ is not recorded"
        return {k: encode(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return {"@tuple": [encode(v) for v in value]}
    if isinstance(value, list):
        return [encode(v) for v in value]
    return {"@complex": [value.real, value.imag]} if isinstance(value, complex) else value


def encode_tensor(dtype, shape, stride, requires_grad, leaf, fn, value):
    """A tensor, without what follows from the rest."""
    dtype = dtype.removeprefix("torch.")
    found = {"@tensor": dtype, "of": numbers(value, dtype)}
    for name, fact, usual in (("shape", shape, value.shape), ("stride", stride, contiguous(shape)),
                              ("requires_grad", requires_grad, fn is not None), ("leaf", leaf, fn is None),
                              ("fn", fn, None)):
        if fact != usual:
            found[name] = fact
    return found


def decode(value):
    """The answer that `encode` was given."""
    if isinstance(value, list):
        return [decode(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "@array" in value:
        return array(value["of"], value["@array"])
    if "@tensor" in value:
        values, fn = array(value["of"], value["@tensor"]), value.get("fn")
        shape = tuple(value.get("shape", values.shape))
        stride = tuple(value.get("stride", contiguous(shape)))
        return dict(zip(TENSOR, (f"torch.{value['@tensor']}", shape, stride, value.get("requires_grad", fn is not None),
                                 value.get("leaf", fn is None), fn, values)))
    if "@tuple" in value:
        return tuple(decode(v) for v in value["@tuple"])
    return complex(*value["@complex"]) if "@complex" in value else {k: decode(v) for k, v in value.items()}


def numbers(values, dtype):
    """The entries of an array: a nest of numbers, or shape and bytes of many; of complex ones, both of their parts."""
    kind = np.float32 if dtype in SINGLE else np.float64
    if "complex" in dtype:
        return [numbers(part, np.dtype(kind).name) for part in (values.real, values.imag)]
    if values.dtype.kind != "f":
        return values.tolist()
    with np.errstate(over="ignore"):
        values = values.astype(kind)
    if values.size > 8:
        return f"{','.join(map(str, values.shape))}:{base64.b64encode(values.tobytes()).decode()}"
    return np.reshape([float(str(v)) for v in values.flat], values.shape).tolist()


def array(found, dtype):
    """The array whose `numbers` were found, of the dtype that `np.array` gives numbers of Python."""
    kind = np.float32 if dtype in SINGLE else np.float64
    if "complex" in dtype:
        real, imaginary = [array(part, np.dtype(kind).name) for part in found]
        if not real.size:
            return real
        both = np.empty(real.shape, np.complex128)
        both.real, both.imag = real, imaginary  # 1j * inf would be NaN
        return both
    if isinstance(found, str):
        shape, _, text = found.partition(":")
        values = np.frombuffer(base64.b64decode(text), kind)
        return values.astype(np.float64).reshape([int(n) for n in shape.split(",")])
    return np.array(found, np.float32).astype(np.float64) if dtype in SINGLE else np.array(found)


def contiguous(shape):
    """The strides of a tensor that lies in order."""
    return tuple(int(np.prod([max(n, 1) for n in shape[i + 1:]])) for i in range(len(shape)))
