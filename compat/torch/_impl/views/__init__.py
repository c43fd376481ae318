"""Tensors that share memory."""
