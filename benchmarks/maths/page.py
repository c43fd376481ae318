"""Writes the page of measured errors and times."""

HEAD = """# Elementary functions of native code

Written by `python benchmarks/maths/ulp.py`. Each function of `transforms/compile/maths` is written once, without
branches, for `float64` and `float32`, and becomes vector instructions where a loop calls it. They take every argument:
subnormal and huge numbers, infinities, NaN and signed zeros as NumPy and SciPy do, without warnings.

**Error** is the largest distance from the true value, in units in the last place (ulp) of it, over the arguments that
the last column counts. Half of these are uniform in bit patterns, unless a range is noted, half uniform in ranges of
interest. All were compared with the C library in long double, whose 64 bits of mantissa tell 0.001 ulp of `float64`.
The 100 worst of each row were computed again by mpmath with 400 bits; the table shows the largest of those errors.

**Time** is for one element of 4,000 in the cache, on one thread of an x86-64 processor with AVX-512, beside NumPy's
function, which is that of SVML there: the least of 200. Where `wide` is noted, single precision is computed in
lanes of double precision, of which there are half as many.

| function | dtype | error, ulp | at | ns | NumPy ns | arguments |
| --- | --- | --- | --- | --- | --- | --- |
"""
TAIL = """
Where two terms cancel, double precision keeps what is left of them: `logaddexp` of two negative numbers next to zero,
`gammaln` below -2 and `digamma` below -0.49 next to their zeros. There the table counts in ulp of the term named.

`sin`, `cos` and `tan` reduce every argument as if pi were known exactly, large ones by 1,200 binary digits of 2 / pi.
Without branches that costs as much for small arguments. `NEAR` has functions without it, for blocks of arguments that
are all below 2 ** 30, or 2 ** 17 in single precision; the rows "of NEAR" are theirs.

A value of few numbers, as in a loop over a small state, waits for each function. There `exp` of up to three looks up a
power of two, and `tanh` of up to four the coefficients of a short polynomial, which shortens the wait by a third and by
a half; the rows "of FEW" are those functions'.

Where a float32 kernel may round products and sums as one, as in `gelu` outside `jit`, its `exp` keeps nothing of what
lies below the last place, as NumPy's; the row "of QUICK" is that function's.

`python benchmarks/maths/every_float.py NAME` takes all 2³² arguments of single precision: the largest errors of `exp`
and `log` are 0.793 ulp, at -87.633, and 0.653 ulp, at 0.7026.

Coefficients are computed by a Remez exchange of our own with mpmath: `python benchmarks/maths/coefficients.py` writes
`transforms/compile/maths/coefficients.py`, the same each time.
"""
WIDE = {"sin", "cos", "tan", "power", "logaddexp", "logaddexp2", "erf", "erfc", "gammaln", "digamma", "ndtr", "gelu",
        "i0", "i1", "i0e", "i1e"}


def write(path, results, rows):
    """Write the page at `path`: `rows` are names and notes, in order."""
    lines = []
    for name, note in rows:
        for width in (64, 32):
            entry = results.get(f"{name} {width} {note}".strip())
            if entry is None or "ulp" not in entry:
                continue
            wide = ", wide" if width == 32 and name in WIDE and "NEAR" not in note else ""
            at = ", ".join(f"{x:.6g}" for x in entry["at"])
            numpy = "" if entry["numpy_ns"] is None else f"{entry['numpy_ns']:.1f}"
            title = f"`{name}`" + (f" {note}" if note else "")
            lines.append(
                f"| {title} | `float{width}`{wide} | {entry['ulp']:.2f} | {at} | {entry['ns']:.1f} | {numpy} | "
                f"{entry['count']:,} |"
            )
    path.write_text(HEAD + "\n".join(lines) + "\n" + TAIL, encoding="utf-8")
