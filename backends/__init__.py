"""How an operation is computed: one record per array library."""
