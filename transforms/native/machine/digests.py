"""SHA-256 as Python brings it along: `hashlib` loads OpenSSL first, which takes longer than a digest of object code."""

import sys

try:
    if sys.version_info >= (3, 12):
        from _sha2 import sha256  # type: ignore[import-not-found]
    else:
        from _sha256 import sha256  # type: ignore[import-not-found,no-redef]
except ImportError:
    from hashlib import sha256  # type: ignore[assignment]

__all__ = ["sha256"]
