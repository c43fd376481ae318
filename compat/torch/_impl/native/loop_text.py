"""The text of loops over elements in native code that no ufunc has: they are called as a ufunc's loop is."""

_LANES = {"double": 8, "float": 16}  # elements of one step


def _relu(symbol, kind):
    """max(x, 0) of elements that lie side by side: 0 for -0, NaN for NaN, as NumPy's maximum beside 0."""
    lanes = _LANES[kind]
    vector = f"<{lanes} x {kind}>"
    item = 8 if kind == "double" else 4
    return f"""
define void @{symbol}(ptr %given, ptr %length, ptr %steps, ptr %what) {{
entry:
  %n = load i64, ptr %length
  %x = load ptr, ptr %given
  %out_at = getelementptr inbounds ptr, ptr %given, i64 1
  %out = load ptr, ptr %out_at
  %whole = and i64 %n, -{lanes}
  br label %steps_left
steps_left:
  %k = phi i64 [0, %entry], [%k_next, %step]
  %more = icmp ult i64 %k, %whole
  br i1 %more, label %step, label %rest
step:
  %x_at = getelementptr inbounds {kind}, ptr %x, i64 %k
  %out_k = getelementptr inbounds {kind}, ptr %out, i64 %k
  %values = load {vector}, ptr %x_at, align {item}
  %low = fcmp ole {vector} %values, zeroinitializer
  %cut = select <{lanes} x i1> %low, {vector} zeroinitializer, {vector} %values
  store {vector} %cut, ptr %out_k, align {item}
  %k_next = add i64 %k, {lanes}
  br label %steps_left
rest:
  %i = phi i64 [%whole, %steps_left], [%i_next, %single]
  %any = icmp ult i64 %i, %n
  br i1 %any, label %single, label %done
single:
  %one_at = getelementptr inbounds {kind}, ptr %x, i64 %i
  %one_out = getelementptr inbounds {kind}, ptr %out, i64 %i
  %value = load {kind}, ptr %one_at, align {item}
  %is_low = fcmp ole {kind} %value, 0.0
  %cut_one = select i1 %is_low, {kind} 0.0, {kind} %value
  store {kind} %cut_one, ptr %one_out, align {item}
  %i_next = add i64 %i, 1
  br label %rest
done:
  ret void
}}
"""


LOOPS = _relu("relu_of_doubles", "double") + _relu("relu_of_singles", "float")
OF = {"relu": {"double loop": "relu_of_doubles", "single loop": "relu_of_singles"}}  # primitive -> place -> symbol
