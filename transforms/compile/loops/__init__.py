"""The loop IR: statements, loop nests and memory operands, constants and elementwise operations."""
