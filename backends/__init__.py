"""Array backends: one record per library that computes operations."""
