# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Ufuncs on small arrays: NumPy's own loops, called without what NumPy does around them.

Of 300 ns that a ufunc takes on four numbers, its loop takes 10; the rest looks up a loop by dtypes and asks the
operands for overrides, the context for an error state. Here the loops of native floats are looked up once.
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
    int feclearexcept(int)
    int fetestexcept(int)
    int RAISED "(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID)"

cdef enum:
    MOST = 4096  # elements of a result, from which on what NumPy does around a loop is little
    AXES = 4

cdef object ndarray = np.ndarray
cdef object float64 = np.float64
cdef object DTYPES = (np.dtype(np.float64), np.dtype(np.float32))
cdef object EXACT = frozenset({np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum})


cdef class Loops:
    """The loops of a ufunc over native floats, and the function that takes all other operands."""

    cdef Loop loops[2]
    cdef void *data[2]
    cdef object instead
    cdef bint quiet, broadcasts

    cdef inline int known(self, cnp.ndarray x) noexcept:
        """0 of an array of float64, 1 of float32, -1 of others."""
        cdef int kind = cnp.PyArray_TYPE(x)
        if not cnp.PyArray_ISBEHAVED_RO(x):
            return -1
        return 0 if kind == cnp.NPY_DOUBLE else 1 if kind == cnp.NPY_FLOAT else -1

    cdef inline int run(self, int k, char **places, cnp.npy_intp n, cnp.npy_intp *steps) noexcept:
        self.loops[k](places, &n, steps, self.data[k])
        return 0

    cdef inline object checked(self, out, x, y):
        if not self.quiet and fetestexcept(RAISED):
            feclearexcept(RAISED)
            return self.instead(x) if y is None else self.instead(x, y)
        return out

    cdef object one(self, x):
        cdef cnp.ndarray a, out
        cdef char *places[2]
        cdef cnp.npy_intp steps[2]
        cdef double value, result
        cdef int k
        if type(x) is ndarray:
            a = <cnp.ndarray>x
            k = self.known(a)
            if k >= 0 and (self.quiet or cnp.PyArray_NDIM(a) > 0) and cnp.PyArray_SIZE(a) <= MOST and (
                    cnp.PyArray_IS_C_CONTIGUOUS(a) or cnp.PyArray_IS_F_CONTIGUOUS(a)):
                out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a), cnp.PyArray_TYPE(a),
                                        not cnp.PyArray_IS_C_CONTIGUOUS(a))
                places[0] = cnp.PyArray_BYTES(a)
                places[1] = cnp.PyArray_BYTES(out)
                steps[0] = steps[1] = 4 if k else 8
                if fetestexcept(RAISED):
                    feclearexcept(RAISED)
                self.run(k, places, cnp.PyArray_SIZE(a), steps)
                return self.checked(out, x, None)
        elif type(x) is float64:
            value = PyFloat_AS_DOUBLE(x)
            places[0] = <char *>&value
            places[1] = <char *>&result
            steps[0] = steps[1] = 8
            if fetestexcept(RAISED):
                feclearexcept(RAISED)
            self.run(0, places, 1, steps)
            return self.checked(float64(result), x, None)
        return self.instead(x)

    cdef object two(self, x, y):
        cdef cnp.ndarray a, b, out
        cdef char *places[3]
        cdef cnp.npy_intp steps[3]
        cdef double wide
        cdef float narrow
        cdef int k
        if type(x) is ndarray:
            a = <cnp.ndarray>x
            k = self.known(a)
            if k < 0 or cnp.PyArray_NDIM(a) == 0 and type(y) is not ndarray and not self.quiet:
                return self.instead(x, y)
            if type(y) is ndarray:
                b = <cnp.ndarray>y
                if self.known(b) != k:
                    return self.instead(x, y)
                return self.pair(k, x, y, a, b)
            if (type(y) is float or type(y) is float64 and not k) and cnp.PyArray_SIZE(a) <= MOST and (
                    cnp.PyArray_IS_C_CONTIGUOUS(a)):
                wide = PyFloat_AS_DOUBLE(y)
                narrow = <float>wide
                out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a), cnp.PyArray_TYPE(a), 0)
                places[0] = cnp.PyArray_BYTES(a)
                places[1] = <char *>&narrow if k else <char *>&wide
                places[2] = cnp.PyArray_BYTES(out)
                steps[0] = steps[2] = 4 if k else 8
                steps[1] = 0
                if fetestexcept(RAISED):
                    feclearexcept(RAISED)
                self.run(k, places, cnp.PyArray_SIZE(a), steps)
                return self.checked(out, x, y)
        elif type(y) is ndarray and (type(x) is float or type(x) is float64):
            b = <cnp.ndarray>y
            k = self.known(b)
            if k >= 0 and not (k and type(x) is float64) and (self.quiet or cnp.PyArray_NDIM(b)) and cnp.PyArray_SIZE(b) <= MOST and (
                    cnp.PyArray_IS_C_CONTIGUOUS(b)):
                wide = PyFloat_AS_DOUBLE(x)
                narrow = <float>wide
                out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(b), cnp.PyArray_DIMS(b), cnp.PyArray_TYPE(b), 0)
                places[0] = <char *>&narrow if k else <char *>&wide
                places[1] = cnp.PyArray_BYTES(b)
                places[2] = cnp.PyArray_BYTES(out)
                steps[1] = steps[2] = 4 if k else 8
                steps[0] = 0
                if fetestexcept(RAISED):
                    feclearexcept(RAISED)
                self.run(k, places, cnp.PyArray_SIZE(b), steps)
                return self.checked(out, x, y)
        return self.instead(x, y)

    cdef object pair(self, int k, x, y, cnp.ndarray a, cnp.ndarray b):
        """Two arrays of one dtype."""
        cdef cnp.ndarray out
        cdef char *places[3]
        cdef cnp.npy_intp steps[3]
        cdef cnp.npy_intp item = 4 if k else 8
        cdef int rank = cnp.PyArray_NDIM(a)
        cdef int i
        cdef bint same = rank == cnp.PyArray_NDIM(b)
        if not (cnp.PyArray_IS_C_CONTIGUOUS(a) and cnp.PyArray_IS_C_CONTIGUOUS(b)):
            if not (same and cnp.PyArray_IS_F_CONTIGUOUS(a) and cnp.PyArray_IS_F_CONTIGUOUS(b)):
                return self.instead(x, y)
        if same:
            for i in range(rank):
                if cnp.PyArray_DIMS(a)[i] != cnp.PyArray_DIMS(b)[i]:
                    same = False
                    break
        steps[0] = steps[1] = steps[2] = item
        if not same:
            if cnp.PyArray_NDIM(b) == 0:
                steps[1] = 0
            elif rank == 0:
                steps[0] = 0
                a, b = b, a
            else:
                return self.instead(x, y)
        if cnp.PyArray_NDIM(a) == 0 and not self.quiet or cnp.PyArray_SIZE(a) > MOST:
            return self.instead(x, y)
        out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a), cnp.PyArray_TYPE(a),
                                not cnp.PyArray_IS_C_CONTIGUOUS(a))
        places[0] = cnp.PyArray_BYTES(<cnp.ndarray>x)
        places[1] = cnp.PyArray_BYTES(<cnp.ndarray>y)
        places[2] = cnp.PyArray_BYTES(out)
        if fetestexcept(RAISED):
            feclearexcept(RAISED)
        self.run(k, places, cnp.PyArray_SIZE(a), steps)
        return self.checked(out, x, y)

    cdef object into(self, x, y, out):
        """Two arrays of one dtype where the first, of which the other may be one of its rows, takes what comes of it."""
        cdef cnp.ndarray a, b
        cdef char *places[3]
        cdef cnp.npy_intp steps[3]
        cdef cnp.npy_intp row, size
        cdef int k, rank, i
        if out is not x or not self.quiet or type(x) is not ndarray or type(y) is not ndarray:
            return self.instead(x, y, out)
        a, b = x, y
        k = self.known(a)
        rank = cnp.PyArray_NDIM(b)
        if k < 0 or self.known(b) != k or not cnp.PyArray_ISWRITEABLE(a) or not cnp.PyArray_IS_C_CONTIGUOUS(a) or (
                not cnp.PyArray_IS_C_CONTIGUOUS(b)) or rank > cnp.PyArray_NDIM(a) or cnp.PyArray_SIZE(a) > MOST or (
                x is y or cnp.PyArray_BASE(a) is not NULL or cnp.PyArray_BASE(b) is not NULL):
            return self.instead(x, y, out)
        for i in range(1, rank + 1):
            if cnp.PyArray_DIMS(b)[rank - i] != cnp.PyArray_DIMS(a)[cnp.PyArray_NDIM(a) - i]:
                return self.instead(x, y, out)
        row, size = cnp.PyArray_SIZE(b), cnp.PyArray_SIZE(a)
        steps[0] = steps[1] = steps[2] = 4 if k else 8
        if rank == 0:
            row, steps[1] = size, 0
        places[0] = cnp.PyArray_BYTES(a)
        places[1] = cnp.PyArray_BYTES(b)
        while size > 0:
            places[2] = places[0]
            self.run(k, places, row, steps)
            places[0] += row * steps[0]
            size -= row
        return out


def small(ufunc, instead, quiet=False):
    """`ufunc`, which runs its loop at once on small arrays of native floats that lie in order in memory.

    Args:
        ufunc: one of NumPy's, of one or two operands.
        instead: is called with the same arguments where these are others.
        quiet: nobody asks for NumPy's warnings, and of arrays without axes an array is wanted.
    Returns:
        a function; `instead` where the ufunc has no loops over native floats.
    """
    cdef Loops found = Loops()
    cdef UFunc *seen = <UFunc *><PyObject *>ufunc
    if ufunc.nout != 1 or ufunc.nin > 2 or ufunc.signature is not None:
        return instead
    for k, letter in enumerate("df"):
        types = f"{letter * ufunc.nin}->{letter}"
        if types not in ufunc.types:
            return instead
        at = ufunc.types.index(types)
        found.loops[k] = seen.functions[at]
        found.data[k] = seen.data[at]
    found.instead = instead
    found.quiet = quiet
    found.broadcasts = ufunc in EXACT
    if ufunc.nin == 1:
        def one(x, out=None):
            return found.one(x) if out is None else instead(x, out)
        return one
    def two(x, y, out=None):
        return found.two(x, y) if out is None else found.into(x, y, out)
    return two
