"""The text of lanes of views by basic indices in native code.

They do what `read`, `indexed` and `parted` of view_lanes.py do, and give None for all else. Arrays are asked of NumPy.
"""

from .frame_text import END_VIEW, RANK, begin_view
from .object_text import DIMS, GET, START, STEP, STOP, TYPE, loads
from .view_text import behind


def index_lanes(at):
    """The text of `@quick_read`, `@quick_index` and `@quick_parts`; `at` as `objects` of object_text.py has it."""
    get = GET.format
    read = begin_view(at, "quick_read", "t", "key", maps=True) + f"""
  %over_cell = alloca i32
  %asked_cell = alloca [2 x ptr]
{loads(int="int", slice="slice", tuple="tuple", none="None", ellipsis="Ellipsis", number="PyLong_AsLongLongAndOverflow",
       shape_name="'shape'", vectorcall="PyObject_Vectorcall", item="PyTuple_GetItem", find="PyDict_GetItemWithError",
       concat="PySequence_Concat")}
{behind(selected="selected", sliced="sliced", aliased="aliased", inserted="inserted", place="place", select="SELECT",
        every="every")}
{get("x", "t", at["value"])}{RANK}{get("kind", "key", TYPE)}
  %has_axes = icmp sgt i64 %rank, %front
  %is_int = icmp eq ptr %kind, %int
  br i1 %is_int, label %an_int, label %not_int
an_int:
  br i1 %has_axes, label %within, label %unfit
within:
{get("dims", "x", DIMS)}
  %length_at = getelementptr inbounds i64, ptr %dims, i64 %front
  %length = load i64, ptr %length_at
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
  br i1 %maps, label %of_every, label %of_all
of_every:
  %own_every = call ptr @own(ptr %table, ptr %every)
  %of_examples = call ptr @pair(ptr %table, ptr %own_every, ptr %own_key)
  %dots_behind = call ptr @single(ptr %table, ptr %own_dots)
  %every_dots = call ptr %concat(ptr %of_examples, ptr %dots_behind)
  call void %drop(ptr %of_examples)
  call void %drop(ptr %dots_behind)
  br label %indexed
of_all:
  %all_dots = call ptr @pair(ptr %table, ptr %own_key, ptr %own_dots)
  br label %indexed
indexed:
  %key_dots = phi ptr [%every_dots, %of_every], [%all_dots, %of_all]
  %has_spot = icmp ne ptr %spot_or_not, null
  %no_map = xor i1 %maps, true
  %uses_spot = and i1 %has_spot, %no_map
  %its_spot = select i1 %uses_spot, ptr %spot_or_not, ptr %key_dots
  %single_view = call ptr @indexed(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %key_dots, ptr %rule_here, ptr %its_spot)
  call void %drop(ptr %key_dots)
  br i1 %has_spot, label %drop_spot, label %finish
drop_spot:
  call void %drop(ptr %spot_or_not)
  br label %finish
not_slice:
  br i1 %maps, label %unfit, label %one_level
one_level:
  %is_tuple = icmp eq ptr %kind, %tuple
  br i1 %is_tuple, label %a_tuple, label %not_tuple
not_tuple:
  %is_dots = icmp eq ptr %key, %ellipsis
  %is_none = icmp eq ptr %key, %none
  %is_constant = or i1 %is_dots, %is_none
  br i1 %is_constant, label %dots, label %unfit
dots:
  %the_dots = call ptr @own(ptr %table, ptr %ellipsis)
  br i1 %is_dots, label %only_dots, label %an_axis
only_dots:
  %dots_key = call ptr @single(ptr %table, ptr %the_dots)
  br label %whole
an_axis:
  %own_none = call ptr @own(ptr %table, ptr %none)
  %axis_key = call ptr @pair(ptr %table, ptr %own_none, ptr %the_dots)
  br label %whole
whole:
  %every_key = phi ptr [%dots_key, %only_dots], [%axis_key, %an_axis]
  %every_rule = phi ptr [%aliased, %only_dots], [%inserted, %an_axis]
  %every_view = call ptr @indexed(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %every_key, ptr %every_rule, ptr %every_key)
  call void %drop(ptr %every_key)
  br label %finish
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
""" + END_VIEW.replace("finish:\n", "finish:\n  %out = phi ptr [%single_view, %indexed], [%single_view, %drop_spot], "
                   "[%several_view, %somewhere], [%every_view, %whole]\n", 1)
    index = begin_view(at, "quick_index", "t", "index", "title") + f"""
{loads(find="PyDict_GetItemWithError")}{behind(select="SELECT")}
  %rule = call ptr %find(ptr %select, ptr %title)
  %out = call ptr @indexed(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %index, ptr %rule, ptr %index)
  br label %finish
""" + END_VIEW
    parts = begin_view(at, "quick_parts", "t", "indices", "rule") + f"""
{loads(size="PyTuple_Size", item="PyTuple_GetItem", take="PyObject_GetItem", new_tuple="PyTuple_New",
       put="PyTuple_SetItem", forget="PyErr_Clear", aval_of="aval_of")}{behind(getitem="GETITEM", picked="picked")}
{get("x", "t", at["value"])}
  %held_x = call ptr @own(ptr %table, ptr %x)
  %n = call i64 %size(ptr %indices)
  %out = call ptr %new_tuple(i64 %n)
  %no_out = icmp eq ptr %out, null
  br i1 %no_out, label %fail, label %modes
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
  %its_rules = call ptr @asked(ptr %table, ptr %picked, ptr %indices)
  %no_rules = icmp eq ptr %its_rules, null
  br i1 %no_rules, label %fail, label %next
next:
  %whole = phi ptr [null, %modes], [null, %without], [%whole_node, %noted], [%whole, %place]
  %rules = phi ptr [null, %modes], [null, %without], [%its_rules, %noted], [%rules, %place]
  %k = phi i64 [0, %modes], [0, %without], [0, %noted], [%k_next, %place]
  %left = icmp slt i64 %k, %n
  br i1 %left, label %one, label %all
one:
  %index = call ptr %item(ptr %indices, i64 %k)
  %array = call ptr %take(ptr %x, ptr %index)
  %refused = icmp eq ptr %array, null
  br i1 %refused, label %clear, label %good
clear:
  call void %forget()
  call void %drop(ptr %out)
  call void %drop(ptr %whole)
  call void %drop(ptr %rules)
  call void %drop(ptr %held_x)
  br label %unfit
good:
  %own_prim = call ptr @own(ptr %table, ptr %getitem)
  %own_index = call ptr @own(ptr %table, ptr %index)
  %params = call ptr @single(ptr %table, ptr %own_index)
  %step = call ptr @pair(ptr %table, ptr %own_prim, ptr %params)
  %has_whole = icmp ne ptr %whole, null
  br i1 %has_whole, label %choose, label %view
choose:
  %picks = call ptr %item(ptr %rules, i64 %k)
  br label %view
view:
  %its_rule = phi ptr [null, %good], [%picks, %choose]
  %part = call ptr @seen_part(
    ptr %table, ptr %t, i64 %way, i64 %mode, ptr %array, ptr %step, ptr %whole, ptr %its_rule)
  %no_part = icmp eq ptr %part, null
  br i1 %no_part, label %fail, label %place
place:
  %put_done = call i32 %put(ptr %out, i64 %k, ptr %part)
  %k_next = add i64 %k, 1
  br label %next
all:
  call void %drop(ptr %whole)
  call void %drop(ptr %rules)
  call void %drop(ptr %held_x)
  br label %finish
""" + END_VIEW
    return read + index + parts
