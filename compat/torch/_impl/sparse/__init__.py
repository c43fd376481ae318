"""Sparse tensors in coordinate format; loaded when the first one is made."""
