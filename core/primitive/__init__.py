"""Declaration of operations: one statement each, families of them, and the fast lanes derived from it."""
