"""Shared internals of covector.compat.autograd without a counterpart in autograd."""
