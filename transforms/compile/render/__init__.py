"""Renderers: source for NumPy and for Python floats, LLVM, C and CUDA, and what their text shares."""
