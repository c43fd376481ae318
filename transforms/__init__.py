"""Transforms of operations: one interpreter per file, with thin drivers on top."""
