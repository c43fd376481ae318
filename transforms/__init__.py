"""How an operation is reinterpreted: one interpreter a file, thin drivers over them."""
