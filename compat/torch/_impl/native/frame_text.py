"""The frame of a lane in native code: how it begins, and how those of views end."""

from .object_text import ENTRY, NDIM, loads


def begin(name, operands, look):
    """The beginning of a function of so many operands, `%a` for an operand "a", up to its block `usable:`.

    Args:
        look: instructions that tell of the mode `%mode` and the operands whether they fit, as `%fit`.
    """
    taken = "".join(f"  %{x}_place = getelementptr inbounds ptr, ptr %args, i64 {k}\n"
                    f"  %{x} = load ptr, ptr %{x}_place\n" for k, x in enumerate(operands))
    return f"""
define ptr @{name}(ptr %self, ptr %args, i64 %count) {{
{ENTRY}{loads(drop="Py_DecRef", raised="PyErr_Occurred")}
  %right = icmp eq i64 %count, {len(operands)}
  br i1 %right, label %given, label %unfit
given:
{taken}
  %mode = call i64 @mode(ptr %table)
  %good_mode = icmp ult i64 %mode, 3
  br i1 %good_mode, label %look, label %unfit
look:
{look}
  br i1 %fit, label %usable, label %unfit
usable:
"""


def begin_view(name, *operands):
    """The beginning of a lane of views, with what kind of tensor the first operand is."""
    return begin(name, operands, """
  %way = call i64 @way(ptr %table, ptr %t, i64 %mode)
  %fit = icmp ne i64 %way, 0""")


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
