"""LLVM through llvmlite, imported when native code is first asked for."""

from ..core.arrays.backend import register_compiler


def _llvmlite():
    """The optional extra `llvm`."""
    import llvmlite.binding

    return llvmlite.binding


register_compiler("llvmlite", _llvmlite, "llvm")
