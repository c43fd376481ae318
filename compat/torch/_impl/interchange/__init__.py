"""Tensors exchanged with files and with other libraries."""
