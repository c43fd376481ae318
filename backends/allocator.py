"""The C library's allocator keeps the pages of freed arrays; `COVECTOR_KEEP_FREED_PAGES=0` leaves it as it is."""

import os

import numpy as np


def keep_freed_pages():
    """Let the C library keep the pages of freed arrays for the next ones.

    A gradient frees all it saved at once. glibc returns free memory above twice the largest block it ever unmapped, so
    the next call faults every page in again: 3.7 ms in place of 0.7 for a chain on 10⁵ elements. Unmapping a block of
    just under 32 MiB, never touched, puts that limit where the first array of this size would put it: at its maximum,
    64 MiB. Limits set by the user (MALLOC_TRIM_THRESHOLD_ and others) stay; other C libraries notice nothing.
    """
    np.empty((32 << 20) - (64 << 10), np.uint8)


if os.environ.get("COVECTOR_KEEP_FREED_PAGES", "1") != "0":
    keep_freed_pages()
