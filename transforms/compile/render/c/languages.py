"""Differences between C and CUDA text."""

_WIDE = ("int64_t", "uint64_t", "double", "")
_NARROW = ("int32_t", "uint32_t", "float", "32")


class C:
    """C99, which is C++ as well."""

    inline = "static inline"
    aside = inline  # of what is called for few arguments
    table = "static const"

    @staticmethod
    def product(x, y, width):
        """A product that is rounded before anything is added to it."""
        return f"{x} * {y}"


class Cuda(C):
    """CUDA's C++; the intrinsic of a product is never contracted."""

    inline = "static __device__ __forceinline__"
    aside = "static __device__ __noinline__"
    table = "static __device__ const"

    @staticmethod
    def product(x, y, width):
        return f"__{'d' if width == 64 else 'f'}mul_rn({x}, {y})"


def _helpers():
    """`{name: (result, parameters, body)}` of the small functions that the text of a builder calls."""
    found = {}
    for whole, unsigned, real, suffix in (_WIDE, _NARROW):
        bits = 64 if not suffix else 32
        two = f"({whole} x, {whole} y)"
        for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*")):
            found[f"cv_{name}{bits}"] = whole, two, f"return ({whole})(({unsigned})x {sign} ({unsigned})y);"
        found[f"cv_shl{bits}"] = whole, two, f"return ({whole})(({unsigned})x << y);"
        found[f"cv_shr{bits}"] = whole, two, f"return ({whole})(({unsigned})x >> y);"
        found[f"cv_bits{bits}"] = whole, f"({real} x)", f"{whole} i; memcpy(&i, &x, sizeof i); return i;"
        found[f"cv_float{bits}"] = real, f"({whole} i)", f"{real} x; memcpy(&x, &i, sizeof x); return x;"
    for source in ("double", "float"):  # what does not fit is the least number, as on most processors
        end = "f" if source == "float" else ""
        found[f"cv_whole64{end}"] = "int64_t", f"({source} x)", (
            f"return x >= -9223372036854775808.0{end} && x < 9223372036854775808.0{end} ? (int64_t)x : "
            "(-9223372036854775807LL - 1);")
        least = "x > -2147483649.0" if source == "double" else "x >= -2147483648.0f"
        found[f"cv_whole32{end}"] = "int32_t", f"({source} x)", (
            f"return {least} && x < 2147483648.0{end} ? (int32_t)x : (-2147483647 - 1);")
    return found


HELPERS = _helpers()
