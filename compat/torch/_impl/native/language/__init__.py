"""Functions on Python's objects in native code, written in a small part of Python."""
