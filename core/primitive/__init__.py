"""How an operation is declared: one statement, its families, and the fast lanes made from it."""
