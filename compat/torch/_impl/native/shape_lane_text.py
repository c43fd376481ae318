"""The text of lanes of views in other shapes in native code: reshaped, axes in another order, broadcast.

They do what `reshaped` and `turned` of view_lanes.py do, and `expand`, and give None for all else.
"""

from .frame_text import END_VIEW, RANK, begin_view
from .object_text import BASE, DATA, DESCR, DIMS, GET, STRIDES, TYPE, loads
from .view_text import AVAL, behind

_AXES = 32  # of what is broadcast, at most


def shape_lanes(at):
    """The text of the functions that native_views.py names; `at` as `objects` of object_text.py has it."""
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
    sizes = f"""
{get("outer_kind", "given_sizes", TYPE)}
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
"""
    shape = begin_view(at, "quick_shape", "t", "given_sizes", maps=True) + f"""
{loads(tuple="tuple", size="PyTuple_Size", item="PyTuple_GetItem", shape_name="'shape'", reshape_name="'reshape'",
       concat="PySequence_Concat", whole="PyLong_FromSsize_t")}
{behind(reshape="RESHAPE", viewed="viewed")}
{get("x", "t", at["value"])}{sizes}  %least = select i1 %maps, i64 0, i64 -1
  %all_ints = call i1 @ints(ptr %table, ptr %sizes, i64 %least)
  br i1 %all_ints, label %reshape_it, label %unfit
reshape_it:
  %in_order = call i1 @ordered(ptr %x)
  br i1 %in_order, label %ways, label %unfit
ways:
  %held_x = call ptr @own(ptr %table, ptr %x)
  br i1 %maps, label %of_examples, label %quick_way
of_examples:
{get("dims", "x", DIMS)}
  %examples = load i64, ptr %dims
  %any = icmp sgt i64 %examples, 0
  br i1 %any, label %prefix, label %no_examples
no_examples:
  call void %drop(ptr %held_x)
  br label %unfit
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
  call void %drop(ptr %held_x)
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
""" + END_VIEW
    turn = begin_view(at, "quick_turn", "t", "axes", "rule", maps=True) + f"""
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
""" + END_VIEW.replace("finish:\n", "finish:\n  %out = phi ptr [%long_out, %turn_long], [%short_out, %turn_it]\n", 1)
    swap = begin_view(at, "quick_swap", "t", "first", "second") + f"""
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
""" + END_VIEW
    expand = begin_view(at, "quick_expand", "t", "given_sizes") + f"""
  %over_cell = alloca i32
  %dims_cell = alloca [{_AXES} x i64]
  %strides_cell = alloca [{_AXES} x i64]
{loads(tuple="tuple", size="PyTuple_Size", item="PyTuple_GetItem", shape_name="'shape'", new="new", ndarray="ndarray",
       number="PyLong_AsLongLongAndOverflow", forget="PyErr_Clear")}
{behind(broadcast="EXPAND", expanded="expanded")}
{get("x", "t", at["value"])}{RANK}{sizes}
  %all_ints = call i1 @ints(ptr %table, ptr %sizes, i64 -1)
  %n = call i64 %size(ptr %sizes)
  %lead = sub i64 %n, %rank
  %enough = icmp sge i64 %lead, 0
  %few = icmp sle i64 %n, {_AXES}
  %in_order = call i1 @ordered(ptr %x)
  %right_count_1 = and i1 %enough, %few
  %right_count_2 = and i1 %right_count_1, %all_ints
  %good = and i1 %right_count_2, %in_order
  br i1 %good, label %axes, label %unfit
axes:
{get("dims", "x", DIMS)}{get("strides", "x", STRIDES)}
  br label %next
next:
  %k = phi i64 [0, %axes], [%k_next, %fill]
  %left = icmp slt i64 %k, %n
  br i1 %left, label %one, label %make
one:
  %wanted_object = call ptr %item(ptr %sizes, i64 %k)
  %wanted = call i64 %number(ptr %wanted_object, ptr %over_cell)
  %is_kept = icmp slt i64 %wanted, 0
  %axis = sub i64 %k, %lead
  %is_new = icmp slt i64 %axis, 0
  br i1 %is_new, label %a_new_one, label %an_old_one
a_new_one:
  br i1 %is_kept, label %unfit, label %fill
an_old_one:
  %dim_at = getelementptr inbounds i64, ptr %dims, i64 %axis
  %dim = load i64, ptr %dim_at
  %stride_at = getelementptr inbounds i64, ptr %strides, i64 %axis
  %own_stride = load i64, ptr %stride_at
  %length = select i1 %is_kept, i64 %dim, i64 %wanted
  %same = icmp eq i64 %dim, %length
  %stride_or_not = select i1 %same, i64 %own_stride, i64 0
  %is_single = icmp eq i64 %dim, 1
  %fits = or i1 %same, %is_single
  br i1 %fits, label %fill, label %unfit
fill:
  %its_length = phi i64 [%wanted, %a_new_one], [%length, %an_old_one]
  %its_stride = phi i64 [0, %a_new_one], [%stride_or_not, %an_old_one]
  %to_dim = getelementptr inbounds i64, ptr %dims_cell, i64 %k
  store i64 %its_length, ptr %to_dim
  %to_stride = getelementptr inbounds i64, ptr %strides_cell, i64 %k
  store i64 %its_stride, ptr %to_stride
  %k_next = add i64 %k, 1
  br label %next
make:
{get("descr", "x", DESCR)}{get("data", "x", DATA)}
  %own_descr = call ptr @own(ptr %table, ptr %descr)
  %small_n = trunc i64 %n to i32
  %array = call ptr %new(
    ptr %ndarray, ptr %own_descr, i32 %small_n, ptr %dims_cell, ptr %strides_cell, ptr %data, i32 0, ptr null)
  %refused = icmp eq ptr %array, null
  br i1 %refused, label %clear, label %based
clear:
  call void %forget()
  br label %unfit
based:  ; it may not be written to, as all that is broadcast
  %root = call ptr @root(ptr %table, ptr %x)
  %own_root = call ptr @own(ptr %table, ptr %root)
  call void @set(ptr %array, i64 {BASE}, ptr %own_root)
  %own_prim = call ptr @own(ptr %table, ptr %broadcast)
  %new_shape = call ptr @get_attribute(ptr %table, ptr %array, ptr %shape_name)
  %params = call ptr @single(ptr %table, ptr %new_shape)
  %step = call ptr @pair(ptr %table, ptr %own_prim, ptr %params)
  %out = call ptr @seen(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step, ptr %expanded, i64 {AVAL}, ptr null)
  br label %finish
""" + END_VIEW
    return ints + shape + turn + swap + expand
