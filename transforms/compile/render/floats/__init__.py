"""The renderer for Python floats: small programs with a variable for each element."""
