"""Mangle the user's names and comments into C text without clashes."""

import re

from .....core.errors import at_user_line

_WORDS = frozenset("""
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr const_cast
continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if
inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast restrict return scratch short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while
xor xor_eq main memcpy blockIdx threadIdx blockDim gridDim warpSize
co_await co_return co_yield concept consteval constinit requires typeof_unqual
assert complex errno imaginary math_errhandling noreturn offsetof stderr stdin stdout
linux mips sparc sun unix
d_fileno sa_handler sa_sigaction sched_priority st_atime st_ctime st_mtime
""".split())  # of C, C++, the text that is written around, and macros in small letters
# Macros of headers and compilers, which may be read before: in capitals (but not W, W1 and W_0_1), or M_PIf and PRIu64.
_MACRO = re.compile(r"(?![AC-HJ-Z]\d*(_\d+)*$)(?!B(_\d+)*$)[A-Z][A-Z0-9_]*|(M|L|P|AF|PF|COVECTOR)_\w*|(PRI|SCN)\w+|"
                    r"(si|sigev)_\w*")
_CALLED = frozenset(name + end for name in ("fma", "sqrt", "fabs", "copysign", "floor", "rint", "trunc", "fmod")
                    for end in ("", "f"))
_RESERVED = re.compile(r"cv_\w*|cblas_\w*|Cblas\w*|\w*_t")
_OWN = re.compile(r"[vmksi]\d+")  # of the text itself
_MATHS = frozenset(name + end for name in """
acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh cbrt ccos ccosh ceil cexp cimag
clog conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh drem erf erfc exp exp10 exp2 expm1 fabs fdim
finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llrint llround log log10
log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb
scalbln scalbn significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
""".split() for end in ("", "f", "l"))
_LIBRARY = _MATHS | frozenset("""
fpclassify isfinite isgreater isgreaterequal isless islessequal islessgreater isnormal isunordered signbit signgam
feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feraiseexcept fesetenv fesetexceptflag fesetround
fetestexcept feupdateenv
isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit toascii tolower
toupper
abort abs atexit atof atoi atol atoll bsearch calloc div exit free getenv imaxabs imaxdiv labs ldiv llabs lldiv malloc
mblen mbstowcs mbtowc qsort rand realloc srand strtod strtof strtoimax strtol strtold strtoll strtoul strtoull strtoumax
system wcstombs wctomb
bcmp bcopy bzero ffs index memchr memcmp memmove memset rindex stpcpy stpncpy strcasecmp strcat strchr strcmp strcoll
strcpy strcspn strdup strerror strlen strncasecmp strncat strncmp strncpy strndup strpbrk strrchr strspn strstr strtok
strxfrm
clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek fsetpos
ftell fwrite getc getchar gets perror printf putc putchar puts remove rename rewind scanf setbuf setvbuf snprintf
sprintf sscanf stderr stdin stdout tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf
asctime clock ctime difftime errno gmtime localtime longjmp mktime raise setjmp signal strftime time
""".split())  # what C declares, and the headers of the text


def unused(name, taken):
    """A name that C has no other meaning for."""
    name = re.sub("_+", "_", name).strip("_") or "arg"
    for found in (name, f"{name}_", f"x_{name}_", *[f"x_{name}_{k}" for k in range(2, len(taken) + 3)]):
        if found not in taken and _is_name(found) and found not in _CALLED and not _OWN.fullmatch(found):
            taken.add(found)
            return found
    raise AssertionError(name)


def function_name(fun, name, who):
    """The name of the C function: as it was asked for, or that of a Python function."""
    if name is None:
        name = getattr(fun, "__name__", "")
        return name if _is_free(name) else "f"
    if not isinstance(name, str) or not _is_free(name):
        raise ValueError(f"{who} names a function and two files, but got name={name!r}; use letters, digits and _, and "
                         f"no name that C has for something, as for macros those in capitals{at_user_line()}")
    return name


def _is_free(name):
    return _is_name(name) and name not in _CALLED | _LIBRARY


def _is_name(text):
    """Tell whether a text is a name, and no word of the language, no macro, and none of the text's own functions."""
    return bool(re.fullmatch(r"[A-Za-z]\w*", text, re.ASCII)) and text not in _WORDS and not (
        _MACRO.fullmatch(text) or _RESERVED.fullmatch(text))


def comment(lines):
    """A comment of these lines, in ASCII; nothing in them ends it, or goes on behind it."""
    text = "\n".join(map(_harmless, lines))
    return f"/* {text}{'' if text.endswith(chr(10)) else ' '}*/"


def _harmless(line):
    text = line.encode("ascii", "backslashreplace").decode()
    text = re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02x}", text)
    text = re.sub(r"\*(?=/)|/(?=\*)|\?(?=\?)", r"\g<0> ", text)  # `??/` is a backslash, where trigraphs are read
    return re.sub(r"\\ *$", r"\g<0>.", text)  # a backslash at the end joins the next line to its own
