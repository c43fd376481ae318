"""The frame of a lane in native code: how it begins, and how those of views end."""

from .object_text import ENTRY, NDIM, loads


def begin(at, name, operands, look, below=None, mode_below=0, hooks=False):
    """The beginning of a function of so many operands, `%a` for an operand "a", up to its block `usable:`.

    Args:
        at: the offsets of slots.
        look: instructions that tell of the mode `%mode` and the operands whether they fit, as `%fit`.
        below: for a lane whose first operand may be a value of the innermost vmap, what gives the tensor below, with
            all examples along the first axis: "below" or "under" of map_text.py. The operand is that tensor then,
            `%mode` is `mode_below`, `%trace` is the vmap, else null, and `%maps` says so, `%front` as a number.
        hooks: whether the lane runs under saved-tensor hooks too, as it saves nothing that they see.
    """
    first, *others = operands
    taken = "".join(f"  %{x}_place = getelementptr inbounds ptr, ptr %args, i64 {k}\n"
                    f"  %{x} = load ptr, ptr %{x}_place\n" for k, x in enumerate((f"given_{first}", *others)))
    hooked = "call i64 @hooked_mode(ptr %table, i64 %plain_mode)" if hooks else "add i64 %plain_mode, 0"
    return f"""
define ptr @{name}(ptr %self, ptr %args, i64 %count) {{
{ENTRY}{loads(drop="Py_DecRef", raised="PyErr_Occurred")}
  %right = icmp eq i64 %count, {len(operands)}
  br i1 %right, label %given, label %unfit
given:
{taken}
  %plain_mode = call i64 @mode(ptr %table)
  %given_mode = {hooked}
  %good_mode = icmp ult i64 %given_mode, 3
  br i1 %good_mode, label %look, label %{"unfit" if below is None else "mapped"}
mapped:
  %below_{first} = call ptr @{below or "under"}(ptr %table, ptr %given_{first})
  %is_below = icmp ne ptr %below_{first}, null
  br i1 %is_below, label %with_trace, label %unfit
with_trace:
  %its_trace = call ptr @field(ptr %given_{first}, i64 {at["level_trace"]})
  br label %look
look:
  %{first} = phi ptr [%given_{first}, %given], [%below_{first}, %with_trace]
  %mode = phi i64 [%given_mode, %given], [{mode_below}, %with_trace]
  %trace = phi ptr [null, %given], [%its_trace, %with_trace]
  %maps = icmp ne ptr %trace, null
  %front = zext i1 %maps to i64
{look}
  br i1 %fit, label %usable, label %unfit
usable:
"""


def begin_view(at, name, *operands, maps=False):
    """The beginning of a lane of views, with what kind of tensor the first operand is.

    Args:
        maps: whether that may be a value of the innermost vmap.
    """
    return begin(at, name, operands, """
  %way = call i64 @way(ptr %table, ptr %t, i64 %mode)
  %fit = icmp ne i64 %way, 0""", below="under" if maps else None, hooks=True)


# How many axes the array `%x` has.
RANK = f"""
  %rank_at = getelementptr inbounds i8, ptr %x, i64 {NDIM}
  %rank_small = load i32, ptr %rank_at
  %rank = sext i32 %rank_small to i64
"""
END_VIEW = """
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
