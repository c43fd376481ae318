"""The text of the operation of two small arrays, or of an array and a float, broadcast against each other."""

from ..machine.layouts import VALUE
from .small_text import ALIGNED, ENDS, HEAD, MOST, ORDERED, REVERSED, fields, slots

_RANK = 8  # axes of a result whose operands are broadcast


def _operand(x):
    """The fields of an operand: of an array, or of a float, which is a scalar of the wide dtype."""
    merged = "".join(
        f"  %{name}_{x} = phi {kind} [%{name}_{x}a, %array_{x}], [{scalar}, %number_{x}]\n"
        for name, kind, scalar in (("descr", "ptr", "%double"), ("flags", "i32", ORDERED | REVERSED | ALIGNED),
                                   ("rank", "i32", 0), ("dims", "ptr", "null"), ("strides", "ptr", "null"),
                                   ("data", "ptr", f"%value_{x}")))
    return fields(x, "type") + f"""
  %is_array_{x} = icmp eq ptr %type_{x}, %ndarray
  br i1 %is_array_{x}, label %array_{x}, label %other_{x}
other_{x}:
""" + slots(**{f"float64_{x}": "float64", f"float_{x}": "float"}) + f"""
  %is_64_{x} = icmp eq ptr %type_{x}, %float64_{x}
  %is_float_{x} = icmp eq ptr %type_{x}, %float_{x}
  %is_number_{x} = or i1 %is_64_{x}, %is_float_{x}
  br i1 %is_number_{x}, label %number_{x}, label %unfit
number_{x}:
  %value_{x} = getelementptr inbounds i8, ptr %{x}, i64 {VALUE}
  br label %have_{x}
array_{x}:
""" + fields(x, "descr", "flags", "rank", "dims", "strides", "data").replace(f"_{x} = load", f"_{x}a = load") + f"""
  br label %have_{x}
have_{x}:
""" + merged


# Where the elements of an array begin and end, and whether a target may be written to while an operand is read: it lies
# elsewhere, or has the very same elements in the same places.
_MEMORY = """
define internal void @extent(i32 %rank, ptr %dims, ptr %strides, ptr %data, i64 %item, ptr %first, ptr %last) {
entry:
  %axes = sext i32 %rank to i64
  %begin = ptrtoint ptr %data to i64
  br label %axis
axis:
  %k = phi i64 [0, %entry], [%next, %more]
  %low = phi i64 [%begin, %entry], [%lower, %more]
  %high = phi i64 [%begin, %entry], [%higher, %more]
  %within = icmp slt i64 %k, %axes
  br i1 %within, label %more, label %done
more:
  %dim_at = getelementptr inbounds i64, ptr %dims, i64 %k
  %dim = load i64, ptr %dim_at
  %stride_at = getelementptr inbounds i64, ptr %strides, i64 %k
  %stride = load i64, ptr %stride_at
  %steps = sub i64 %dim, 1
  %span = mul i64 %steps, %stride
  %back = icmp slt i64 %span, 0
  %down = select i1 %back, i64 %span, i64 0
  %up = select i1 %back, i64 0, i64 %span
  %lower = add i64 %low, %down
  %higher = add i64 %high, %up
  %next = add i64 %k, 1
  br label %axis
done:
  %end = add i64 %high, %item
  store i64 %low, ptr %first
  store i64 %end, ptr %last
  ret void
}

define internal i1 @may_meet(i32 %rank, ptr %dims, ptr %strides, ptr %data, i32 %rank_t, ptr %dims_t, ptr %strides_t,
                             ptr %data_t, i64 %item) {
entry:
  %first = alloca i64
  %last = alloca i64
  %first_t = alloca i64
  %last_t = alloca i64
  %same_begin = icmp eq ptr %data, %data_t
  br i1 %same_begin, label %compare, label %apart
compare:
  %same_dims = call i1 @alike(i32 %rank, ptr %dims, i32 %rank_t, ptr %dims_t)
  br i1 %same_dims, label %compare_steps, label %apart
compare_steps:
  %same_steps = call i1 @alike(i32 %rank, ptr %strides, i32 %rank_t, ptr %strides_t)
  br i1 %same_steps, label %yes, label %apart
apart:
  call void @extent(i32 %rank, ptr %dims, ptr %strides, ptr %data, i64 %item, ptr %first, ptr %last)
  call void @extent(i32 %rank_t, ptr %dims_t, ptr %strides_t, ptr %data_t, i64 %item, ptr %first_t, ptr %last_t)
  %a = load i64, ptr %first
  %b = load i64, ptr %last
  %c = load i64, ptr %first_t
  %d = load i64, ptr %last_t
  %before = icmp sle i64 %b, %c
  %behind = icmp sle i64 %d, %a
  %away = or i1 %before, %behind
  ret i1 %away
yes:
  ret i1 true
}

"""
ARRAY_TWO = _MEMORY + """
define internal ptr @array_two(ptr %table, ptr %x, ptr %y, ptr %target) alwaysinline {
""" + HEAD + f"""
  %outer = alloca [{_RANK} x i64]
  %step_x = alloca [{_RANK} x i64]
  %step_y = alloca [{_RANK} x i64]
  %step_out = alloca [{_RANK} x i64]
  %at = alloca [{_RANK} x i64]
""" + slots(ndarray="ndarray", double="double", single="single") + _operand("x") + _operand("y") + slots(
    wide_loop="double loop", wide_data="double data", thin_loop="single loop", thin_data="single data", heeds="heeds",
    broadcasts="broadcasts", new="new", keep="Py_IncRef") + f"""
  %same_descr = icmp eq ptr %descr_x, %descr_y
  %wide = icmp eq ptr %descr_x, %double
  %thin = icmp eq ptr %descr_x, %single
  %floats = or i1 %wide, %thin
  %common = and i32 %flags_x, %flags_y
  %aligned_bit = and i32 %common, {ALIGNED}
  %aligned = icmp ne i32 %aligned_bit, 0
  %ranks = or i32 %rank_x, %rank_y
  %arrays = icmp ne i32 %ranks, 0
  %calm = icmp eq i64 %heeds, 0
  %ranked = or i1 %arrays, %calm
  %good_1 = and i1 %same_descr, %floats
  %good_2 = and i1 %good_1, %aligned
  %good = and i1 %good_2, %ranked
  br i1 %good, label %fit, label %unfit
fit:
  %item = select i1 %wide, i64 8, i64 4
  %loop = select i1 %wide, ptr %wide_loop, ptr %thin_loop
  %what = select i1 %wide, ptr %wide_data, ptr %thin_data
  %given_1 = getelementptr inbounds ptr, ptr %given, i64 1
  %given_2 = getelementptr inbounds ptr, ptr %given, i64 2
  %steps_1 = getelementptr inbounds i64, ptr %steps, i64 1
  %steps_2 = getelementptr inbounds i64, ptr %steps, i64 2
  %fresh = icmp eq ptr %target, null
  br i1 %fresh, label %operands, label %goal
goal:
  %may_write = call i1 @writeable(ptr %table, ptr %target, ptr %descr_x, i64 %heeds)
  br i1 %may_write, label %goal_memory, label %unfit
goal_memory:
""" + fields("target", "flags", "rank", "dims", "strides", "data") + f"""
  %safe_x = call i1 @may_meet(i32 %rank_x, ptr %dims_x, ptr %strides_x, ptr %data_x, i32 %rank_target, ptr %dims_target,
                              ptr %strides_target, ptr %data_target, i64 %item)
  %safe_y = call i1 @may_meet(i32 %rank_y, ptr %dims_y, ptr %strides_y, ptr %data_y, i32 %rank_target, ptr %dims_target,
                              ptr %strides_target, ptr %data_target, i64 %item)
  %safe = and i1 %safe_x, %safe_y
  br i1 %safe, label %operands, label %unfit
operands:
  %goal_flags = phi i32 [{ORDERED | REVERSED}, %fit], [%flags_target, %goal_memory]
  %goal_rank = phi i32 [0, %fit], [%rank_target, %goal_memory]
  %goal_dims = phi ptr [null, %fit], [%dims_target, %goal_memory]
  %goal_strides = phi ptr [null, %fit], [%strides_target, %goal_memory]
  %goal_data = phi ptr [null, %fit], [%data_target, %goal_memory]
  %alike = call i1 @alike(i32 %rank_x, ptr %dims_x, i32 %rank_y, ptr %dims_y)
  br i1 %alike, label %flat, label %unlike
unlike:
  %number_y_is = icmp eq i32 %rank_y, 0
  br i1 %number_y_is, label %flat, label %maybe_x
maybe_x:
  %number_x_is = icmp eq i32 %rank_x, 0
  br i1 %number_x_is, label %flat_y, label %wider
flat_y:
  br label %flat
flat:
  %rank = phi i32 [%rank_x, %operands], [%rank_x, %unlike], [%rank_y, %flat_y]
  %dims = phi ptr [%dims_x, %operands], [%dims_x, %unlike], [%dims_y, %flat_y]
  %orders = phi i32 [%common, %operands], [%flags_x, %unlike], [%flags_y, %flat_y]
  %flat_x_step = phi i64 [%item, %operands], [%item, %unlike], [0, %flat_y]
  %flat_y_step = phi i64 [%item, %operands], [0, %unlike], [%item, %flat_y]
  %with_goal = and i32 %orders, %goal_flags
  %dense_bits = and i32 %with_goal, {ORDERED | REVERSED}
  %dense = icmp ne i32 %dense_bits, 0
  br i1 %dense, label %look_at_goal, label %wider
look_at_goal:
  br i1 %fresh, label %measured, label %goal_shape
goal_shape:
  %goal_alike = call i1 @alike(i32 %rank, ptr %dims, i32 %goal_rank, ptr %goal_dims)
  br i1 %goal_alike, label %measured, label %wider
measured:
  %size = call i64 @size(i32 %rank, ptr %dims)
  %less = sub i64 %size, 1
  %small = icmp ult i64 %less, {MOST}
  br i1 %small, label %make_flat, label %unfit
make_flat:
  %ordered_bit = and i32 %orders, {ORDERED}
  %ordered = icmp ne i32 %ordered_bit, 0
  %order = select i1 %ordered, i32 0, i32 {REVERSED}
  br label %make
wider:
  %may = icmp ne i64 %broadcasts, 0
  %x_more = icmp sgt i32 %rank_x, %rank_y
  %most_axes = select i1 %x_more, i32 %rank_x, i32 %rank_y
  %few = icmp sle i32 %most_axes, {_RANK}
  %line = icmp eq i32 %most_axes, 1
  %both_ordered_bit = and i32 %common, {ORDERED}
  %both_ordered = icmp ne i32 %both_ordered_bit, 0
  %same_axes = icmp eq i32 %most_axes, %goal_rank
  %not_fresh = xor i1 %fresh, true
  %onto = and i1 %not_fresh, %same_axes
  %known_order = or i1 %both_ordered, %line
  %in_order = and i1 %fresh, %known_order
  %either = or i1 %onto, %in_order
  %wide_1 = and i1 %either, %may
  %wide_2 = and i1 %wide_1, %few
  br i1 %wide_2, label %aligning, label %unfit
aligning:
  %axes = sext i32 %most_axes to i64
  %axes_x = sext i32 %rank_x to i64
  %axes_y = sext i32 %rank_y to i64
  %lack_x = sub i64 %axes, %axes_x
  %lack_y = sub i64 %axes, %axes_y
  br label %align
align:
  %left = phi i64 [%axes, %aligning], [%k, %aligned_axis]
  %run_out = phi i64 [%item, %aligning], [%next_run_out, %aligned_axis]
  %cover = phi i64 [%item, %aligning], [%next_cover, %aligned_axis]
  %total = phi i64 [1, %aligning], [%next_total, %aligned_axis]
  %over = icmp eq i64 %left, 0
  br i1 %over, label %aligned_all, label %axis
axis:
  %k = sub i64 %left, 1
  %has_x = icmp sge i64 %k, %lack_x
  br i1 %has_x, label %dim_of_x, label %dim_x_done
dim_of_x:
  %index_x = sub i64 %k, %lack_x
  %dim_at_x = getelementptr inbounds i64, ptr %dims_x, i64 %index_x
  %dim_read_x = load i64, ptr %dim_at_x
  %stride_at_x = getelementptr inbounds i64, ptr %strides_x, i64 %index_x
  %stride_read_x = load i64, ptr %stride_at_x
  br label %dim_x_done
dim_x_done:
  %dim_x = phi i64 [1, %axis], [%dim_read_x, %dim_of_x]
  %stride_x = phi i64 [0, %axis], [%stride_read_x, %dim_of_x]
  %has_y = icmp sge i64 %k, %lack_y
  br i1 %has_y, label %dim_of_y, label %dim_y_done
dim_of_y:
  %index_y = sub i64 %k, %lack_y
  %dim_at_y = getelementptr inbounds i64, ptr %dims_y, i64 %index_y
  %dim_read_y = load i64, ptr %dim_at_y
  %stride_at_y = getelementptr inbounds i64, ptr %strides_y, i64 %index_y
  %stride_read_y = load i64, ptr %stride_at_y
  br label %dim_y_done
dim_y_done:
  %dim_y = phi i64 [1, %dim_x_done], [%dim_read_y, %dim_of_y]
  %stride_y = phi i64 [0, %dim_x_done], [%stride_read_y, %dim_of_y]
  %same_dim = icmp eq i64 %dim_x, %dim_y
  %unit_x = icmp eq i64 %dim_x, 1
  %unit_y = icmp eq i64 %dim_y, 1
  %any_unit = or i1 %unit_x, %unit_y
  %fits = or i1 %same_dim, %any_unit
  br i1 %fits, label %goal_axis, label %unfit
goal_axis:
  %dim = select i1 %unit_x, i64 %dim_y, i64 %dim_x
  br i1 %fresh, label %aligned_axis, label %goal_dim
goal_dim:
  %goal_dim_at = getelementptr inbounds i64, ptr %goal_dims, i64 %k
  %goal_dim_read = load i64, ptr %goal_dim_at
  %goal_stride_at = getelementptr inbounds i64, ptr %goal_strides, i64 %k
  %goal_stride = load i64, ptr %goal_stride_at
  %goal_same = icmp eq i64 %goal_dim_read, %dim
  %goal_long = icmp sge i64 %goal_stride, %cover
  %goal_single = icmp eq i64 %dim, 1
  %goal_apart = or i1 %goal_long, %goal_single
  %goal_right = and i1 %goal_same, %goal_apart
  %goal_steps = sub i64 %dim, 1
  %goal_span = mul i64 %goal_steps, %goal_stride
  %goal_cover = add i64 %cover, %goal_span
  br i1 %goal_right, label %aligned_axis, label %unfit
aligned_axis:
  %axis_step_out = phi i64 [%run_out, %goal_axis], [%goal_stride, %goal_dim]
  %next_cover = phi i64 [%cover, %goal_axis], [%goal_cover, %goal_dim]
  %axis_step_x = select i1 %unit_x, i64 0, i64 %stride_x
  %axis_step_y = select i1 %unit_y, i64 0, i64 %stride_y
  %outer_at = getelementptr inbounds i64, ptr %outer, i64 %k
  store i64 %dim, ptr %outer_at
  %step_x_at = getelementptr inbounds i64, ptr %step_x, i64 %k
  store i64 %axis_step_x, ptr %step_x_at
  %step_y_at = getelementptr inbounds i64, ptr %step_y, i64 %k
  store i64 %axis_step_y, ptr %step_y_at
  %step_out_at = getelementptr inbounds i64, ptr %step_out, i64 %k
  store i64 %axis_step_out, ptr %step_out_at
  %begin_at = getelementptr inbounds i64, ptr %at, i64 %k
  store i64 0, ptr %begin_at
  %next_run_out = mul i64 %run_out, %dim
  %next_total = mul i64 %total, %dim
  br label %align
aligned_all:
  %less_total = sub i64 %total, 1
  %small_total = icmp ult i64 %less_total, {MOST}
  %last = sub i64 %axes, 1
  br i1 %small_total, label %make_wide, label %unfit
make_wide:
  %last_at = getelementptr inbounds i64, ptr %outer, i64 %last
  %inner = load i64, ptr %last_at
  %last_x_at = getelementptr inbounds i64, ptr %step_x, i64 %last
  %inner_x = load i64, ptr %last_x_at
  %last_y_at = getelementptr inbounds i64, ptr %step_y, i64 %last
  %inner_y = load i64, ptr %last_y_at
  %last_out_at = getelementptr inbounds i64, ptr %step_out, i64 %last
  %inner_out = load i64, ptr %last_out_at
  br label %make
make:
  %out_rank = phi i32 [%rank, %make_flat], [%most_axes, %make_wide]
  %out_dims = phi ptr [%dims, %make_flat], [%outer, %make_wide]
  %out_order = phi i32 [%order, %make_flat], [0, %make_wide]
  %n = phi i64 [%size, %make_flat], [%inner, %make_wide]
  %all = phi i64 [%size, %make_flat], [%total, %make_wide]
  %sx = phi i64 [%flat_x_step, %make_flat], [%inner_x, %make_wide]
  %sy = phi i64 [%flat_y_step, %make_flat], [%inner_y, %make_wide]
  %so = phi i64 [%item, %make_flat], [%inner_out, %make_wide]
  %above = phi i64 [0, %make_flat], [%last, %make_wide]
  br i1 %fresh, label %new_array, label %taken
taken:
  call void %keep(ptr %target)
  br label %run
new_array:
  call void %keep(ptr %descr_x)
  %made = call ptr %new(
    ptr %ndarray, ptr %descr_x, i32 %out_rank, ptr %out_dims, ptr null, ptr null, i32 %out_order, ptr null)
  %none = icmp eq ptr %made, null
  br i1 %none, label %fail, label %filled
filled:
""" + fields("made", "data") + """
  br label %run
run:
  %out = phi ptr [%target, %taken], [%made, %filled]
  %data_out = phi ptr [%goal_data, %taken], [%data_made, %filled]
  store i64 %sx, ptr %steps
  store i64 %sy, ptr %steps_1
  store i64 %so, ptr %steps_2
  store i64 %n, ptr %length
  call void @clear(i64 %heeds)
  br label %rows
rows:
  %now_x = phi ptr [%data_x, %run], [%moved_x, %further]
  %now_y = phi ptr [%data_y, %run], [%moved_y, %further]
  %now_out = phi ptr [%data_out, %run], [%moved_out, %further]
  %to_do = phi i64 [%all, %run], [%rest, %further]
  store ptr %now_x, ptr %given
  store ptr %now_y, ptr %given_1
  store ptr %now_out, ptr %given_2
  call void %loop(ptr %given, ptr %length, ptr %steps, ptr %what)
  %rest = sub i64 %to_do, %n
  %ended = icmp eq i64 %rest, 0
  br i1 %ended, label %check, label %move
move:
  %axis_left = phi i64 [%above, %rows], [%axis_now, %carry]
  %from_x = phi ptr [%now_x, %rows], [%back_x, %carry]
  %from_y = phi ptr [%now_y, %rows], [%back_y, %carry]
  %from_out = phi ptr [%now_out, %rows], [%back_out, %carry]
  %axis_now = sub i64 %axis_left, 1
  %move_x_at = getelementptr inbounds i64, ptr %step_x, i64 %axis_now
  %move_x = load i64, ptr %move_x_at
  %move_y_at = getelementptr inbounds i64, ptr %step_y, i64 %axis_now
  %move_y = load i64, ptr %move_y_at
  %move_out_at = getelementptr inbounds i64, ptr %step_out, i64 %axis_now
  %move_out = load i64, ptr %move_out_at
  %moved_x = getelementptr inbounds i8, ptr %from_x, i64 %move_x
  %moved_y = getelementptr inbounds i8, ptr %from_y, i64 %move_y
  %moved_out = getelementptr inbounds i8, ptr %from_out, i64 %move_out
  %where_at = getelementptr inbounds i64, ptr %at, i64 %axis_now
  %where = load i64, ptr %where_at
  %where_next = add i64 %where, 1
  %limit_at = getelementptr inbounds i64, ptr %outer, i64 %axis_now
  %limit = load i64, ptr %limit_at
  %inside = icmp ult i64 %where_next, %limit
  br i1 %inside, label %further, label %carry
further:
  store i64 %where_next, ptr %where_at
  br label %rows
carry:
  store i64 0, ptr %where_at
  %minus = sub i64 0, %limit
  %span_x = mul i64 %move_x, %minus
  %span_y = mul i64 %move_y, %minus
  %span_out = mul i64 %move_out, %minus
  %back_x = getelementptr inbounds i8, ptr %moved_x, i64 %span_x
  %back_y = getelementptr inbounds i8, ptr %moved_y, i64 %span_y
  %back_out = getelementptr inbounds i8, ptr %moved_out, i64 %span_out
  br label %move
check:
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
