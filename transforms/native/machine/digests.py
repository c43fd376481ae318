"""SHA-256 as Python brings it along: `hashlib` loads OpenSSL first, which takes longer than a digest of object code."""

try:
    from _sha2 import sha256  # type: ignore[import-not-found] # CPython 3.12
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,no-redef] # CPython 3.11
    except ImportError:
        from hashlib import sha256  # type: ignore[assignment]

__all__ = ["sha256"]
