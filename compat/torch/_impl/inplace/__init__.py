"""In-place operations."""
