"""Native code for what compat does most often: its text, and functions of it."""
