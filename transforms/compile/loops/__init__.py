"""The loop IR: statements, their nests and places, constants and elementwise operations."""
