"""What is known of arrays without computing: shapes, dtypes, axes, and the library an array belongs to."""
