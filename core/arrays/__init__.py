"""Arrays without their data: shapes, dtypes, axes, and the library an array belongs to."""
