"""The text of lanes of views in native code: other shapes, axes in another order.

They do what `reshaped` and `turned` of view_lanes.py do, and give None for all else. Arrays are asked of
NumPy.
"""

from .object_text import DIMS, ENTRY, GET, NDIM, TYPE, loads
from .view_text import AVAL, behind


def begin(at, name, *operands, maps=False):
    """The beginning of a lane: its operands, the mode, and what kind of tensor the first is.

    Args:
        maps: whether the lane takes a value of the innermost vmap: `%t` is the tensor below then, with all examples
            along the first axis, `%trace` is the vmap, else null, and `%maps` says so, `%front` as a number.
    """
    taken = "".join(f"  %{x}_place = getelementptr inbounds ptr, ptr %args, i64 {k}\n"
                    f"  %{x} = load ptr, ptr %{x}_place\n" for k, x in enumerate(("given_t", *operands[1:])))
    return f"""
define ptr @{name}(ptr %self, ptr %args, i64 %count) {{
{ENTRY}{loads(drop="Py_DecRef", raised="PyErr_Occurred")}
  %right = icmp eq i64 %count, {len(operands)}
  br i1 %right, label %given, label %unfit
given:
{taken}
  %plain_mode = call i64 @mode(ptr %table)
  %given_mode = call i64 @hooked_mode(ptr %table, i64 %plain_mode)
  %good_mode = icmp ult i64 %given_mode, 3
  br i1 %good_mode, label %look, label %{"mapped" if maps else "unfit"}
mapped:
  %under_t = call ptr @under(ptr %table, ptr %given_t)
  %is_under = icmp ne ptr %under_t, null
  br i1 %is_under, label %with_trace, label %unfit
with_trace:
  %its_trace = call ptr @field(ptr %given_t, i64 {at["level_trace"]})
  br label %look
look:
  %t = phi ptr [%given_t, %given], [%under_t, %with_trace]
  %mode = phi i64 [%given_mode, %given], [0, %with_trace]
  %trace = phi ptr [null, %given], [%its_trace, %with_trace]
  %maps = icmp ne ptr %trace, null
  %front = zext i1 %maps to i64
  %way = call i64 @way(ptr %table, ptr %t, i64 %mode)
  %known = icmp ne i64 %way, 0
  br i1 %known, label %usable, label %unfit
usable:
"""


END = """
finish:
  %no_view = icmp eq ptr %out, null
  br i1 %no_view, label %why, label %give
give:
  br i1 %maps, label %lift, label %give_it
give_it:
  ret ptr %out
lift:
  %lifted_out = call ptr @lifted(ptr %table, ptr %out, ptr %trace)
  ret ptr %lifted_out
why:
  %error = call ptr %raised()
  %wrong = icmp ne ptr %error, null
  br i1 %wrong, label %fail, label %unfit
fail:
  ret ptr null
unfit:
  %nothing_here = call ptr @nothing(ptr %table)
  ret ptr %nothing_here
}
"""


RANK = f"""
  %rank_at = getelementptr inbounds i8, ptr %x, i64 {NDIM}
  %rank_small = load i32, ptr %rank_at
  %rank = sext i32 %rank_small to i64
"""


def view_lanes(at):
    """The text of `@quick_shape`, `@quick_turn` and `@quick_swap`; `at` as `objects` of object_text.py has it."""
    get = GET.format
    ints = f"""
; whether all items of a tuple are ints of at least so much
define internal i1 @ints(ptr %table, ptr %items, i64 %least) {{
entry:
  %over_cell = alloca i32
{loads(int="int", size="PyTuple_Size", item="PyTuple_GetItem", number="PyLong_AsLongLongAndOverflow")}
  %n = call i64 %size(ptr %items)
  br label %next
next:
  %k = phi i64 [0, %entry], [%k_next, %good_item]
  %left = icmp slt i64 %k, %n
  br i1 %left, label %check, label %yes
check:
  %x = call ptr %item(ptr %items, i64 %k)
{get("kind", "x", TYPE)}
  %is_int = icmp eq ptr %kind, %int
  br i1 %is_int, label %read, label %no
read:
  %found = call i64 %number(ptr %x, ptr %over_cell)
  %over = load i32, ptr %over_cell
  %fits = icmp eq i32 %over, 0
  %enough = icmp sge i64 %found, %least
  %good = and i1 %fits, %enough
  %k_next = add i64 %k, 1
  br i1 %good, label %good_item, label %no
good_item:
  br label %next
yes:
  ret i1 true
no:
  ret i1 false
}}
"""
    shape = begin(at, "quick_shape", "t", "given_sizes", maps=True) + f"""
{loads(tuple="tuple", size="PyTuple_Size", item="PyTuple_GetItem", shape_name="'shape'", reshape_name="'reshape'",
       concat="PySequence_Concat", whole="PyLong_FromSsize_t")}
{behind(reshape="RESHAPE", viewed="viewed")}
{get("x", "t", at["value"])}{get("outer_kind", "given_sizes", TYPE)}
  %is_tuple = icmp eq ptr %outer_kind, %tuple
  br i1 %is_tuple, label %a_tuple, label %unfit
a_tuple:
  %outer_count = call i64 %size(ptr %given_sizes)
  %is_one = icmp eq i64 %outer_count, 1
  br i1 %is_one, label %nested, label %sized
nested:
  %inner = call ptr %item(ptr %given_sizes, i64 0)
{get("inner_kind", "inner", TYPE)}
  %is_nested = icmp eq ptr %inner_kind, %tuple
  %inner_or_not = select i1 %is_nested, ptr %inner, ptr %given_sizes
  br label %sized
sized:
  %sizes = phi ptr [%given_sizes, %a_tuple], [%inner_or_not, %nested]
  %least = select i1 %maps, i64 0, i64 -1
  %all_ints = call i1 @ints(ptr %table, ptr %sizes, i64 %least)
  br i1 %all_ints, label %reshape_it, label %unfit
reshape_it:
  %in_order = call i1 @ordered(ptr %x)
  br i1 %in_order, label %ways, label %unfit
ways:
  br i1 %maps, label %of_examples, label %quick_way
of_examples:
{get("dims", "x", DIMS)}
  %examples = load i64, ptr %dims
  %any = icmp sgt i64 %examples, 0
  br i1 %any, label %prefix, label %unfit
prefix:
  %examples_object = call ptr %whole(i64 %examples)
  %front_sizes = call ptr @single(ptr %table, ptr %examples_object)
  %long_sizes = call ptr %concat(ptr %front_sizes, ptr %sizes)
  call void %drop(ptr %front_sizes)
  %long_array = call ptr @of_method(ptr %table, ptr %reshape_name, ptr %x, ptr %long_sizes)
  call void %drop(ptr %long_sizes)
  br label %reshaped
quick_way:
  %short_array = call ptr @of_method(ptr %table, ptr %reshape_name, ptr %x, ptr %sizes)
  br label %reshaped
reshaped:
  %array = phi ptr [%long_array, %prefix], [%short_array, %quick_way]
  %refused = icmp eq ptr %array, null
  br i1 %refused, label %unfit, label %shaped
shaped:
  %own_prim = call ptr @own(ptr %table, ptr %reshape)
  %new_shape = call ptr @get_attribute(ptr %table, ptr %array, ptr %shape_name)
  %params = call ptr @single(ptr %table, ptr %new_shape)
  %step = call ptr @pair(ptr %table, ptr %own_prim, ptr %params)
  %out = call ptr @seen(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step, ptr %viewed, i64 {AVAL}, ptr null)
  br label %finish
""" + END
    turn = begin(at, "quick_turn", "t", "axes", "rule", maps=True) + f"""
  %over_cell = alloca i32
{loads(tuple="tuple", size="PyTuple_Size", item="PyTuple_GetItem", new_tuple="PyTuple_New", put="PyTuple_SetItem",
       read="PyLong_AsLongLongAndOverflow", number="PyLong_FromSsize_t")}
{get("x", "t", at["value"])}{RANK}{get("axes_kind", "axes", TYPE)}
  %is_tuple = icmp eq ptr %axes_kind, %tuple
  br i1 %is_tuple, label %a_tuple, label %unfit
a_tuple:
  %n = call i64 %size(ptr %axes)
  %with_front = add i64 %n, %front
  %all_axes = icmp eq i64 %with_front, %rank
  br i1 %all_axes, label %check, label %unfit
check:
  %natural = call i1 @ints(ptr %table, ptr %axes, i64 0)
  br i1 %natural, label %levels, label %unfit
levels:
  br i1 %maps, label %shifted, label %turn_it
shifted:
  %long_axes = call ptr %new_tuple(i64 %rank)
  %first_axis = call ptr %number(i64 0)
  %first_put = call i32 %put(ptr %long_axes, i64 0, ptr %first_axis)
  br label %next
next:
  %k = phi i64 [0, %shifted], [%k_next, %fill]
  %left = icmp slt i64 %k, %n
  br i1 %left, label %fill, label %turn_long
fill:
  %axis_object = call ptr %item(ptr %axes, i64 %k)
  %axis = call i64 %read(ptr %axis_object, ptr %over_cell)
  %axis_behind = add i64 %axis, 1
  %long_object = call ptr %number(i64 %axis_behind)
  %k_next = add i64 %k, 1
  %axis_put = call i32 %put(ptr %long_axes, i64 %k_next, ptr %long_object)
  br label %next
turn_long:
  %long_out = call ptr @turned(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %long_axes, ptr %rule)
  call void %drop(ptr %long_axes)
  br label %finish
turn_it:
  %short_out = call ptr @turned(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %axes, ptr %rule)
  br label %finish
""" + END.replace("finish:\n", "finish:\n  %out = phi ptr [%long_out, %turn_long], [%short_out, %turn_it]\n", 1)
    swap = begin(at, "quick_swap", "t", "first", "second") + f"""
  %over_cell = alloca i32
{loads(int="int", new_tuple="PyTuple_New", put="PyTuple_SetItem", read="PyLong_AsLongLongAndOverflow",
       number="PyLong_FromSsize_t")}{behind(swapped="swapped")}
{get("x", "t", at["value"])}{RANK}{get("first_kind", "first", TYPE)}{get("second_kind", "second", TYPE)}
  %first_int = icmp eq ptr %first_kind, %int
  %second_int = icmp eq ptr %second_kind, %int
  %ints = and i1 %first_int, %second_int
  br i1 %ints, label %place, label %unfit
place:
  %a_given = call i64 %read(ptr %first, ptr %over_cell)
  %over = load i32, ptr %over_cell
  %b_given = call i64 %read(ptr %second, ptr %over_cell)
  %over_too = load i32, ptr %over_cell
  %overs = or i32 %over, %over_too
  %fits = icmp eq i32 %overs, 0
  %a_negative = icmp slt i64 %a_given, 0
  %a_add = select i1 %a_negative, i64 %rank, i64 0
  %a = add i64 %a_given, %a_add
  %b_negative = icmp slt i64 %b_given, 0
  %b_add = select i1 %b_negative, i64 %rank, i64 0
  %b = add i64 %b_given, %b_add
  %a_within = icmp ult i64 %a, %rank
  %b_within = icmp ult i64 %b, %rank
  %both_within = and i1 %a_within, %b_within
  %good = and i1 %both_within, %fits
  br i1 %good, label %make, label %unfit
make:
  %axes = call ptr %new_tuple(i64 %rank)
  %no_axes = icmp eq ptr %axes, null
  br i1 %no_axes, label %fail, label %next
next:
  %k = phi i64 [0, %make], [%k_next, %fill]
  %left = icmp slt i64 %k, %rank
  br i1 %left, label %fill, label %turn_it
fill:
  %is_a = icmp eq i64 %k, %a
  %is_b = icmp eq i64 %k, %b
  %or_b = select i1 %is_a, i64 %b, i64 %k
  %axis = select i1 %is_b, i64 %a, i64 %or_b
  %axis_object = call ptr %number(i64 %axis)
  %done = call i32 %put(ptr %axes, i64 %k, ptr %axis_object)
  %k_next = add i64 %k, 1
  br label %next
turn_it:
  %out = call ptr @turned(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %axes, ptr %swapped)
  call void %drop(ptr %axes)
  br label %finish
""" + END
    return ints + shape + turn + swap
