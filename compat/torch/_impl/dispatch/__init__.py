"""The path from a call of PyTorch's to primitives and back: arguments, bodies, layouts, outputs."""
