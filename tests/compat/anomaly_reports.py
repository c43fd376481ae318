"""What anomaly mode says: the error, the warnings, and the functions that it blames."""

import re
import warnings

from harness import attempt


def warned(fn):
    """The error of a function, and the texts it warned with, without lines of code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        error = attempt(fn)
    lines = [str(w.message) for w in caught]
    heads = [line.strip().split("\n")[0] for line in lines]
    return error, heads, lines


def shown(fn):
    """The error of a function, and of each warning its head and the last of this file's functions in it."""
    error, heads, lines = warned(fn)
    names = [[part.split(" in ")[1].split("\n")[0] for part in text.split("File ") if "test_anomaly" in part]
             for text in lines]
    return error, [(h[:60], n[-1:]) for h, n in zip(heads, names)]


def mode_with(torch, body):
    """Run `body(torch, x)` of a leaf of twos in anomaly mode."""
    def run():
        with torch.autograd.set_detect_anomaly(True):
            body(torch.full((2,), 2.0, requires_grad=True))
    return shown(run)


def fails(*given):
    raise ValueError("a hook")


def run(fn):
    """What a function raises, and the user's lines in the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            r = ("ok", None if fn() is None else "value")
        except Exception as e:
            r = (type(e).__name__, re.sub(r"0x[0-9a-f]+", "", str(e))[:200])
    w = []
    for c in caught:
        m = str(c.message)
        ls = [l.strip() for l in m.splitlines()]
        w.append(
            (c.category.__name__, [l for l in ls if l][0][:90], [l for l in ls if l.endswith("# L1") or "# L1" in l])
        )
    return r, w


def A(torch):
    return torch.autograd
