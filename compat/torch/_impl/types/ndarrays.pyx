# cython: language_level=3, boundscheck=False, wraparound=False
"""Arrays of NumPy by its C interface: what fast roads ask of one, and views by strides."""

cimport numpy as cnp
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.long cimport PyLong_FromVoidPtr
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.string cimport memcpy

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    object VIEWED "PyArray_NewFromDescr"(type kind, cnp.dtype dtype, int rank, cnp.npy_intp *dims,
                                         cnp.npy_intp *strides, void *data, int flags, void *like)

cdef enum:
    SMALL = 4096  # elements that are written here
    AXES = 8  # of views that are made here

UNDISTURBED = True  # whether no other thread runs between two statements that call no Python


cpdef bint in_order(x) except -1:
    """Tell whether the elements of an array lie in order, without gaps."""
    return cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>x)


cpdef bint dense(x) except -1:
    """Tell whether the elements of an array lie without gaps, in the order of its axes or the opposite one."""
    return cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>x) or cnp.PyArray_IS_F_CONTIGUOUS(<cnp.ndarray>x)


cpdef bint writes(x) except -1:
    """Tell whether an array may be written to."""
    return cnp.PyArray_ISWRITEABLE(<cnp.ndarray>x)


cpdef bint floats(x) except -1:
    """Tell whether an array is one of native floats of 32 or 64 bits."""
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>x)
    return (kind == cnp.NPY_DOUBLE or kind == cnp.NPY_FLOAT) and cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray>x)


cpdef bint of_shape(x, shape) except -1:
    """Tell whether an array has a shape."""
    cdef int i, rank = cnp.PyArray_NDIM(<cnp.ndarray>x)
    if rank != len(<tuple>shape):
        return False
    for i in range(rank):
        if cnp.PyArray_DIMS(<cnp.ndarray>x)[i] != <cnp.npy_intp>(<tuple>shape)[i]:
            return False
    return True


cpdef bint alike(x, y) except -1:
    """Tell whether two arrays have one dtype and one shape."""
    cdef cnp.ndarray a = <cnp.ndarray>x, b = <cnp.ndarray>y
    cdef int i, rank = cnp.PyArray_NDIM(a)
    if <PyObject *>cnp.PyArray_DESCR(a) is not <PyObject *>cnp.PyArray_DESCR(b) or rank != cnp.PyArray_NDIM(b):
        return False
    for i in range(rank):
        if cnp.PyArray_DIMS(a)[i] != cnp.PyArray_DIMS(b)[i]:
            return False
    return True


cpdef object key_of(x):
    """The id of an object."""
    return PyLong_FromVoidPtr(<void *>x)


cpdef object filled(x, v):
    """Let all elements of an array be a number."""
    cdef cnp.ndarray a = <cnp.ndarray>x
    cdef cnp.npy_intp i, n = cnp.PyArray_SIZE(a)
    cdef double wide
    cdef float narrow
    if type(v) is not float or n > SMALL or not cnp.PyArray_ISCARRAY(a) or not floats(a):
        x[...] = v
        return
    wide = PyFloat_AS_DOUBLE(v)
    narrow = <float>wide
    for i in range(n):
        if cnp.PyArray_TYPE(a) == cnp.NPY_DOUBLE:
            (<double *>cnp.PyArray_DATA(a))[i] = wide
        else:
            (<float *>cnp.PyArray_DATA(a))[i] = narrow


cpdef object copied(x, v):
    """Let the elements of an array be those of another one of its shape and dtype, which lies elsewhere."""
    cdef cnp.ndarray a = <cnp.ndarray>x, b = <cnp.ndarray>v
    if cnp.PyArray_ISCARRAY(a) and cnp.PyArray_ISCARRAY_RO(b) and alike(x, v) and floats(x):
        memcpy(cnp.PyArray_DATA(a), cnp.PyArray_DATA(b), cnp.PyArray_NBYTES(a))
    else:
        x[...] = v


cpdef object number(x):
    """The only element of an array; None where there are more, or none."""
    cdef cnp.ndarray a = <cnp.ndarray>x
    return cnp.PyArray_GETITEM(a, cnp.PyArray_BYTES(a)) if cnp.PyArray_SIZE(a) == 1 else None


cpdef bint within(tuple key, tuple shape) except -1:
    """Tell whether a key is of ints alone that lie in a shape."""
    cdef Py_ssize_t i, k, n
    if len(key) > len(shape):
        return False
    for i in range(len(key)):
        if type(key[i]) is not int:
            return False
        try:
            k = key[i]
        except OverflowError:
            return False
        n = shape[i]
        if not -n <= k < n:
            return False
    return True


cpdef bint same(x, y) except -1:
    """Tell whether two arrays of one shape are the same elements."""
    cdef cnp.ndarray a = <cnp.ndarray>x, b = <cnp.ndarray>y
    cdef int i
    if cnp.PyArray_BYTES(a) is not cnp.PyArray_BYTES(b):
        return False
    for i in range(cnp.PyArray_NDIM(a)):
        if cnp.PyArray_STRIDES(a)[i] != cnp.PyArray_STRIDES(b)[i]:
            return False
    return True


cpdef object owner(x):
    """The array that owns the memory of an array, as far as NumPy knows."""
    cdef PyObject *base = cnp.PyArray_BASE(<cnp.ndarray>x)
    while base is not NULL and type(<object>base) is cnp.ndarray:
        x = <object>base
        base = cnp.PyArray_BASE(<cnp.ndarray>x)
    return x


cdef object seen(cnp.ndarray x, int rank, cnp.npy_intp *dims, cnp.npy_intp *strides, char *data, bint writes):
    cdef int flags = cnp.PyArray_FLAGS(x) & ~cnp.NPY_ARRAY_OWNDATA
    cdef cnp.dtype dtype = <cnp.dtype>cnp.PyArray_DESCR(x)
    if not writes:
        flags &= ~cnp.NPY_ARRAY_WRITEABLE
    Py_INCREF(dtype)
    out = VIEWED(cnp.ndarray, dtype, rank, dims, strides, data, flags, NULL)
    Py_INCREF(x)
    cnp.PyArray_SetBaseObject(out, x)
    return out


cpdef object reshaped(x, shape):
    """The view of an array in order in another shape; None for what NumPy should find."""
    cdef cnp.ndarray a = <cnp.ndarray>x
    cdef cnp.npy_intp dims[AXES]
    cdef cnp.npy_intp strides[AXES]
    cdef cnp.npy_intp step = cnp.PyArray_ITEMSIZE(a)
    cdef int i, rank = len(<tuple>shape)
    cdef bint same = rank == cnp.PyArray_NDIM(a)
    if rank > AXES or not cnp.PyArray_IS_C_CONTIGUOUS(a) or not cnp.PyArray_SIZE(a):
        return None
    for i in range(rank - 1, -1, -1):
        dims[i] = (<tuple>shape)[i]
        strides[i] = step
        step *= dims[i]
        same = same and dims[i] == cnp.PyArray_DIMS(a)[i]
    if step != cnp.PyArray_NBYTES(a):
        return None
    return seen(a, rank, dims, cnp.PyArray_STRIDES(a) if same else strides, cnp.PyArray_BYTES(a), True)


cdef class Layout:
    """A view as a linear map of strides."""

    cdef int rank, source
    cdef bint writes
    cdef cnp.npy_intp dims[AXES]
    cdef cnp.npy_intp starts[AXES]
    cdef cnp.npy_intp steps[AXES][AXES]


def layout(source, shape, starts, steps, writes=True):
    """The `Layout` of a view: its shape, for each axis of the source where it starts, and for each axis of the view
    which steps it takes along those of the source. None where NumPy should make it."""
    cdef Layout made = Layout()
    cdef int i, axis
    if len(shape) > AXES or len(source) > AXES or 0 in shape or 0 in source:
        return None
    made.rank = len(shape)
    made.source = len(source)
    made.writes = writes
    for axis in range(made.source):
        made.starts[axis] = starts.get(axis, 0)
    for i in range(made.rank):
        made.dims[i] = shape[i]
        for axis in range(made.source):
            made.steps[i][axis] = steps[i].get(axis, 0)
    return made


cpdef object laid(x, by):
    """The view of an array by a layout."""
    cdef Layout l = by
    cdef cnp.ndarray a = <cnp.ndarray>x
    cdef cnp.npy_intp strides[AXES]
    cdef cnp.npy_intp *old = cnp.PyArray_STRIDES(a)
    cdef char *data = cnp.PyArray_BYTES(a)
    cdef int i, axis
    for axis in range(l.source):
        data += l.starts[axis] * old[axis]
    for i in range(l.rank):
        strides[i] = 0
        for axis in range(l.source):
            if l.steps[i][axis]:
                strides[i] += l.steps[i][axis] * old[axis]
    return seen(a, l.rank, l.dims, strides, data, l.writes)
