"""The text of ufuncs on small arrays in native code: what all of it shares, and the operation of one array.

A table (`Slots`) says which ufunc it is. Internal functions give null for operands that they do not take, with no
exception set, and a new reference otherwise.
"""

from ....core.arrays.ufunc_dispatch import MOST as MOST
from ..machine.layouts import (
    BASE as BASE,
    DATA as DATA,
    DESCR,
    DIMS,
    FLAGS,
    KIND as KIND,
    NDIM,
    START as START,
    STEP as STEP,
    STOP as STOP,
    STRIDES,
    TYPE,
    VALUE as VALUE,
)

PLACES = ("ndarray", "double", "single", "double loop", "double data", "single loop", "single data", "float64", "float",
          "new", "Py_IncRef", "Py_DecRef", "PyErr_Clear", "PyObject_Vectorcall", "op", "broadcasts", "heeds")
ORDERED, REVERSED, ALIGNED, WRITEABLE = 1, 2, 256, 1024  # flags of arrays: the first two are C- and Fortran-contiguous
_RAISED = 29  # bits of the processor's state: invalid, divided by zero, overflow, underflow
_NUMBERS = ("broadcasts", "heeds")  # of the places: no addresses
HEAD = """entry:
  %given = alloca [3 x ptr]
  %steps = alloca [3 x i64]
  %length = alloca i64
"""


def fields(x, *names):
    """Loads of the fields of an array, each as `%name_x`."""
    offsets = {"type": (TYPE, "ptr"), "descr": (DESCR, "ptr"), "flags": (FLAGS, "i32"), "rank": (NDIM, "i32"),
               "dims": (DIMS, "ptr"), "strides": (STRIDES, "ptr"), "data": (DATA, "ptr")}
    return "".join(f"  %{name}_at_{x} = getelementptr inbounds i8, ptr %{x}, i64 {offsets[name][0]}\n"
                   f"  %{name}_{x} = load {offsets[name][1]}, ptr %{name}_at_{x}\n" for name in names)


def slots(places=PLACES, **wanted):
    """Loads of a table's places: `name="what stands there"`, each as `%name`."""
    return "".join(f"  %{name}_at = getelementptr inbounds ptr, ptr %table, i64 {places.index(what)}\n"
                   f"  %{name} = load {'i64' if what in _NUMBERS else 'ptr'}, ptr %{name}_at\n"
                   for name, what in wanted.items())


ENDS = slots(forget="PyErr_Clear") + """
  call void %forget()
  br label %unfit
unfit:
  ret ptr null
}
"""

# What arithmetic leaves in the processor's state: cleared first, where something is left; looked at last, by those who
# warn of it. NumPy does the same around each of its loops.
STATE = f"""
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)

define internal void @clear(i64 %heeds) alwaysinline {{
  %cell = alloca i32
  %heeded = icmp ne i64 %heeds, 0
  br i1 %heeded, label %look, label %done
look:
  call void @llvm.x86.sse.stmxcsr(ptr %cell)
  %now = load i32, ptr %cell
  %raised = and i32 %now, {_RAISED}
  %none = icmp eq i32 %raised, 0
  br i1 %none, label %done, label %reset
reset:
  %cleared = and i32 %now, -64
  store i32 %cleared, ptr %cell
  call void @llvm.x86.sse.ldmxcsr(ptr %cell)
  br label %done
done:
  ret void
}}

define internal i1 @raised(i64 %heeds) alwaysinline {{
  %cell = alloca i32
  %heeded = icmp ne i64 %heeds, 0
  br i1 %heeded, label %look, label %calm
look:
  call void @llvm.x86.sse.stmxcsr(ptr %cell)
  %now = load i32, ptr %cell
  %raised = and i32 %now, {_RAISED}
  %any = icmp ne i32 %raised, 0
  ret i1 %any
calm:
  ret i1 false
}}

define internal i64 @size(i32 %rank, ptr %dims) alwaysinline {{
entry:
  %axes = sext i32 %rank to i64
  br label %axis
axis:
  %k = phi i64 [0, %entry], [%next, %more]
  %size = phi i64 [1, %entry], [%product, %more]
  %within = icmp slt i64 %k, %axes
  br i1 %within, label %more, label %done
more:
  %at = getelementptr inbounds i64, ptr %dims, i64 %k
  %n = load i64, ptr %at
  %product = mul i64 %size, %n
  %next = add i64 %k, 1
  br label %axis
done:
  ret i64 %size
}}

define internal i1 @alike(i32 %rank, ptr %dims, i32 %other_rank, ptr %other) alwaysinline {{
entry:
  %axes = sext i32 %rank to i64
  %same_rank = icmp eq i32 %rank, %other_rank
  br i1 %same_rank, label %axis, label %no
axis:
  %k = phi i64 [0, %entry], [%next, %more]
  %within = icmp slt i64 %k, %axes
  br i1 %within, label %more, label %yes
more:
  %a_at = getelementptr inbounds i64, ptr %dims, i64 %k
  %a = load i64, ptr %a_at
  %b_at = getelementptr inbounds i64, ptr %other, i64 %k
  %b = load i64, ptr %b_at
  %next = add i64 %k, 1
  %same = icmp eq i64 %a, %b
  br i1 %same, label %axis, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}
"""


# Whether an object is an array of a dtype that may be written to; nobody can be warned of what is there no more.
STATE += """
define internal i1 @writeable(ptr %table, ptr %target, ptr %descr, i64 %heeds) alwaysinline {
""" + slots(ndarray="ndarray") + fields("target", "type") + """
  %array = icmp eq ptr %type_target, %ndarray
  %calm = icmp eq i64 %heeds, 0
  %may = and i1 %array, %calm
  br i1 %may, label %look, label %no
look:
""" + fields("target", "descr", "flags") + f"""
  %same = icmp eq ptr %descr_target, %descr
  %bits = and i32 %flags_target, {ALIGNED | WRITEABLE}
  %good = icmp eq i32 %bits, {ALIGNED | WRITEABLE}
  %fits = and i1 %same, %good
  ret i1 %fits
no:
  ret i1 false
}}
"""
ARRAY_ONE = "define internal ptr @array_one(ptr %table, ptr %x, ptr %target) alwaysinline {\n" + HEAD + slots(
    ndarray="ndarray", double="double", single_descr="single", wide_loop="double loop", wide_data="double data",
    thin_loop="single loop", thin_data="single data", heeds="heeds", new="new", keep="Py_IncRef") + fields(
    "x", "type") + """
  %array = icmp eq ptr %type_x, %ndarray
  br i1 %array, label %look, label %unfit
look:
""" + fields("x", "descr", "flags", "rank", "dims", "data") + f"""
  %wide = icmp eq ptr %descr_x, %double
  %thin = icmp eq ptr %descr_x, %single_descr
  %floats = or i1 %wide, %thin
  %aligned_bit = and i32 %flags_x, {ALIGNED}
  %aligned = icmp ne i32 %aligned_bit, 0
  %order_bits = and i32 %flags_x, {ORDERED | REVERSED}
  %dense = icmp ne i32 %order_bits, 0
  %arrays = icmp ne i32 %rank_x, 0
  %calm = icmp eq i64 %heeds, 0
  %ranked = or i1 %arrays, %calm
  %good_1 = and i1 %floats, %aligned
  %good_2 = and i1 %good_1, %dense
  %good = and i1 %good_2, %ranked
  br i1 %good, label %measured, label %unfit
measured:
  %size = call i64 @size(i32 %rank_x, ptr %dims_x)
  %less = sub i64 %size, 1
  %small = icmp ult i64 %less, {MOST}
  br i1 %small, label %make, label %unfit
make:
  %item = select i1 %wide, i64 8, i64 4
  %loop = select i1 %wide, ptr %wide_loop, ptr %thin_loop
  %what = select i1 %wide, ptr %wide_data, ptr %thin_data
  %ordered_bit = and i32 %flags_x, {ORDERED}
  %ordered = icmp ne i32 %ordered_bit, 0
  %order = select i1 %ordered, i32 0, i32 {REVERSED}
  %fresh = icmp eq ptr %target, null
  br i1 %fresh, label %new_array, label %goal
goal:
  %may_write = call i1 @writeable(ptr %table, ptr %target, ptr %descr_x, i64 %heeds)
  br i1 %may_write, label %goal_array, label %unfit
goal_array:
""" + fields("target", "flags", "rank", "dims", "data") + """
  %common_orders = and i32 %flags_target, %order_bits
  %same_order = icmp ne i32 %common_orders, 0
  %same_shape = call i1 @alike(i32 %rank_x, ptr %dims_x, i32 %rank_target, ptr %dims_target)
  %bytes = mul i64 %size, %item
  %end_x = getelementptr inbounds i8, ptr %data_x, i64 %bytes
  %end_target = getelementptr inbounds i8, ptr %data_target, i64 %bytes
  %before = icmp ule ptr %end_x, %data_target
  %behind = icmp ule ptr %end_target, %data_x
  %away = or i1 %before, %behind
  %same_memory = icmp eq ptr %data_x, %data_target
  %safe = or i1 %away, %same_memory
  %alike = and i1 %same_order, %same_shape
  %fits = and i1 %alike, %safe
  br i1 %fits, label %taken, label %unfit
taken:
  call void %keep(ptr %target)
  br label %run
new_array:
  call void %keep(ptr %descr_x)
  %made = call ptr %new(
    ptr %ndarray, ptr %descr_x, i32 %rank_x, ptr %dims_x, ptr null, ptr null, i32 %order, ptr null)
  %none = icmp eq ptr %made, null
  br i1 %none, label %fail, label %run
run:
  %out = phi ptr [%target, %taken], [%made, %new_array]
""" + fields("out", "data") + """
  store ptr %data_x, ptr %given
  %given_1 = getelementptr inbounds ptr, ptr %given, i64 1
  store ptr %data_out, ptr %given_1
  store i64 %item, ptr %steps
  %steps_1 = getelementptr inbounds i64, ptr %steps, i64 1
  store i64 %item, ptr %steps_1
  store i64 %size, ptr %length
  call void @clear(i64 %heeds)
  call void %loop(ptr %given, ptr %length, ptr %steps, ptr %what)
  %heard = call i1 @raised(i64 %heeds)
  br i1 %heard, label %drop, label %give
give:
  ret ptr %out
drop:
""" + slots(let="Py_DecRef") + """
  call void %let(ptr %out)
  br label %unfit
fail:
""" + ENDS

ENTRY = f"""entry:
  %content = getelementptr inbounds i8, ptr %self, i64 {DATA}
  %table = load ptr, ptr %content
"""


def _entry(name, operands):
    """A function of arrays, and of one that is written to if it is given; of all else the `op` of the table."""
    count = len(operands)
    places = "".join(f"  %{x}_at = getelementptr inbounds ptr, ptr %args, i64 {k}\n"
                     for k, x in enumerate((*operands, "target")))
    loads = "".join(f"  %{x} = load ptr, ptr %{x}_at\n" for x in operands)
    return f"""
define ptr @{name}(ptr %self, ptr %args, i64 %count) {{
{ENTRY}{places}
  %bare = icmp eq i64 %count, {count}
  br i1 %bare, label %given, label %maybe_more
maybe_more:
  %more = icmp eq i64 %count, {count + 1}
  br i1 %more, label %with_target, label %otherwise
with_target:
  %written = load ptr, ptr %target_at
  br label %given
given:
  %target = phi ptr [null, %entry], [%written, %with_target]
{loads}
  %out = call ptr @array_{name}(ptr %table, {", ".join(f"ptr %{x}" for x in operands)}, ptr %target)
  %none = icmp eq ptr %out, null
  br i1 %none, label %otherwise, label %give
give:
  ret ptr %out
otherwise:
{slots(vectorcall="PyObject_Vectorcall", op="op")}
  %found = call ptr %vectorcall(ptr %op, ptr %args, i64 %count, ptr null)
  ret ptr %found
}}
"""


ENTRIES = _entry("one", ["x"]) + _entry("two", ["x", "y"])
