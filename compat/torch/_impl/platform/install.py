"""`import torch` answered by covector.compat.torch."""

import contextlib

from ....aliases import answer
from ..types.tensor_type import Tensor

# `import torch` answered by covector.compat.torch.

with contextlib.suppress(ImportError):  # of a Python that cannot start processes
    import multiprocessing.connection  # noqa: F401 (programs find it loaded where torch is)

OURS = __name__.partition("._impl.")[0]
THEIRS = "torch"


def install():
    """Let `import torch`, and of every submodule, give covector.compat.torch from now on in this process.

    `import functorch`, which PyTorch brings too, is answered likewise, and `importlib.metadata.version("torch")`.

    Programs and libraries that were written for PyTorch then run on covector unchanged. Call it before they are
    imported; calling it again does nothing. `python -m covector.compat.torch script.py` runs a script so.

    Raises:
        RuntimeError: PyTorch itself is imported already: objects of both would meet.

    >>> import covector.compat.torch
    >>> covector.compat.torch.install()  # doctest: +SKIP
    >>> import torch  # doctest: +SKIP
    >>> torch.__name__, torch.__spec__.name  # doctest: +SKIP
    ('torch', 'covector.compat.torch')
    """
    if answer(OURS, THEIRS, f"{OURS}._impl", "docs/compat_gaps.md says what to use instead"):
        answer(f"{OURS}._functorch", "functorch", f"{OURS}._impl", "torch.func has its functions")
        Tensor.__module__ = THEIRS  # libraries tell arrays apart by it
