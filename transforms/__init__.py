"""How an operation is reinterpreted: one interpreter per file, with thin drivers on top."""
