"""The text of lanes of views in native code: basic indices, other shapes, axes in another order.

They do what `indexed`, `reshaped` and `turned` of view_lanes.py do, and give None for all else. Arrays are asked of
NumPy.
"""

from .object_text import DIMS, ENTRY, GET, NDIM, START, STEP, STOP, TYPE, loads
from .view_text import AVAL, behind


def _begin(name, *operands):
    """The beginning of a lane: its operands, the mode, and what kind of tensor the first is."""
    taken = "".join(f"  %{x}_place = getelementptr inbounds ptr, ptr %args, i64 {k}\n"
                    f"  %{x} = load ptr, ptr %{x}_place\n" for k, x in enumerate(operands))
    return f"""
define ptr @{name}(ptr %self, ptr %args, i64 %count) {{
{ENTRY}{loads(drop="Py_DecRef", raised="PyErr_Occurred")}
  %right = icmp eq i64 %count, {len(operands)}
  br i1 %right, label %given, label %unfit
given:
{taken}
  %plain_mode = call i64 @mode(ptr %table)
  %mode = call i64 @hooked_mode(ptr %table, i64 %plain_mode)
  %good_mode = icmp ult i64 %mode, 3
  br i1 %good_mode, label %look, label %unfit
look:
  %way = call i64 @way(ptr %table, ptr %t, i64 %mode)
  %known = icmp ne i64 %way, 0
  br i1 %known, label %usable, label %unfit
usable:
"""


_END = """
finish:
  %no_view = icmp eq ptr %out, null
  br i1 %no_view, label %why, label %give
give:
  ret ptr %out
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


def view_lanes(at):
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
    rank = f"""
  %rank_at = getelementptr inbounds i8, ptr %x, i64 {NDIM}
  %rank_small = load i32, ptr %rank_at
  %rank = sext i32 %rank_small to i64
"""
    read = _begin("quick_read", "t", "key") + f"""
  %over_cell = alloca i32
  %asked_cell = alloca [2 x ptr]
{loads(int="int", slice="slice", tuple="tuple", none="None", ellipsis="Ellipsis", number="PyLong_AsLongLongAndOverflow",
       shape_name="'shape'", vectorcall="PyObject_Vectorcall", item="PyTuple_GetItem", find="PyDict_GetItemWithError")}
{behind(selected="selected", sliced="sliced", place="place", select="SELECT")}
{get("x", "t", at["value"])}{rank}{get("kind", "key", TYPE)}
  %has_axes = icmp ne i64 %rank, 0
  %is_int = icmp eq ptr %kind, %int
  br i1 %is_int, label %an_int, label %not_int
an_int:
  br i1 %has_axes, label %within, label %unfit
within:
{get("dims", "x", DIMS)}
  %length = load i64, ptr %dims
  %k = call i64 %number(ptr %key, ptr %over_cell)
  %over = load i32, ptr %over_cell
  %fits = icmp eq i32 %over, 0
  %least = sub i64 0, %length
  %not_below = icmp sge i64 %k, %least
  %not_above = icmp slt i64 %k, %length
  %inside = and i1 %not_below, %not_above
  %good = and i1 %inside, %fits
  br i1 %good, label %select_one, label %unfit
select_one:
  %spot_key = call ptr @own(ptr %table, ptr %key)
  %one_spot = call ptr @single(ptr %table, ptr %spot_key)
  br label %dotted
not_int:
  %is_slice = icmp eq ptr %kind, %slice
  br i1 %is_slice, label %a_slice, label %not_slice
a_slice:
{get("start", "key", START)}{get("stop", "key", STOP)}{get("step", "key", STEP)}
{get("kind_start", "start", TYPE)}{get("kind_stop", "stop", TYPE)}
  %no_start = icmp eq ptr %start, %none
  %int_start = icmp eq ptr %kind_start, %int
  %good_start = or i1 %no_start, %int_start
  %no_stop = icmp eq ptr %stop, %none
  %int_stop = icmp eq ptr %kind_stop, %int
  %good_stop = or i1 %no_stop, %int_stop
  %no_step = icmp eq ptr %step, %none
  %ends = and i1 %good_start, %good_stop
  %simple = and i1 %ends, %no_step
  %sliceable = and i1 %simple, %has_axes
  br i1 %sliceable, label %dotted, label %unfit
dotted:
  %spot_or_not = phi ptr [%one_spot, %select_one], [null, %a_slice]
  %rule_here = phi ptr [%selected, %select_one], [%sliced, %a_slice]
  %own_key = call ptr @own(ptr %table, ptr %key)
  %own_dots = call ptr @own(ptr %table, ptr %ellipsis)
  %key_dots = call ptr @pair(ptr %table, ptr %own_key, ptr %own_dots)
  %has_spot = icmp ne ptr %spot_or_not, null
  %its_spot = select i1 %has_spot, ptr %spot_or_not, ptr %key_dots
  %single_view = call ptr @indexed(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %key_dots, ptr %rule_here, ptr %its_spot)
  call void %drop(ptr %key_dots)
  br i1 %has_spot, label %drop_spot, label %finish
drop_spot:
  call void %drop(ptr %spot_or_not)
  br label %finish
not_slice:
  %is_tuple = icmp eq ptr %kind, %tuple
  br i1 %is_tuple, label %a_tuple, label %unfit
a_tuple:
  %shape = call ptr @get_attribute(ptr %table, ptr %x, ptr %shape_name)
  store ptr %key, ptr %asked_cell
  %asked_second = getelementptr inbounds ptr, ptr %asked_cell, i64 1
  store ptr %shape, ptr %asked_second
  %placed = call ptr %vectorcall(ptr %place, ptr %asked_cell, i64 2, ptr null)
  call void %drop(ptr %shape)
  %not_placed = icmp eq ptr %placed, null
  br i1 %not_placed, label %fail, label %placed_or_not
placed_or_not:
  %nowhere = icmp eq ptr %placed, %none
  br i1 %nowhere, label %drop_none, label %somewhere
drop_none:
  call void %drop(ptr %placed)
  br label %unfit
somewhere:
  %index = call ptr %item(ptr %placed, i64 0)
  %title = call ptr %item(ptr %placed, i64 1)
  %spot = call ptr %item(ptr %placed, i64 2)
  %rule = call ptr %find(ptr %select, ptr %title)
  %several_view = call ptr @indexed(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %index, ptr %rule, ptr %spot)
  call void %drop(ptr %placed)
  br label %finish
""" + _END.replace("finish:\n", "finish:\n  %out = phi ptr [%single_view, %dotted], [%single_view, %drop_spot], "
                   "[%several_view, %somewhere]\n", 1)
    index = _begin("quick_index", "t", "index", "title") + f"""
{loads(find="PyDict_GetItemWithError")}{behind(select="SELECT")}
  %rule = call ptr %find(ptr %select, ptr %title)
  %out = call ptr @indexed(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %index, ptr %rule, ptr %index)
  br label %finish
""" + _END
    shape = _begin("quick_shape", "t", "given_sizes") + f"""
{loads(tuple="tuple", size="PyTuple_Size", item="PyTuple_GetItem", shape_name="'shape'", reshape_name="'reshape'")}
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
  %all_ints = call i1 @ints(ptr %table, ptr %sizes, i64 -1)
  br i1 %all_ints, label %reshape_it, label %unfit
reshape_it:
  %in_order = call i1 @ordered(ptr %x)
  br i1 %in_order, label %quick_way, label %unfit
quick_way:
  %array = call ptr @of_method(ptr %table, ptr %reshape_name, ptr %x, ptr %sizes)
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
""" + _END
    turn = _begin("quick_turn", "t", "axes", "rule") + f"""
{loads(tuple="tuple", size="PyTuple_Size")}
{get("x", "t", at["value"])}{rank}{get("axes_kind", "axes", TYPE)}
  %is_tuple = icmp eq ptr %axes_kind, %tuple
  br i1 %is_tuple, label %a_tuple, label %unfit
a_tuple:
  %n = call i64 %size(ptr %axes)
  %all_axes = icmp eq i64 %n, %rank
  br i1 %all_axes, label %check, label %unfit
check:
  %natural = call i1 @ints(ptr %table, ptr %axes, i64 0)
  br i1 %natural, label %turn_it, label %unfit
turn_it:
  %out = call ptr @turned(ptr %table, ptr %t, i64 %way, i64 %mode, ptr %axes, ptr %rule)
  br label %finish
""" + _END
    swap = _begin("quick_swap", "t", "first", "second") + f"""
  %over_cell = alloca i32
{loads(int="int", new_tuple="PyTuple_New", put="PyTuple_SetItem", read="PyLong_AsLongLongAndOverflow",
       number="PyLong_FromSsize_t")}{behind(swapped="swapped")}
{get("x", "t", at["value"])}{rank}{get("first_kind", "first", TYPE)}{get("second_kind", "second", TYPE)}
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
""" + _END
    parts = _begin("quick_parts", "t", "indices", "rule") + f"""
  %asked_cell = alloca [2 x ptr]
{loads(size="PyTuple_Size", item="PyTuple_GetItem", take="PyObject_GetItem", new_tuple="PyTuple_New",
       put="PyTuple_SetItem", forget="PyErr_Clear", aval_of="aval_of", number="PyLong_FromSsize_t",
       vectorcall="PyObject_Vectorcall")}{behind(getitem="GETITEM", pick="pick_rule")}
{get("x", "t", at["value"])}
  %n = call i64 %size(ptr %indices)
  %outs = call ptr %new_tuple(i64 %n)
  %no_outs = icmp eq ptr %outs, null
  br i1 %no_outs, label %fail, label %modes
modes:
  %recording = icmp eq i64 %mode, 0
  br i1 %recording, label %edges, label %next
edges:
  %p = call ptr @edge(ptr %table, ptr %t)
  %history = icmp ne ptr %p, null
  br i1 %history, label %noted, label %without
without:
  %edge_error = call ptr %raised()
  %edge_wrong = icmp ne ptr %edge_error, null
  br i1 %edge_wrong, label %fail, label %next
noted:
  %aval = call ptr @asked(ptr %table, ptr %aval_of, ptr %x)
  %own_indices = call ptr @own(ptr %table, ptr %indices)
  %kept = call ptr @pair(ptr %table, ptr %aval, ptr %own_indices)
  %whole_node = call ptr @node(ptr %table, ptr %rule, ptr %p, ptr %kept)
  br label %next
next:
  %whole = phi ptr [null, %modes], [null, %without], [%whole_node, %noted], [%whole, %placed]
  %k = phi i64 [0, %modes], [0, %without], [0, %noted], [%k_next, %placed]
  %left = icmp slt i64 %k, %n
  br i1 %left, label %one, label %all
one:
  %index = call ptr %item(ptr %indices, i64 %k)
  %array = call ptr %take(ptr %x, ptr %index)
  %refused = icmp eq ptr %array, null
  br i1 %refused, label %clear, label %good
clear:
  call void %forget()
  call void %drop(ptr %outs)
  br label %unfit
good:
  %own_prim = call ptr @own(ptr %table, ptr %getitem)
  %own_index = call ptr @own(ptr %table, ptr %index)
  %params = call ptr @single(ptr %table, ptr %own_index)
  %step = call ptr @pair(ptr %table, ptr %own_prim, ptr %params)
  %has_whole = icmp ne ptr %whole, null
  br i1 %has_whole, label %choose, label %view
choose:
  %n_object = call ptr %number(i64 %n)
  %k_object = call ptr %number(i64 %k)
  store ptr %n_object, ptr %asked_cell
  %asked_second = getelementptr inbounds ptr, ptr %asked_cell, i64 1
  store ptr %k_object, ptr %asked_second
  %picked = call ptr %vectorcall(ptr %pick, ptr %asked_cell, i64 2, ptr null)
  call void %drop(ptr %n_object)
  call void %drop(ptr %k_object)
  %not_picked = icmp eq ptr %picked, null
  br i1 %not_picked, label %fail, label %view
view:
  %its_rule = phi ptr [null, %good], [%picked, %choose]
  %part = call ptr @seen_part(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step, ptr %whole, ptr %its_rule)
  %no_part = icmp eq ptr %part, null
  br i1 %no_part, label %fail, label %place
place:
  %put_done = call i32 %put(ptr %outs, i64 %k, ptr %part)
  %k_next = add i64 %k, 1
  br i1 %has_whole, label %let_rule_go, label %placed
let_rule_go:
  call void %drop(ptr %its_rule)
  br label %placed
placed:
  br label %next
all:
  %has_node = icmp ne ptr %whole, null
  br i1 %has_node, label %let_go, label %finish
let_go:
  call void %drop(ptr %whole)
  br label %finish
""" + _END.replace("finish:\n", "finish:\n  %out = phi ptr [%outs, %all], [%outs, %let_go]\n", 1)
    return ints + read + index + shape + turn + swap + parts
