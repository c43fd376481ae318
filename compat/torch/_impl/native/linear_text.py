"""The text of the lane of `linear` in native code: what `through` of linear_lane.py does, which it asks for nodes."""

from .frame_text import begin
from .object_text import DESCR, DIMS, GET, NDIM, PLACES, TYPE, loads

BEHIND = ("product", "shifted", "record", "filled")  # functions of linear_lane.py, and a number of elements


def _behind(**wanted):
    return "".join(f"  %{name}_at = getelementptr inbounds ptr, ptr %table, i64 {len(PLACES) + BEHIND.index(what)}\n"
                   f"  %{name} = load {'i64' if what == 'filled' else 'ptr'}, ptr %{name}_at\n"
                   for name, what in wanted.items())


def linear(at):
    """The text of `@quick_linear`; `at` as `objects` of object_text.py has it."""
    get = GET.format
    return _fits(at, get) + begin(at, "quick_linear", ("a", "weight", "bias"), """
  %fit = call i1 @linear_fits(ptr %table, ptr %a, ptr %weight, ptr %bias, i64 %mode)""") + f"""
  %two = alloca [2 x ptr]
  %six = alloca [6 x ptr]
{loads(none="None", whole="PyLong_FromSsize_t", new_tuple="PyTuple_New", put="PyTuple_SetItem", t_name="'T'",
       dot_name="'dot'", reshape_name="'reshape'", vectorcall="PyObject_Vectorcall", forget="PyErr_Clear")}
{_behind(product="product", shifted="shifted", note="record", filled="filled")}
{get("x", "a", at["value"])}{get("w", "weight", at["value"])}
  %biased = icmp ne ptr %bias, %none
  br i1 %biased, label %with_bias, label %operands
with_bias:
{get("its_b", "bias", at["value"])}
  br label %operands
operands:
  %b = phi ptr [%none, %usable], [%its_b, %with_bias]
  %held_x = call ptr @own(ptr %table, ptr %x)
  %held_w = call ptr @own(ptr %table, ptr %w)
  %held_b = call ptr @own(ptr %table, ptr %b)
  %rank_at = getelementptr inbounds i8, ptr %x, i64 {NDIM}
  %rank_small = load i32, ptr %rank_at
  %rank = sext i32 %rank_small to i64
{get("dims", "x", DIMS)}{get("dims_w", "w", DIMS)}
  %last = sub i64 %rank, 1
  %width_at = getelementptr inbounds i64, ptr %dims, i64 %last
  %width = load i64, ptr %width_at
  %size = call i64 @size(i32 %rank_small, ptr %dims)
  %columns = call ptr @get_attribute(ptr %table, ptr %w, ptr %t_name)
  %matrix = icmp eq i64 %rank, 2
  br i1 %matrix, label %as_it_is, label %flatten
as_it_is:
  %same_rows = call ptr @own(ptr %table, ptr %x)
  br label %multiply
flatten:
  %any_number = call ptr %whole(i64 -1)
  %width_object = call ptr %whole(i64 %width)
  %flat_shape = call ptr @pair(ptr %table, ptr %any_number, ptr %width_object)
  %flat_rows = call ptr @of_method(ptr %table, ptr %reshape_name, ptr %x, ptr %flat_shape)
  call void %drop(ptr %flat_shape)
  br label %multiply
multiply:
  %rows = phi ptr [%same_rows, %as_it_is], [%flat_rows, %flatten]
  %few = icmp ult i64 %size, %filled
  br i1 %few, label %by_dot, label %by_product
by_dot:
  %v_dot = call ptr @of_method(ptr %table, ptr %dot_name, ptr %rows, ptr %columns)
  br label %multiplied
by_product:
  %v_product = call ptr @called_two(ptr %table, ptr %product, ptr %rows, ptr %columns)
  br label %multiplied
multiplied:
  %v = phi ptr [%v_dot, %by_dot], [%v_product, %by_product]
  %no_product = icmp eq ptr %v, null
  br i1 %no_product, label %declined, label %shift
shift:
  br i1 %biased, label %by_loop, label %shape_it
by_loop:
  %added = call ptr @array_two(ptr %table, ptr %v, ptr %b, ptr %v)
  %not_added = icmp eq ptr %added, null
  br i1 %not_added, label %by_python, label %drop_added
by_python:
  %added_there = call ptr @called_two(ptr %table, ptr %shifted, ptr %v, ptr %b)
  %wrong_sum = icmp eq ptr %added_there, null
  br i1 %wrong_sum, label %declined_v, label %drop_added
drop_added:
  %sum = phi ptr [%added, %by_loop], [%added_there, %by_python]
  call void %drop(ptr %sum)
  br label %shape_it
shape_it:
  br i1 %matrix, label %as_made, label %unflatten
as_made:
  %same_out = call ptr @own(ptr %table, ptr %v)
  br label %shaped
unflatten:
  %shape = call ptr %new_tuple(i64 %rank)
  br label %axis
axis:
  %k = phi i64 [0, %unflatten], [%k_next, %one_axis]
  %leading = icmp ult i64 %k, %last
  br i1 %leading, label %one_axis, label %last_axis
one_axis:
  %n_at = getelementptr inbounds i64, ptr %dims, i64 %k
  %n = load i64, ptr %n_at
  %n_object = call ptr %whole(i64 %n)
  %put_n = call i32 %put(ptr %shape, i64 %k, ptr %n_object)
  %k_next = add i64 %k, 1
  br label %axis
last_axis:
  %m = load i64, ptr %dims_w
  %m_object = call ptr %whole(i64 %m)
  %put_m = call i32 %put(ptr %shape, i64 %last, ptr %m_object)
  %its_out = call ptr @of_method(ptr %table, ptr %reshape_name, ptr %v, ptr %shape)
  call void %drop(ptr %shape)
  br label %shaped
shaped:
  %out = phi ptr [%same_out, %as_made], [%its_out, %last_axis]
  %no_out = icmp eq ptr %out, null
  br i1 %no_out, label %declined_v, label %histories
histories:
  %recording = icmp eq i64 %mode, 0
  br i1 %recording, label %look_for, label %bare
look_for:
  %known_a = call i1 @has_history(ptr %table, ptr %a)
  %known_w = call i1 @has_history(ptr %table, ptr %weight)
  %known = or i1 %known_a, %known_w
  br i1 %known, label %record, label %maybe_b
maybe_b:
  br i1 %biased, label %look_b, label %bare
look_b:
  %known_b = call i1 @has_history(ptr %table, ptr %bias)
  br i1 %known_b, label %record, label %bare
record:
{_given("six", "a", "weight", "bias", "rows", "columns", "v")}
  %node_found = call ptr %vectorcall(ptr %note, ptr %six, i64 6, ptr null)
  %no_node = icmp eq ptr %node_found, null
  br i1 %no_node, label %failed, label %finish
bare:
  %nothing_known = call ptr @nothing(ptr %table)
  br label %finish
finish:
  %node = phi ptr [%node_found, %record], [%nothing_known, %bare]
  %inferred = icmp eq i64 %mode, 2
  %t = call ptr @tensor(ptr %table, ptr %out, ptr %node, i1 %inferred)
{_DROPS}  call void %drop(ptr %v)
  ret ptr %t
failed:
{_DROPS}  call void %drop(ptr %v)
  call void %drop(ptr %out)
  ret ptr null
declined_v:
  call void %drop(ptr %v)
  br label %declined
declined:
{_DROPS}  call void %forget()
  br label %unfit
unfit:
  %nothing = call ptr @nothing(ptr %table)
  ret ptr %nothing
}}
"""


_DROPS = "".join(f"  call void %drop(ptr %{x})\n" for x in ("held_x", "held_w", "held_b", "rows", "columns"))


def _given(room, *names):
    """Stores of arguments."""
    return "".join(f"  %{room}_{k} = getelementptr inbounds ptr, ptr %{room}, i64 {k}\n"
                   f"  store ptr %{x}, ptr %{room}_{k}\n" for k, x in enumerate(names))


def _fits(at, get):
    return f"""
; what a function of two objects gives
define internal ptr @called_two(ptr %table, ptr %fun, ptr %x, ptr %y) {{
entry:
  %two = alloca [2 x ptr]
{loads(vectorcall="PyObject_Vectorcall")}{_given("two", "x", "y")}
  %found = call ptr %vectorcall(ptr %fun, ptr %two, i64 2, ptr null)
  ret ptr %found
}}

; whether a tensor has a history, or starts one
define internal i1 @has_history(ptr %table, ptr %t) alwaysinline {{
{loads(none="None", false="False")}{get("node", "t", at["node"])}{get("wants", "t", at["wants_grad"])}
  %has_node = icmp ne ptr %node, %none
  %wanted = icmp ne ptr %wants, %false
  %has = or i1 %has_node, %wanted
  ret i1 %has
}}

; the array of a plain tensor, if it is one of NumPy's; else null
define internal ptr @plain_array(ptr %table, ptr %t, i64 %mode) {{
entry:
{loads(ndarray="ndarray")}
  %plain = call i1 @plain(ptr %table, ptr %t, i64 %mode)
  br i1 %plain, label %look, label %no
look:
{get("x", "t", at["value"])}
  %is_set = icmp ne ptr %x, null
  br i1 %is_set, label %kind, label %no
kind:
{get("kind_x", "x", TYPE)}
  %is_array = icmp eq ptr %kind_x, %ndarray
  br i1 %is_array, label %yes, label %no
yes:
  ret ptr %x
no:
  ret ptr null
}}

; whether operands have a product that the lane gives: floats of one dtype, and many matrices in order
define internal i1 @linear_fits(ptr %table, ptr %a, ptr %weight, ptr %bias, i64 %mode) {{
entry:
{loads(none="None", double="double", single="single")}
  %x = call ptr @plain_array(ptr %table, ptr %a, i64 %mode)
  %w = call ptr @plain_array(ptr %table, ptr %weight, i64 %mode)
  %no_x = icmp eq ptr %x, null
  %no_w = icmp eq ptr %w, null
  %lacks = or i1 %no_x, %no_w
  br i1 %lacks, label %no, label %dtypes
dtypes:
{get("descr_x", "x", DESCR)}{get("descr_w", "w", DESCR)}
  %same = icmp eq ptr %descr_x, %descr_w
  %wide = icmp eq ptr %descr_x, %double
  %thin = icmp eq ptr %descr_x, %single
  %floats = or i1 %wide, %thin
  %good_dtypes = and i1 %same, %floats
  %rank_x_at = getelementptr inbounds i8, ptr %x, i64 {NDIM}
  %rank_w_at = getelementptr inbounds i8, ptr %w, i64 {NDIM}
  %rank_x = load i32, ptr %rank_x_at
  %rank_w = load i32, ptr %rank_w_at
  %is_matrix = icmp eq i32 %rank_w, 2
  %has_axes = icmp sge i32 %rank_x, 2
  %good_ranks = and i1 %is_matrix, %has_axes
  %good = and i1 %good_dtypes, %good_ranks
  br i1 %good, label %shapes, label %no
shapes:
{get("dims_x", "x", DIMS)}{get("dims_w", "w", DIMS)}
  %last_small = sub i32 %rank_x, 1
  %last = sext i32 %last_small to i64
  %k_at = getelementptr inbounds i64, ptr %dims_x, i64 %last
  %k = load i64, ptr %k_at
  %inner_at = getelementptr inbounds i64, ptr %dims_w, i64 1
  %inner = load i64, ptr %inner_at
  %meets = icmp eq i64 %k, %inner
  %single_matrix = icmp eq i32 %rank_x, 2
  %in_order = call i1 @ordered(ptr %x)
  %size = call i64 @size(i32 %rank_x, ptr %dims_x)
  %any = icmp ne i64 %size, 0
  %flat = and i1 %in_order, %any
  %lies = or i1 %single_matrix, %flat
  %good_shapes = and i1 %meets, %lies
  br i1 %good_shapes, label %biases, label %no
biases:
  %unbiased = icmp eq ptr %bias, %none
  br i1 %unbiased, label %yes, label %a_bias
a_bias:
  %b = call ptr @plain_array(ptr %table, ptr %bias, i64 %mode)
  %no_b = icmp eq ptr %b, null
  br i1 %no_b, label %no, label %its_shape
its_shape:
{get("descr_b", "b", DESCR)}
  %rank_b_at = getelementptr inbounds i8, ptr %b, i64 {NDIM}
  %rank_b = load i32, ptr %rank_b_at
  %same_b = icmp eq ptr %descr_b, %descr_w
  %line = icmp eq i32 %rank_b, 1
  %good_b = and i1 %same_b, %line
  br i1 %good_b, label %its_length, label %no
its_length:
{get("dims_b", "b", DIMS)}
  %n_b = load i64, ptr %dims_b
  %n = load i64, ptr %dims_w
  %as_long = icmp eq i64 %n_b, %n
  br i1 %as_long, label %yes, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}
"""
