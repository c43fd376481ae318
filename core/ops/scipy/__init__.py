"""Operations whose algorithm is SciPy's: its values, and rules of derivatives written in operations."""
