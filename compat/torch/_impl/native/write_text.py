"""The text of writes in place by elements in native code: what `binary_inplace` and `put` of inplace_lanes.py do.

None is given for all else, before anything is written.
"""

from .lane_text import number_or_tensor
from .object_text import ENTRY, GET, TYPE, loads
from .trace_text import BOTH, LEFT, RIGHT, behind


def writes(at):
    """The text of `@quick_update`; `at` as `objects` of object_text.py has it."""
    get = GET.format
    return f"""
; quick_update(t, other): t after the write; of values of the innermost vmap the tensors below them are written to
define ptr @quick_update(ptr %self, ptr %args, i64 %count) {{
{ENTRY}{loads(drop="Py_DecRef", raised="PyErr_Occurred", none="None", false="False", tensor="Tensor",
             parameter="Parameter", ndarray="ndarray", fast="FAST", view="VIEW", inference="INFERENCE",
             exposed="EXPOSED", size="PyDict_Size", base_name="'base'", creation_name="'creation'")}
{behind(needs="needs")}
  %right_count = icmp eq i64 %count, 2
  br i1 %right_count, label %given, label %unfit
given:
  %second = getelementptr inbounds ptr, ptr %args, i64 1
  %given_a = load ptr, ptr %args
  %given_b = load ptr, ptr %second
  %given_mode = call i64 @mode(ptr %table)
  %good_mode = icmp ult i64 %given_mode, 3
  br i1 %good_mode, label %hidden, label %mapped
mapped:
{loads(its_float="float", its_int="int")}
  %under_a = call ptr @under(ptr %table, ptr %given_a)
  %a_maps = icmp ne ptr %under_a, null
  br i1 %a_maps, label %mapped_b, label %unfit
mapped_b:
{get("kind_given_b", "given_b", TYPE)}
  %b_float = icmp eq ptr %kind_given_b, %its_float
  %b_int = icmp eq ptr %kind_given_b, %its_int
  %b_number = or i1 %b_float, %b_int
  br i1 %b_number, label %hidden, label %tensor_under
tensor_under:
  %under_b = call ptr @under(ptr %table, ptr %given_b)
  %b_maps = icmp ne ptr %under_b, null
  br i1 %b_maps, label %hidden, label %unfit
hidden:
  %a = phi ptr [%given_a, %given], [%under_a, %mapped_b], [%under_a, %tensor_under]
  %b = phi ptr [%given_b, %given], [%given_b, %mapped_b], [%under_b, %tensor_under]
  %mode = phi i64 [%given_mode, %given], [0, %mapped_b], [0, %tensor_under]
  %recording = icmp eq i64 %mode, 0
  %shown = call i64 %size(ptr %exposed)
  %unshown = icmp eq i64 %shown, 0
{get("kind_a", "a", TYPE)}
  %is_tensor = icmp eq ptr %kind_a, %tensor
  %is_parameter = icmp eq ptr %kind_a, %parameter
  %is_either = or i1 %is_tensor, %is_parameter
  %is = and i1 %is_either, %unshown
  br i1 %is, label %array, label %unfit
array:
{get("x", "a", at["value"])}
  %is_set = icmp ne ptr %x, null
  br i1 %is_set, label %value, label %unfit
value:
{get("kind_x", "x", TYPE)}{get("key", "a", at["dispatch_key"])}
{get("wants", "a", at["wants_grad"])}{get("own_node", "a", at["node"])}
  %is_array = icmp eq ptr %kind_x, %ndarray
  br i1 %is_array, label %keys, label %unfit
keys:
  %unwanted = icmp eq ptr %wants, %false
  %no_node = icmp eq ptr %own_node, %none
  %is_fast = icmp eq ptr %key, %fast
  br i1 %is_fast, label %plain, label %not_fast
plain:
  %is_leaf = xor i1 %unwanted, true
  %recorded_leaf = and i1 %is_leaf, %recording
  br i1 %recorded_leaf, label %unfit, label %before
not_fast:
  %is_view = icmp eq ptr %key, %view
  br i1 %is_view, label %a_view, label %not_view
not_view:
  %is_inferred = icmp eq ptr %key, %inference
  %inferring = icmp eq i64 %mode, 2
  %may = and i1 %is_inferred, %inferring
  br i1 %may, label %before, label %unfit
a_view:
  %calm_mode = select i1 %recording, i64 1, i64 %mode
  %untangled = call i1 @current(ptr %table, ptr %a, i64 %calm_mode)
  br i1 %untangled, label %below, label %unfit
below:
{get("meta", "a", at["autograd_meta"])}
  %base_of_view = call ptr @look(ptr %table, ptr %meta, ptr %base_name)
  br i1 %recording, label %recorded_view, label %before
recorded_view:
{get("base_key", "base_of_view", at["dispatch_key"])}{get("base_node", "base_of_view", at["node"])}
{get("base_wants", "base_of_view", at["wants_grad"])}
  %base_fast = icmp eq ptr %base_key, %fast
  %base_unwanted = icmp eq ptr %base_wants, %false
  %neither_wanted = and i1 %base_unwanted, %unwanted
  %good_base = and i1 %neither_wanted, %base_fast
  br i1 %good_base, label %histories, label %unfit
histories:
  %base_bare = icmp eq ptr %base_node, %none
  br i1 %base_bare, label %bare_view, label %historic_view
bare_view:
  br i1 %no_node, label %before, label %unfit
historic_view:
  %creation = call ptr @look(ptr %table, ptr %meta, ptr %creation_name)
  %usual = icmp eq ptr %creation, %none
  br i1 %usual, label %hooks, label %unfit
hooks:
  br i1 %no_node, label %before, label %own_hooks
own_hooks:
{get("own_extra", "own_node", at["extra"])}
  %unhooked = icmp eq ptr %own_extra, %none
  br i1 %unhooked, label %before, label %unfit
before:
  %base = phi ptr [%a, %plain], [%a, %not_view], [%base_of_view, %below], [%base_of_view, %bare_view],
                  [%base_of_view, %hooks], [%base_of_view, %own_hooks]
{get("p_or_none", "base", at["node"])}
  %p_none = icmp eq ptr %p_or_none, %none
  br i1 %p_none, label %other, label %look_at_p
look_at_p:
  %free = call i1 @indifferent(ptr %table, ptr %p_or_none)
  br i1 %free, label %other, label %unfit
other:
  %has_p = xor i1 %p_none, true
{number_or_tensor(at, get)}
  br i1 %is_number, label %together, label %apart
apart:
  %not_itself = icmp ne ptr %y, %x
  %root_x = call ptr @root(ptr %table, ptr %x)
  %root_y = call ptr @root(ptr %table, ptr %y)
  %other_memory = icmp ne ptr %root_x, %root_y
  %alike = call i1 @same_shape(ptr %x, ptr %y)
  %away = and i1 %other_memory, %not_itself
  %good_y = and i1 %away, %alike
  br i1 %good_y, label %edge_b, label %unfit
edge_b:
  br i1 %recording, label %its_edge, label %together
its_edge:
  %q_found = call ptr @edge(ptr %table, ptr %b)
  %edge_error = call ptr %raised()
  %edge_wrong = icmp ne ptr %edge_error, null
  br i1 %edge_wrong, label %fail, label %together
together:
  %q = phi ptr [null, %found], [null, %edge_b], [%q_found, %its_edge]
  %has_q = icmp ne ptr %q, null
  %p_recorded = and i1 %has_p, %recording
  %any = or i1 %p_recorded, %has_q
  %with_p = select i1 %has_q, i64 {BOTH}, i64 {LEFT}
  %bit = select i1 %p_recorded, i64 %with_p, i64 {RIGHT}
  %needed_bit = and i64 %needs, %bit
  %needed = icmp ne i64 %needed_bit, 0
  %saves_contents = and i1 %needed, %any
  %fast_or_p = or i1 %is_fast, %p_recorded
  %first_history = and i1 %has_q, %fast_or_p
  %no_q = xor i1 %has_q, true
  %good_history = or i1 %first_history, %no_q
  %all_fresh = xor i1 %saves_contents, true
  %good_parents = and i1 %good_history, %all_fresh
  br i1 %good_parents, label %placed, label %let_go
placed:
  %view_recorded = and i1 %is_view, %any
  br i1 %view_recorded, label %ask_place, label %compute
ask_place:
  %its_place = call ptr @put_place(ptr %table, ptr %a)
  %no_place = icmp eq ptr %its_place, null
  br i1 %no_place, label %let_go_of_error, label %compute
let_go_of_error:
{loads(forget="PyErr_Clear")}
  call void %forget()
  br label %let_go
compute:
  %place = phi ptr [null, %placed], [%its_place, %ask_place]
{get("x_now", "a", at["value"])}{get("p_now", "base", at["node"])}
  %x_still = icmp eq ptr %x_now, %x
  %p_still = icmp eq ptr %p_now, %p_or_none
  %still = and i1 %x_still, %p_still
  br i1 %still, label %hold, label %let_go
hold:  ; Python may run, and other threads with it
  %held_x = call ptr @own(ptr %table, ptr %x)
  %held_p = call ptr @own(ptr %table, ptr %p_or_none)
  %held_base = call ptr @own(ptr %table, ptr %base)
  %held_y = call ptr @own(ptr %table, ptr %y)
  %v = call ptr @array_two(ptr %table, ptr %x, ptr %y, ptr %x)
  %not_done = icmp eq ptr %v, null
  br i1 %not_done, label %let_go_of_y, label %written
let_go_of_y:
  call void %drop(ptr %held_y)
  call void %drop(ptr %held_base)
  call void %drop(ptr %held_p)
  call void %drop(ptr %held_x)
  br label %let_go
written:
  call void %drop(ptr %v)
  %is_inferred_now = icmp eq ptr %key, %inference
  br i1 %is_inferred_now, label %noted, label %note
note:
  %note_done = call i1 @note_write(ptr %table, ptr %x)
  br i1 %note_done, label %noted, label %fail
noted:
  br i1 %any, label %history, label %done
history:
  %p = select i1 %p_recorded, ptr %p_or_none, ptr null
  %made = call i1 @history(ptr %table, ptr %a, ptr %base, ptr %p, ptr %q, ptr %x, ptr %y, ptr %place)
  br i1 %made, label %done, label %fail
done:
  call void %drop(ptr %held_y)
  call void %drop(ptr %held_base)
  call void %drop(ptr %held_p)
  call void %drop(ptr %held_x)
  %out = call ptr @own(ptr %table, ptr %given_a)
  ret ptr %out
let_go:
  br i1 %has_q, label %drop_q, label %unfit
drop_q:
  call void %drop(ptr %q)
  br label %unfit
fail:
  ret ptr null
unfit:
  %nothing = call ptr @nothing(ptr %table)
  ret ptr %nothing
}}
"""
