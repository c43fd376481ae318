"""The text of the commonest lanes in native code: operations of plain tensors on few numbers, recorded or not.

They do what `unary` and `binary` of lanes.py do on tensors whose key is FAST (or INFERENCE, where nothing is
recorded), and give None for all else.
"""

from .object_text import ENTRY, GET, PLACES, loads

SAME = 3  # rules of operands of one shape; behind them stand those of operands that are broadcast


def lanes(at):
    """The text of `@quick_one` and `@quick_two`; `at` as `objects` has it."""
    get = GET
    one = f"""
define ptr @quick_one(ptr %self, ptr %args, i64 %count) {{
{ENTRY}
  %single = icmp eq i64 %count, 1
  br i1 %single, label %given, label %unfit
given:
  %a = load ptr, ptr %args
  %mode = call i64 @mode(ptr %table)
  %good_mode = icmp ult i64 %mode, 3
  br i1 %good_mode, label %look, label %unfit
look:
  %plain = call i1 @plain(ptr %table, ptr %a, i64 %mode)
  br i1 %plain, label %compute, label %unfit
compute:
{get.format("x", "a", at["value"])}{HELD}
  %held_x = call ptr @own(ptr %table, ptr %x)
  %v = call ptr @array_one(ptr %table, ptr %x, ptr null)
  %none = icmp eq ptr %v, null
  br i1 %none, label %not_one, label %have
not_one:
  call void %drop(ptr %x)
  br label %unfit
have:
  %recording = icmp eq i64 %mode, 0
  br i1 %recording, label %record, label %bare
record:
  %p = call ptr @edge(ptr %table, ptr %a)
  %history = icmp ne ptr %p, null
  br i1 %history, label %noted, label %without
without:
  %error = call ptr %raised()
  %wrong = icmp ne ptr %error, null
  br i1 %wrong, label %fail, label %bare
noted:
{_rule("rule", "what", "0")}
  %kept = call ptr @saved(ptr %table, i64 %what, ptr %x, ptr %x, ptr %v)
  %node = call ptr @node(ptr %table, ptr %rule, ptr %p, ptr %kept)
  %failed = icmp eq ptr %node, null
  br i1 %failed, label %fail, label %finish
bare:
  %no_node = call ptr @nothing(ptr %table)
  br label %finish
finish:
  %its_node = phi ptr [%node, %noted], [%no_node, %bare]
  %inferred = icmp eq i64 %mode, 2
  %t = call ptr @tensor(ptr %table, ptr %v, ptr %its_node, i1 %inferred)
  call void %drop(ptr %x)
  ret ptr %t
fail:
  call void %drop(ptr %x)
  ret ptr null
{UNFIT}"""
    two = f"""
define ptr @quick_two(ptr %self, ptr %args, i64 %count) {{
{ENTRY}
  %pair = icmp eq i64 %count, 2
  br i1 %pair, label %given, label %unfit
given:
  %a = load ptr, ptr %args
  %second = getelementptr inbounds ptr, ptr %args, i64 1
  %b = load ptr, ptr %second
  %mode = call i64 @mode(ptr %table)
  %good_mode = icmp ult i64 %mode, 3
  br i1 %good_mode, label %look, label %unfit
look:
  %plain = call i1 @plain(ptr %table, ptr %a, i64 %mode)
  br i1 %plain, label %first, label %unfit
first:
{get.format("x", "a", at["value"])}
{loads(ndarray="ndarray", float="float", int="int", double="double", single="single", doubles="numbers of doubles",
        singles="numbers of singles", find="PyDict_GetItemWithError")}
{get.format("kind_x", "x", 8)}
  %is_array = icmp eq ptr %kind_x, %ndarray
  br i1 %is_array, label %array, label %unfit
array:
  %x_ordered = call i1 @ordered(ptr %x)
  br i1 %x_ordered, label %beside, label %unfit
beside:
{get.format("kind_b", "b", 8)}
  %is_float = icmp eq ptr %kind_b, %float
  %is_int = icmp eq ptr %kind_b, %int
  %is_number = or i1 %is_float, %is_int
  br i1 %is_number, label %number, label %other
number:
{get.format("descr", "x", 56)}
  %wide = icmp eq ptr %descr, %double
  %thin = icmp eq ptr %descr, %single
  %floats = or i1 %wide, %thin
  br i1 %floats, label %find_number, label %unfit
find_number:
  %numbers = select i1 %wide, ptr %doubles, ptr %singles
  %constant = call ptr %find(ptr %numbers, ptr %b)
  %unknown = icmp eq ptr %constant, null
  br i1 %unknown, label %forgotten, label %compute
forgotten:
{loads(forget="PyErr_Clear")}
  call void %forget()
  br label %unfit
other:
  %plain_b = call i1 @plain(ptr %table, ptr %b, i64 %mode)
  br i1 %plain_b, label %tensor_b, label %unfit
tensor_b:
{get.format("value_b", "b", at["value"])}{get.format("kind_y", "value_b", 8)}
  %is_array_y = icmp eq ptr %kind_y, %ndarray
  br i1 %is_array_y, label %array_y, label %unfit
array_y:
  %y_ordered = call i1 @ordered(ptr %value_b)
  br i1 %y_ordered, label %compute, label %unfit
compute:
  %y = phi ptr [%constant, %find_number], [%value_b, %array_y]
{HELD}
  %held_x = call ptr @own(ptr %table, ptr %x)
  %held_y = call ptr @own(ptr %table, ptr %y)
  %v = call ptr @array_two(ptr %table, ptr %x, ptr %y, ptr null)
  %none = icmp eq ptr %v, null
  br i1 %none, label %not_two, label %have
not_two:
  call void %drop(ptr %x)
  call void %drop(ptr %y)
  br label %unfit
have:
  %recording = icmp eq i64 %mode, 0
  br i1 %recording, label %record, label %bare
record:
  br i1 %is_number, label %edges, label %edge_b
edge_b:
  %q_found = call ptr @edge(ptr %table, ptr %b)
  br label %edges
edges:
  %q = phi ptr [null, %record], [%q_found, %edge_b]
  %p = call ptr @edge(ptr %table, ptr %a)
  %has_p = icmp ne ptr %p, null
  %has_q = icmp ne ptr %q, null
  %history = or i1 %has_p, %has_q
  %both = and i1 %has_p, %has_q
  %error = call ptr %raised()
  %wrong = icmp ne ptr %error, null
  br i1 %wrong, label %fail, label %known
known:
  br i1 %history, label %noted, label %bare
noted:
  %alike = call i1 @same_shape(ptr %x, ptr %y)
  %narrow = or i1 %alike, %is_number
  %one_of = select i1 %has_p, i64 0, i64 1
  %among = select i1 %both, i64 2, i64 %one_of
  br i1 %narrow, label %chosen, label %broadcast
broadcast:
  %x_whole = call i1 @same_shape(ptr %x, ptr %v)
  %y_whole = call i1 @same_shape(ptr %y, ptr %v)
  %not_x = select i1 %y_whole, i64 0, i64 2
  %which = select i1 %x_whole, i64 1, i64 %not_x
  %wide_begin = mul i64 %among, 3
  %wide_first = add i64 %wide_begin, {SAME}
  %wide_place = add i64 %wide_first, %which
  br label %chosen
chosen:
  %place = phi i64 [%among, %noted], [%wide_place, %broadcast]
{_rule("rule", "what", "%place")}
  br i1 %both, label %pair_of, label %single_one
pair_of:
{loads(new_tuple="PyTuple_New", put="PyTuple_SetItem")}
  %tuple = call ptr %new_tuple(i64 2)
  %no_tuple = icmp eq ptr %tuple, null
  br i1 %no_tuple, label %fail, label %joined
joined:
  %put_p = call i32 %put(ptr %tuple, i64 0, ptr %p)
  %put_q = call i32 %put(ptr %tuple, i64 1, ptr %q)
  br label %connected
single_one:
  %sole = select i1 %has_p, ptr %p, ptr %q
  br label %connected
connected:
  %parents = phi ptr [%tuple, %joined], [%sole, %single_one]
  %kept = call ptr @saved(ptr %table, i64 %what, ptr %x, ptr %y, ptr %v)
  %node = call ptr @node(ptr %table, ptr %rule, ptr %parents, ptr %kept)
  %failed = icmp eq ptr %node, null
  br i1 %failed, label %fail, label %finish
bare:
  %no_node = call ptr @nothing(ptr %table)
  br label %finish
finish:
  %its_node = phi ptr [%node, %connected], [%no_node, %bare]
  %inferred = icmp eq i64 %mode, 2
  %t = call ptr @tensor(ptr %table, ptr %v, ptr %its_node, i1 %inferred)
  call void %drop(ptr %x)
  call void %drop(ptr %y)
  ret ptr %t
fail:
  call void %drop(ptr %x)
  call void %drop(ptr %y)
  ret ptr null
{UNFIT}"""
    return one + two


def _rule(rule, what, place):
    """Loads of a rule and of what it saves, behind the table's named places."""
    return f"""
  %pair_place = shl i64 {place}, 1
  %rule_place = add i64 %pair_place, {len(PLACES)}
  %what_place = add i64 %rule_place, 1
  %{rule}_at = getelementptr inbounds ptr, ptr %table, i64 %rule_place
  %{rule} = load ptr, ptr %{rule}_at
  %{what}_at = getelementptr inbounds ptr, ptr %table, i64 %what_place
  %{what} = load i64, ptr %{what}_at
"""


UNFIT = """unfit:
  %nothing = call ptr @nothing(ptr %table)
  ret ptr %nothing
}
"""
HELD = loads(drop="Py_DecRef", raised="PyErr_Occurred")  # the arrays are held while Python runs
