# cython: boundscheck=False, wraparound=False, cdivision=True
"""Ufuncs on small arrays: NumPy's own loops, called without what NumPy does around them.

Of 300 ns that a ufunc takes on four numbers, its loop takes 10; the rest looks up a loop by dtypes, asks the operands
for overrides and the context for an error state, and plans an iteration. Here a loop is looked up once, and run where
the operands are arrays of one native float that lie in order in memory, or such an array and a number.
"""

import numpy as np

cimport numpy as cnp
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyObject

cnp.import_array()
cnp.import_umath()

cdef extern from "numpy/ufuncobject.h":
    ctypedef void (*Loop "PyUFuncGenericFunction")(char **, cnp.npy_intp *, cnp.npy_intp *, void *) noexcept
    ctypedef struct UFunc "PyUFuncObject":
        Loop *functions
        void **data

cdef extern from "<fenv.h>":
    int feclearexcept(int) noexcept
    int fetestexcept(int) noexcept
    int RAISED "(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID)"

cdef enum:
    MOST = 4096  # elements of a result, from which on what NumPy does around a loop is little beside it
    AXES = 4  # of operands that are broadcast
    DOUBLE = 0
    SINGLE = 1
    NUMBER = 2
    OTHER = 3

cdef object ndarray = np.ndarray
cdef object float64 = np.float64
# A loop of these gives the same bits wherever it starts, so that broadcast operands may be taken row by row.
cdef object EXACT = frozenset({np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum})


cdef inline int kind_of(x) noexcept:
    """The kind of an operand: an array of native floats in memory that a loop can read, or a number, or neither."""
    cdef int kind
    if type(x) is ndarray:
        kind = cnp.PyArray_TYPE(<cnp.ndarray>x)
        if not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray>x):
            return OTHER
        return DOUBLE if kind == cnp.NPY_DOUBLE else SINGLE if kind == cnp.NPY_FLOAT else OTHER
    return NUMBER if type(x) is float or type(x) is float64 else OTHER


cdef inline bint in_order(x) noexcept:
    return cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>x)


cdef inline bint same_shape(x, y) noexcept:
    cdef int i, rank = cnp.PyArray_NDIM(<cnp.ndarray>x)
    if rank != cnp.PyArray_NDIM(<cnp.ndarray>y):
        return False
    for i in range(rank):
        if cnp.PyArray_DIMS(<cnp.ndarray>x)[i] != cnp.PyArray_DIMS(<cnp.ndarray>y)[i]:
            return False
    return True


cdef inline bint apart(x, out) noexcept:
    """Tell whether an operand is read before its memory is written to: it is the target itself, or lies elsewhere."""
    cdef char *first = cnp.PyArray_BYTES(<cnp.ndarray>x)
    cdef char *other = cnp.PyArray_BYTES(<cnp.ndarray>out)
    return (first == other and same_shape(x, out) or first + cnp.PyArray_NBYTES(<cnp.ndarray>x) <= other
            or other + cnp.PyArray_NBYTES(<cnp.ndarray>out) <= first)


cdef inline bint takes(out, like) noexcept:
    """Tell whether a result of the shape and layout of `like` can be written to a target."""
    return (type(out) is ndarray and kind_of(out) == kind_of(like) and cnp.PyArray_ISWRITEABLE(<cnp.ndarray>out)
            and same_shape(out, like) and in_order(out) == in_order(like)
            and (in_order(out) or cnp.PyArray_IS_F_CONTIGUOUS(<cnp.ndarray>out)))


cdef inline cnp.ndarray empty_like(x):
    return cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray>x), cnp.PyArray_DIMS(<cnp.ndarray>x),
                             cnp.PyArray_TYPE(<cnp.ndarray>x), not in_order(x))


cdef class Loops:
    """The loops of a ufunc over native floats, and the function that takes all other operands."""

    cdef Loop loops[2]
    cdef void *data[2]
    cdef object instead
    cdef bint quiet, exact

    cdef inline void run(self, int kind, char **places, cnp.npy_intp n, cnp.npy_intp *steps) noexcept:
        if not self.quiet and fetestexcept(RAISED):
            feclearexcept(RAISED)
        self.loops[kind](places, &n, steps, self.data[kind])

    cdef inline bint heard(self) noexcept:
        """Tell whether NumPy would warn of what was computed: then it computes it, and does."""
        if self.quiet or not fetestexcept(RAISED):
            return False
        feclearexcept(RAISED)
        return True

    cdef object one(self, x, out):
        cdef char *places[2]
        cdef cnp.npy_intp steps[2]
        cdef int kind = kind_of(x)
        cdef double number, answer
        cdef object found
        if kind <= SINGLE and cnp.PyArray_SIZE(<cnp.ndarray>x) <= MOST and (
                in_order(x) or cnp.PyArray_IS_F_CONTIGUOUS(<cnp.ndarray>x)):
            if out is None:
                found = empty_like(x)
            elif self.quiet and takes(out, x) and apart(x, out):
                found = out
            else:
                return self.instead(x, out)
            places[0] = cnp.PyArray_BYTES(<cnp.ndarray>x)
            places[1] = cnp.PyArray_BYTES(<cnp.ndarray>found)
            steps[0] = steps[1] = 4 if kind else 8
            self.run(kind, places, cnp.PyArray_SIZE(<cnp.ndarray>x), steps)
            if not self.heard():
                return found if self.quiet or cnp.PyArray_NDIM(<cnp.ndarray>found) else found[()]
        elif type(x) is float64 and out is None:
            number = PyFloat_AS_DOUBLE(x)
            places[0] = <char *>&number
            places[1] = <char *>&answer
            steps[0] = steps[1] = 8
            self.run(DOUBLE, places, 1, steps)
            if not self.heard():
                return float64(answer)
        return self.instead(x) if out is None else self.instead(x, out)

    cdef object two(self, x, y, out):
        cdef int first = kind_of(x), second = kind_of(y)
        cdef double wide
        cdef float narrow
        cdef char *number
        cdef char *places[3]
        cdef cnp.npy_intp steps[3]
        cdef int kind = first if first != NUMBER else second
        cdef object like, found = None
        if kind <= SINGLE and (first == second or first == NUMBER or second == NUMBER) and not (out is not None and not
                                                                                                self.quiet):
            steps[0] = steps[1] = steps[2] = 4 if kind else 8
            if first == NUMBER or second == NUMBER:
                like, number_of = (y, x) if first == NUMBER else (x, y)
                if (kind == DOUBLE or type(number_of) is float) and cnp.PyArray_NDIM(<cnp.ndarray>like) and (
                        cnp.PyArray_SIZE(<cnp.ndarray>like) <= MOST and in_order(like)):
                    wide = PyFloat_AS_DOUBLE(number_of)
                    narrow = <float>wide
                    number = <char *>&narrow if kind else <char *>&wide
                    found = self.target(like, like, like, out)
                    if found is not None:
                        places[0] = number if first == NUMBER else cnp.PyArray_BYTES(<cnp.ndarray>x)
                        places[1] = number if second == NUMBER else cnp.PyArray_BYTES(<cnp.ndarray>y)
                        steps[1 if second == NUMBER else 0] = 0
                        if kind and narrow - narrow != 0 and wide - wide == 0:
                            return self.instead(x, y) if out is None else self.instead(x, y, out)
            else:
                like = x if cnp.PyArray_NDIM(<cnp.ndarray>x) >= cnp.PyArray_NDIM(<cnp.ndarray>y) else y
                places[0] = cnp.PyArray_BYTES(<cnp.ndarray>x)
                places[1] = cnp.PyArray_BYTES(<cnp.ndarray>y)
                if same_shape(x, y):
                    if in_order(x) and in_order(y) or (cnp.PyArray_IS_F_CONTIGUOUS(<cnp.ndarray>x)
                                                       and cnp.PyArray_IS_F_CONTIGUOUS(<cnp.ndarray>y)):
                        found = self.target(like, x, y, out)
                elif in_order(x) and in_order(y):
                    if cnp.PyArray_NDIM(<cnp.ndarray>y) == 0:
                        steps[1] = 0
                        found = self.target(like, x, y, out)
                    elif cnp.PyArray_NDIM(<cnp.ndarray>x) == 0:
                        steps[0] = 0
                        found = self.target(like, x, y, out)
                    elif self.exact and (out is None or takes(out, like) and apart(x, out) and apart(y, out)):
                        found = self.rows(kind, x, y, out)
                        if found is not None and not self.heard():
                            return found
                        found = None
            if found is not None:
                places[2] = cnp.PyArray_BYTES(<cnp.ndarray>found)
                self.run(kind, places, cnp.PyArray_SIZE(<cnp.ndarray>found), steps)
                if not self.heard():
                    return found if self.quiet or cnp.PyArray_NDIM(<cnp.ndarray>found) else found[()]
        return self.instead(x, y) if out is None else self.instead(x, y, out)

    cdef inline object target(self, like, x, y, out):
        """The array that a result is written to, of the shape of `like`; None where NumPy should find it."""
        if cnp.PyArray_SIZE(<cnp.ndarray>like) > MOST:
            return None
        if out is None:
            return empty_like(like)
        return out if takes(out, like) and apart(x, out) and apart(y, out) else None

    cdef object rows(self, int kind, x, y, target):
        """Two arrays in order in memory of unlike shapes, row by row; None where they do not belong together, or in a
        target."""
        cdef cnp.npy_intp dims[AXES]
        cdef cnp.npy_intp at[AXES]
        cdef cnp.npy_intp strides[2][AXES]
        cdef char *places[3]
        cdef char *starts[3]
        cdef cnp.npy_intp steps[3]
        cdef cnp.npy_intp item = 4 if kind else 8, size = 1, n, m
        cdef int rank = max(cnp.PyArray_NDIM(<cnp.ndarray>x), cnp.PyArray_NDIM(<cnp.ndarray>y)), i, k, axis
        cdef cnp.ndarray out, operand
        if rank > AXES:
            return None
        for i in range(rank):
            dims[i] = 1
            at[i] = 0
        for k in range(2):
            operand = <cnp.ndarray>(y if k else x)
            for i in range(rank):
                axis = i - rank + cnp.PyArray_NDIM(operand)
                m = cnp.PyArray_DIMS(operand)[axis] if axis >= 0 else 1
                strides[k][i] = 0 if m == 1 else cnp.PyArray_STRIDES(operand)[axis]
                if m != 1:
                    if dims[i] != 1 and dims[i] != m:
                        return None
                    dims[i] = m
        for i in range(rank):
            size *= dims[i]
        if size > MOST or size == 0:
            return None
        if target is None:
            out = cnp.PyArray_EMPTY(rank, dims, cnp.NPY_FLOAT if kind else cnp.NPY_DOUBLE, 0)
        elif cnp.PyArray_SIZE(<cnp.ndarray>target) == size:
            out = target
        else:
            return None
        starts[0] = cnp.PyArray_BYTES(<cnp.ndarray>x)
        starts[1] = cnp.PyArray_BYTES(<cnp.ndarray>y)
        starts[2] = cnp.PyArray_BYTES(out)
        n = dims[rank - 1]
        steps[0], steps[1], steps[2] = strides[0][rank - 1], strides[1][rank - 1], item
        if not self.quiet and fetestexcept(RAISED):
            feclearexcept(RAISED)
        while True:
            places[0], places[1], places[2] = starts[0], starts[1], starts[2]
            self.loops[kind](places, &n, steps, self.data[kind])
            starts[2] += n * item
            axis = rank - 2
            while axis >= 0:
                at[axis] += 1
                starts[0] += strides[0][axis]
                starts[1] += strides[1][axis]
                if at[axis] < dims[axis]:
                    break
                starts[0] -= strides[0][axis] * dims[axis]
                starts[1] -= strides[1][axis] * dims[axis]
                at[axis] = 0
                axis -= 1
            if axis < 0:
                return out


def small(ufunc, instead, quiet=False):
    """`ufunc`, which runs its loop at once on small arrays of native floats.

    Args:
        ufunc: one of NumPy's, of one or two operands.
        instead: is called with the same arguments where these are others.
        quiet: nobody asks for NumPy's warnings, and an array without axes comes of one without.
    Returns:
        a function of the operands, and of an array to write to; `instead` where there are no loops over native floats.
    """
    cdef Loops found = Loops()
    cdef UFunc *seen = <UFunc *><PyObject *>ufunc
    if vars(np).get(ufunc.__name__) is not ufunc or ufunc.nout != 1 or ufunc.nin > 2 or ufunc.signature is not None:
        return instead
    for kind, letter in enumerate("df"):
        types = f"{letter * ufunc.nin}->{letter}"
        if types not in ufunc.types:
            return instead
        at = ufunc.types.index(types)
        found.loops[kind] = seen.functions[at]
        found.data[kind] = seen.data[at]
    found.instead = instead
    found.quiet = quiet
    found.exact = ufunc in EXACT

    def one(x, out=None):
        return found.one(x, out)

    def two(x, y, out=None):
        return found.two(x, y, out)

    return one if ufunc.nin == 1 else two


def loop_of(ufunc, types):
    """`(function, data)`: the addresses of a ufunc's loop over operands of `types`, as in "dd->d", and of what it is
    given beside them; None where it has no such loop."""
    cdef UFunc *seen = <UFunc *><PyObject *>ufunc
    if type(ufunc) is not np.ufunc or types not in ufunc.types:
        return None
    at = ufunc.types.index(types)
    return <size_t>seen.functions[at], 0 if seen.data is NULL else <size_t>seen.data[at]
