"""How an operation is computed: one record a library."""
