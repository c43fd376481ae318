"""The text of calls in native code: the key of a call's program, and the program's run where there is one.

The key is what `call_cache.lookup` asks of a call, as bytes: modes (0 to 2 as `mode` has them, 4 at a dual level, 5
with saved-tensor hooks), default dtype, and of each argument its kind and what it says, of tensors shape, strides,
dtype and whether they are recorded.
"""

from .key_text import APPEND, DTYPE, FALSE, FLOAT, INT, NAME, NONE, STRING, TRUE, TUPLE, tensors
from .object_text import ENTRY, GET, TYPE, VALUE, loads

ROOM, MOST = 2048, 24  # bytes of a key; tensors of a call
_SPARE = 600  # bytes that one argument takes at most


def calls(at):
    """The text of `@quick_call`; `at` as `objects` of object_text.py has it."""
    get = GET.format
    argument = f"""
; whether an argument may be one of a program: it is added to the key, a tensor to the tensors too
define internal i1 @add_argument(ptr %table, ptr %key, ptr %x, i64 %mode, i1 %blind, ptr %tensors, ptr %count,
                                 ptr %epoch, ptr %tangents, ptr %tangent_count) {{
entry:
{loads(tensor="Tensor", parameter="Parameter", none="None", true="True", false="False", int="int", float="float",
       str="str", tuple="tuple", dtype="Dtype", size="PyTuple_Size", item="PyTuple_GetItem")}
{get("kind", "x", TYPE)}
  %used = load i64, ptr %key
  %room = icmp ult i64 %used, {ROOM - _SPARE}
  br i1 %room, label %look, label %no
look:
  %is_tensor = icmp eq ptr %kind, %tensor
  %is_parameter = icmp eq ptr %kind, %parameter
  %is_any = or i1 %is_tensor, %is_parameter
  br i1 %is_any, label %a_tensor, label %other
a_tensor:
  %n = load i64, ptr %count
  %few = icmp ult i64 %n, {MOST}
  br i1 %few, label %tell, label %no
tell:
  %place = getelementptr inbounds ptr, ptr %tensors, i64 %n
  store ptr %x, ptr %place
  %n_more = add i64 %n, 1
  store i64 %n_more, ptr %count
  %no_epoch = icmp eq ptr %epoch, null
  br i1 %no_epoch, label %usual, label %dual
dual:
  %dual_told = call i1 @add_dual(ptr %table, ptr %key, ptr %x, ptr %epoch, ptr %tangents, ptr %tangent_count)
  ret i1 %dual_told
usual:
  %told = call i1 @add_tensor(ptr %table, ptr %key, ptr %x, i64 %mode, i1 %blind)
  ret i1 %told
other:
  %is_int = icmp eq ptr %kind, %int
  br i1 %is_int, label %an_int, label %not_int
an_int:
  call void @add(ptr %key, i64 {INT})
  %int_told = call i1 @add_int(ptr %table, ptr %key, ptr %x)
  ret i1 %int_told
not_int:
  %is_none = icmp eq ptr %x, %none
  %is_true = icmp eq ptr %x, %true
  %is_false = icmp eq ptr %x, %false
  %logical = or i1 %is_true, %is_false
  %single = or i1 %logical, %is_none
  br i1 %single, label %a_single, label %not_single
a_single:
  %truth = select i1 %is_true, i64 {TRUE}, i64 {FALSE}
  %word = select i1 %is_none, i64 {NONE}, i64 %truth
  call void @add(ptr %key, i64 %word)
  ret i1 true
not_single:
  %is_float = icmp eq ptr %kind, %float
  br i1 %is_float, label %a_float, label %not_float
a_float:
  %value_at = getelementptr inbounds i8, ptr %x, i64 {VALUE}
  %bits = load i64, ptr %value_at
  call void @add(ptr %key, i64 {FLOAT})
  call void @add(ptr %key, i64 %bits)
  ret i1 true
not_float:
  %is_str = icmp eq ptr %kind, %str
  br i1 %is_str, label %a_string, label %not_string
a_string:
  call void @add(ptr %key, i64 {STRING})
  %string_told = call i1 @add_string(ptr %table, ptr %key, ptr %x)
  ret i1 %string_told
not_string:
  %is_dtype = icmp eq ptr %kind, %dtype
  br i1 %is_dtype, label %a_dtype, label %not_dtype
a_dtype:
  %which = ptrtoint ptr %x to i64
  call void @add(ptr %key, i64 {DTYPE})
  call void @add(ptr %key, i64 %which)
  ret i1 true
not_dtype:
  %is_tuple = icmp eq ptr %kind, %tuple
  br i1 %is_tuple, label %a_tuple, label %no
a_tuple:
  %length = call i64 %size(ptr %x)
  %short = icmp ult i64 %length, 16
  br i1 %short, label %begin, label %no
begin:
  call void @add(ptr %key, i64 {TUPLE})
  call void @add(ptr %key, i64 %length)
  br label %items
items:
  %k = phi i64 [0, %begin], [%k_next, %told_item]
  %left = icmp ult i64 %k, %length
  br i1 %left, label %one, label %yes
one:
  %entry_k = call ptr %item(ptr %x, i64 %k)
{get("kind_k", "entry_k", TYPE)}
  %entry_int = icmp eq ptr %kind_k, %int
  br i1 %entry_int, label %tell_item, label %no
tell_item:
  %item_told = call i1 @add_int(ptr %table, ptr %key, ptr %entry_k)
  br i1 %item_told, label %told_item, label %no
told_item:
  %k_next = add i64 %k, 1
  br label %items
yes:
  ret i1 true
no:
  ret i1 false
}}
"""
    call = f"""
; quick_call(programs, arguments, keywords, blind): what a program gives; bytes where there is none yet, else None
define ptr @quick_call(ptr %self, ptr %args, i64 %count) {{
{ENTRY}
  %key = alloca [{ROOM} x i8], align 8
  %operands = alloca [{2 * MOST + 1} x ptr]
  %tangents = alloca [{MOST} x ptr]
  %tangent_count = alloca i64
  %tensor_count = alloca i64
  %position = alloca i64
  %name_cell = alloca ptr
  %value_cell = alloca ptr
  %dual_cell = alloca ptr
{loads(get="PyContextVar_Get", dual="DUAL", none="None", true="True", drop="Py_DecRef", size="PyTuple_Size",
       item="PyTuple_GetItem", step="PyDict_Next", attribute="PyObject_GetAttr", default="Default", float="'float'",
       bytes="PyBytes_FromStringAndSize", find="PyDict_GetItemWithError", keep="Py_IncRef",
       vectorcall="PyObject_Vectorcall", declined="DECLINED")}
  %right = icmp eq i64 %count, 4
  br i1 %right, label %given, label %unfit
given:
  %programs = load ptr, ptr %args
  %second = getelementptr inbounds ptr, ptr %args, i64 1
  %arguments = load ptr, ptr %second
  %third = getelementptr inbounds ptr, ptr %args, i64 2
  %keywords = load ptr, ptr %third
  %fourth = getelementptr inbounds ptr, ptr %args, i64 3
  %is_blind = load ptr, ptr %fourth
  %blind = icmp eq ptr %is_blind, %true
  %plain_mode = call i64 @mode(ptr %table)
  %mode = call i64 @hooked_mode(ptr %table, i64 %plain_mode)
  %hooks = icmp ne i64 %mode, %plain_mode
  %good_mode = icmp ult i64 %mode, 3
  br i1 %good_mode, label %dualless, label %unfit
dualless:
  %got = call i32 %get(ptr %dual, ptr null, ptr %dual_cell)
  %level = load ptr, ptr %dual_cell
  call void %drop(ptr %level)
  %no_dual = icmp eq ptr %level, %none
  %recording = icmp eq i64 %plain_mode, 0
  %known_level = or i1 %no_dual, %recording
  br i1 %known_level, label %begin, label %unfit
begin:
  %epoch = select i1 %no_dual, ptr null, ptr %level
  %tensors = getelementptr inbounds ptr, ptr %operands, i64 1
  %kind_of_plain = select i1 %hooks, i64 5, i64 %mode
  %kind_of_call = select i1 %no_dual, i64 %kind_of_plain, i64 4
  store i64 0, ptr %tangent_count
  store i64 8, ptr %key
  store i64 0, ptr %tensor_count
  store i64 0, ptr %position
  %usual = call ptr %attribute(ptr %default, ptr %float)
  %no_usual = icmp eq ptr %usual, null
  br i1 %no_usual, label %fail, label %head
head:
  call void %drop(ptr %usual)
  %usual_word = ptrtoint ptr %usual to i64
  call void @add(ptr %key, i64 %kind_of_call)
  call void @add(ptr %key, i64 %usual_word)
  %length = call i64 %size(ptr %arguments)
  br label %next
next:
  %k = phi i64 [0, %head], [%k_next, %told]
  %left = icmp slt i64 %k, %length
  br i1 %left, label %one, label %named
one:
  %x = call ptr %item(ptr %arguments, i64 %k)
  %good = call i1 @add_argument(
    ptr %table, ptr %key, ptr %x, i64 %mode, i1 %blind, ptr %tensors, ptr %tensor_count, ptr %epoch,
    ptr %tangents, ptr %tangent_count)
  br i1 %good, label %told, label %unfit
told:
  %k_next = add i64 %k, 1
  br label %next
named:
  %stepped = call i32 %step(ptr %keywords, ptr %position, ptr %name_cell, ptr %value_cell)
  %any = icmp ne i32 %stepped, 0
  br i1 %any, label %one_named, label %told_all
one_named:
  %name = load ptr, ptr %name_cell
  %value = load ptr, ptr %value_cell
  call void @add(ptr %key, i64 {NAME})
  %name_good = call i1 @add_string(ptr %table, ptr %key, ptr %name)
  br i1 %name_good, label %valued, label %unfit
valued:
  %value_good = call i1 @add_argument(
    ptr %table, ptr %key, ptr %value, i64 %mode, i1 %blind, ptr %tensors, ptr %tensor_count, ptr %epoch,
    ptr %tangents, ptr %tangent_count)
  br i1 %value_good, label %named, label %unfit
told_all:
  %n = load i64, ptr %tensor_count
  %some = icmp ne i64 %n, 0
  %pushed = load i64, ptr %tangent_count
  %any_pushed = icmp ne i64 %pushed, 0
  %right_level = or i1 %no_dual, %any_pushed
  %runs = and i1 %some, %right_level
  br i1 %runs, label %seek, label %unfit
seek:
  %used = load i64, ptr %key
  %key_begin = getelementptr inbounds i8, ptr %key, i64 8
  %key_size = sub i64 %used, 8
  %made = call ptr %bytes(ptr %key_begin, i64 %key_size)
  %not_made = icmp eq ptr %made, null
  br i1 %not_made, label %fail, label %made_key
made_key:
  %program = call ptr %find(ptr %programs, ptr %made)
  %unknown = icmp eq ptr %program, null
  br i1 %unknown, label %tell_key, label %run
tell_key:
  ret ptr %made
run:
  call void %keep(ptr %program)
  call void %drop(ptr %made)
  br i1 %no_dual, label %start, label %behind
behind:
  store ptr %level, ptr %operands
  %behind_tensors = getelementptr inbounds ptr, ptr %tensors, i64 %n
  %bytes_pushed = shl i64 %pushed, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %behind_tensors, ptr %tangents, i64 %bytes_pushed, i1 false)
  %with_tangents = add i64 %n, %pushed
  %with_level = add i64 %with_tangents, 1
  br label %start
start:
  %given_first = phi ptr [%tensors, %run], [%operands, %behind]
  %given_count = phi i64 [%n, %run], [%with_level, %behind]
  %verdict = call ptr %vectorcall(ptr %program, ptr %given_first, i64 %given_count, ptr null)
  call void %drop(ptr %program)
  %refused = icmp eq ptr %verdict, %declined
  br i1 %refused, label %decline, label %give
give:
  ret ptr %verdict
decline:
  call void %drop(ptr %verdict)
  br label %unfit
unfit:
  %nothing = call ptr @nothing(ptr %table)
  ret ptr %nothing
fail:
  ret ptr null
}}
"""
    return APPEND + tensors(at) + argument + call
