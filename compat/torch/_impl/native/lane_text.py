"""The text of the commonest lanes in native code: operations of plain tensors on few numbers, recorded or not.

They do what `unary` and `binary` of lanes.py do on tensors whose elements lie in the order of their axes, and give None
for all else. Arrays are held while Python runs: of views, leaves and avals it is asked.
"""

from .frame_text import begin
from .object_text import DESCR, GET, NDIM, PLACES, TYPE, loads

SAME = 3  # rules of operands of one shape; behind them stand those of operands that are broadcast


def lanes(at):
    """The text of `@quick_one` and `@quick_two`; `at` as `objects` has it."""
    get = GET.format
    one = _begin(at, "quick_one", "a") + f"""
{get("x", "a", at["value"])}
  %held_x = call ptr @own(ptr %table, ptr %x)
  %v = call ptr @array_one(ptr %table, ptr %x, ptr null)
  %none = icmp eq ptr %v, null
  br i1 %none, label %not_done, label %have
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
{_rule("0")}
  %kept = call ptr @saved(ptr %table, i64 %what, ptr %x, ptr %x, ptr %v)
  %node = call ptr @node(ptr %table, ptr %rule, ptr %p, ptr %kept)
  %failed = icmp eq ptr %node, null
  br i1 %failed, label %fail, label %finish
""" + _end("noted", "x")
    two = _begin(at, "quick_two", "a", "given_b") + f"""
{loads(ndarray="ndarray", its_float="float", its_int="int")}
  br i1 %maps, label %mapped_b, label %both_given
mapped_b:
  %below_b = call ptr @below(ptr %table, ptr %given_b)
  %b_maps = icmp ne ptr %below_b, null
  br i1 %b_maps, label %ranks, label %number_b
number_b:
{get("kind_given_b", "given_b", TYPE)}
  %b_float = icmp eq ptr %kind_given_b, %its_float
  %b_int = icmp eq ptr %kind_given_b, %its_int
  %b_number = or i1 %b_float, %b_int
  br i1 %b_number, label %both_given, label %unfit
ranks:
{get("array_a", "a", at["value"])}{get("array_b", "below_b", at["value"])}
  %rank_a_at = getelementptr inbounds i8, ptr %array_a, i64 {NDIM}
  %rank_b_at = getelementptr inbounds i8, ptr %array_b, i64 {NDIM}
  %rank_a = load i32, ptr %rank_a_at
  %rank_b = load i32, ptr %rank_b_at
  %alike_ranks = icmp eq i32 %rank_a, %rank_b
  br i1 %alike_ranks, label %both_given, label %unfit
both_given:
  %b = phi ptr [%given_b, %usable], [%given_b, %number_b], [%below_b, %ranks]
{get("x", "a", at["value"])}{get("kind_x", "x", TYPE)}
  %is_array = icmp eq ptr %kind_x, %ndarray
  br i1 %is_array, label %array, label %unfit
array:
  %x_ordered = call i1 @ordered(ptr %x)
  br i1 %x_ordered, label %beside, label %unfit
beside:
{number_or_tensor(at, get, "  %y_ordered = call i1 @ordered(ptr %value_b)", "%y_ordered")}
  %held_x = call ptr @own(ptr %table, ptr %x)
  %held_y = call ptr @own(ptr %table, ptr %y)
  %v = call ptr @array_two(ptr %table, ptr %x, ptr %y, ptr null)
  %none = icmp eq ptr %v, null
  br i1 %none, label %not_done, label %have
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
{_rule("%place")}
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
""" + _end("connected", "x", "y")
    return one + two


def number_or_tensor(at, get, look="", good="true"):
    """The operand `%b` beside an array `%x` of floats, a block whose end `found:` has it as an array `%y`.

    `%is_number` says that it was a number of Python; for all else than that and plain tensors it goes to `unfit`.

    Args:
        at: the offsets of slots.
        get: what reads one.
        look: instructions with the array `%value_b` of a tensor.
        good: whether that is taken, which they may give.
    """
    return f"""{loads(array_kind="ndarray", float="float", int="int", double="double", single="single",
                      doubles="numbers of doubles", singles="numbers of singles", find="PyDict_GetItemWithError")}
{get("kind_b", "b", TYPE)}
  %is_float = icmp eq ptr %kind_b, %float
  %is_int = icmp eq ptr %kind_b, %int
  %is_number = or i1 %is_float, %is_int
  br i1 %is_number, label %number, label %no_number
no_number:
  %plain_b = call i1 @plain(ptr %table, ptr %b, i64 %mode)
  br i1 %plain_b, label %tensor_b, label %unfit
number:
{get("descr", "x", DESCR)}
  %wide = icmp eq ptr %descr, %double
  %thin = icmp eq ptr %descr, %single
  %floats = or i1 %wide, %thin
  br i1 %floats, label %find_number, label %unfit
find_number:
  %numbers = select i1 %wide, ptr %doubles, ptr %singles
  %constant = call ptr %find(ptr %numbers, ptr %b)
  %unknown = icmp eq ptr %constant, null
  br i1 %unknown, label %forgotten, label %found
forgotten:
{loads(clear="PyErr_Clear")}
  call void %clear()
  br label %unfit
tensor_b:
{get("value_b", "b", at["value"])}{get("kind_y", "value_b", TYPE)}
  %is_array_y = icmp eq ptr %kind_y, %array_kind
  br i1 %is_array_y, label %array_y, label %unfit
array_y:
{look}
  br i1 {good}, label %found, label %unfit
found:
  %y = phi ptr [%constant, %find_number], [%value_b, %array_y]"""


def _begin(at, name, *operands):
    """The beginning of a lane whose first operand `%a` is plain; below a value of a vmap it has no history."""
    return begin(at, name, operands, "  %fit = call i1 @plain(ptr %table, ptr %a, i64 %mode)", below="below",
                 mode_below=1)


def _end(before, *held):
    """The ends of a lane: the tensor of what was computed, with a node where it comes from `before`; None; an error."""
    release = "".join(f"  call void %drop(ptr %{x})\n" for x in held)
    return f"""bare:
  %no_node = call ptr @nothing(ptr %table)
  br label %finish
finish:
  %its_node = phi ptr [%node, %{before}], [%no_node, %bare]
  %inferred = icmp eq i64 %mode, 2
  %t = call ptr @tensor(ptr %table, ptr %v, ptr %its_node, i1 %inferred)
{release}  br i1 %maps, label %lift, label %give
give:
  ret ptr %t
lift:
  %out = call ptr @lifted(ptr %table, ptr %t, ptr %trace)
  ret ptr %out
not_done:
{release}  br label %unfit
fail:
{release}  ret ptr null
unfit:
  %nothing = call ptr @nothing(ptr %table)
  ret ptr %nothing
}}
"""


def _rule(place):
    """Loads of a rule and of what it saves, which stand behind the table's named places."""
    return f"""
  %pair_place = shl i64 {place}, 1
  %rule_place = add i64 %pair_place, {len(PLACES)}
  %what_place = add i64 %rule_place, 1
  %rule_at = getelementptr inbounds ptr, ptr %table, i64 %rule_place
  %rule = load ptr, ptr %rule_at
  %what_at = getelementptr inbounds ptr, ptr %table, i64 %what_place
  %what = load i64, ptr %what_at
"""
