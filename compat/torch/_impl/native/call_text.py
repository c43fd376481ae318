"""The text of calls in native code: the key of a call's program, and the program's run where there is one.

The key is what `call_cache.lookup` asks of a call, as bytes: modes, default dtype, and of each argument its kind and
what it says, of tensors shape, strides, dtype and whether they are recorded.
"""

from .object_text import DESCR, DIMS, ENTRY, GET, KIND, NDIM, STRIDES, TYPE, VALUE, loads

ROOM, MOST = 2048, 24  # bytes of a key; tensors of a call
_SPARE = 600  # bytes that one argument takes at most
_LONG = 256  # characters of a string

_APPEND = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @add(ptr %key, i64 %word) alwaysinline {{
  %used = load i64, ptr %key
  %at = getelementptr inbounds i8, ptr %key, i64 %used
  store i64 %word, ptr %at, align 1
  %more = add i64 %used, 8
  store i64 %more, ptr %key
  ret void
}}

define internal i1 @add_string(ptr %table, ptr %key, ptr %x) {{
entry:
  %size_cell = alloca i64
{loads(text="PyUnicode_AsUTF8AndSize", forget="PyErr_Clear")}
  %data = call ptr %text(ptr %x, ptr %size_cell)
  %wrong = icmp eq ptr %data, null
  br i1 %wrong, label %clear, label %look
look:
  %size = load i64, ptr %size_cell
  %long = icmp ugt i64 %size, {_LONG}
  br i1 %long, label %no, label %copy
copy:
  call void @add(ptr %key, i64 %size)
  %used = load i64, ptr %key
  %at = getelementptr inbounds i8, ptr %key, i64 %used
  call void @llvm.memcpy.p0.p0.i64(ptr %at, ptr %data, i64 %size, i1 false)
  %after = add i64 %used, %size
  store i64 %after, ptr %key
  ret i1 true
clear:
  call void %forget()
  br label %no
no:
  ret i1 false
}}

define internal i1 @add_int(ptr %table, ptr %key, ptr %x) {{
entry:
  %over_cell = alloca i32
{loads(read="PyLong_AsLongLongAndOverflow")}
  %value = call i64 %read(ptr %x, ptr %over_cell)
  %over = load i32, ptr %over_cell
  %fits = icmp eq i32 %over, 0
  call void @add(ptr %key, i64 %value)
  ret i1 %fits
}}

; what the axes of an array are, and how far apart their elements lie
define internal void @add_words(ptr %key, ptr %words, i64 %count) {{
entry:
  br label %next
next:
  %k = phi i64 [0, %entry], [%after, %more]
  %within = icmp slt i64 %k, %count
  br i1 %within, label %more, label %done
more:
  %at = getelementptr inbounds i64, ptr %words, i64 %k
  %word = load i64, ptr %at
  call void @add(ptr %key, i64 %word)
  %after = add i64 %k, 1
  br label %next
done:
  ret void
}}
"""
# How an argument begins in a key.
_TENSOR, _NONE, _TRUE, _FALSE, _INT, _FLOAT, _STRING, _TUPLE, _DTYPE, _NAME = range(1, 11)


def calls(at):
    """The text of `@quick_call`; `at` as `objects` of object_text.py has it."""
    get = GET.format
    tensor = f"""
; whether a tensor may be an operand of a program, which is then told of in the key; integers only where it is blind
define internal i1 @add_tensor(ptr %table, ptr %key, ptr %t, i64 %mode, i1 %blind) {{
entry:
{loads(ndarray="ndarray", double="double", single="single", none="None", false="False")}
  %recording = icmp eq i64 %mode, 0
  %usable = call i1 @usable(ptr %table, ptr %t, i64 %mode)
  br i1 %usable, label %plain, label %not_floats
not_floats:
  br i1 %blind, label %integers, label %no
integers:
{get("meta", "t", at["autograd_meta"])}{get("level", "t", at["level_trace"])}{get("integers_x", "t", at["value"])}
{get("array_kind", "integers_x", TYPE)}
  %array_is = icmp eq ptr %array_kind, %ndarray
  br i1 %array_is, label %letters, label %no
letters:
{get("which", "integers_x", DESCR)}
  %kind_at = getelementptr inbounds i8, ptr %which, i64 {KIND}
  %letter = load i8, ptr %kind_at
  %is_i = icmp eq i8 %letter, {ord("i")}
  %is_b = icmp eq i8 %letter, {ord("b")}
  %is_u = icmp eq i8 %letter, {ord("u")}
  %is_ib = or i1 %is_i, %is_b
  %is_whole = or i1 %is_ib, %is_u
  %no_meta = icmp eq ptr %meta, %none
  %no_level = icmp eq ptr %level, %none
  %bare = and i1 %no_meta, %no_level
  %known = and i1 %bare, %is_whole
  br i1 %known, label %plain, label %no
plain:
{get("x", "t", at["value"])}{get("kind", "x", TYPE)}
  %is_array = icmp eq ptr %kind, %ndarray
  br i1 %is_array, label %array, label %no
array:
{get("descr", "x", DESCR)}{get("dims", "x", DIMS)}{get("strides", "x", STRIDES)}
  %rank_at = getelementptr inbounds i8, ptr %x, i64 {NDIM}
  %rank_small = load i32, ptr %rank_at
  %rank = sext i32 %rank_small to i64
  %wide = icmp eq ptr %descr, %double
  %thin = icmp eq ptr %descr, %single
  %floats = or i1 %wide, %thin
  %few_axes = icmp ule i64 %rank, 16
  %known_dtype = or i1 %floats, %blind
  %good = and i1 %known_dtype, %few_axes
  br i1 %good, label %describe, label %no
describe:
{get("node", "t", at["node"])}{get("wants", "t", at["wants_grad"])}
  %has_node = icmp ne ptr %node, %none
  %wanted = icmp ne ptr %wants, %false
  %history = or i1 %has_node, %wanted
  %recorded = and i1 %history, %recording
  %noted = select i1 %recorded, i64 1024, i64 0
  %rank_part = shl i64 %rank, 16
  %with_note = or i64 %noted, {_TENSOR}
  %begin = or i64 %with_note, %rank_part
  %dtype_at = getelementptr inbounds i8, ptr %descr, i64 {KIND}
  %dtype_word = load i64, ptr %dtype_at, align 1
  call void @add(ptr %key, i64 %begin)
  call void @add(ptr %key, i64 %dtype_word)
  call void @add_words(ptr %key, ptr %dims, i64 %rank)
  call void @add_words(ptr %key, ptr %strides, i64 %rank)
  ret i1 true
no:
  ret i1 false
}}
"""
    argument = f"""
; whether an argument may be one of a program: it is added to the key, a tensor to the tensors too
define internal i1 @add_argument(ptr %table, ptr %key, ptr %x, i64 %mode, i1 %blind, ptr %tensors, ptr %count) {{
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
  %told = call i1 @add_tensor(ptr %table, ptr %key, ptr %x, i64 %mode, i1 %blind)
  ret i1 %told
other:
  %is_int = icmp eq ptr %kind, %int
  br i1 %is_int, label %an_int, label %not_int
an_int:
  call void @add(ptr %key, i64 {_INT})
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
  %truth = select i1 %is_true, i64 {_TRUE}, i64 {_FALSE}
  %word = select i1 %is_none, i64 {_NONE}, i64 %truth
  call void @add(ptr %key, i64 %word)
  ret i1 true
not_single:
  %is_float = icmp eq ptr %kind, %float
  br i1 %is_float, label %a_float, label %not_float
a_float:
  %value_at = getelementptr inbounds i8, ptr %x, i64 {VALUE}
  %bits = load i64, ptr %value_at
  call void @add(ptr %key, i64 {_FLOAT})
  call void @add(ptr %key, i64 %bits)
  ret i1 true
not_float:
  %is_str = icmp eq ptr %kind, %str
  br i1 %is_str, label %a_string, label %not_string
a_string:
  call void @add(ptr %key, i64 {_STRING})
  %string_told = call i1 @add_string(ptr %table, ptr %key, ptr %x)
  ret i1 %string_told
not_string:
  %is_dtype = icmp eq ptr %kind, %dtype
  br i1 %is_dtype, label %a_dtype, label %not_dtype
a_dtype:
  %which = ptrtoint ptr %x to i64
  call void @add(ptr %key, i64 {_DTYPE})
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
  call void @add(ptr %key, i64 {_TUPLE})
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
  %tensors = alloca [{MOST} x ptr]
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
  %mode = call i64 @mode(ptr %table)
  %good_mode = icmp ult i64 %mode, 3
  br i1 %good_mode, label %dualless, label %unfit
dualless:
  %got = call i32 %get(ptr %dual, ptr null, ptr %dual_cell)
  %epoch = load ptr, ptr %dual_cell
  call void %drop(ptr %epoch)
  %no_dual = icmp eq ptr %epoch, %none
  br i1 %no_dual, label %begin, label %unfit
begin:
  store i64 8, ptr %key
  store i64 0, ptr %tensor_count
  store i64 0, ptr %position
  %usual = call ptr %attribute(ptr %default, ptr %float)
  %no_usual = icmp eq ptr %usual, null
  br i1 %no_usual, label %fail, label %head
head:
  call void %drop(ptr %usual)
  %usual_word = ptrtoint ptr %usual to i64
  call void @add(ptr %key, i64 %mode)
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
    ptr %table, ptr %key, ptr %x, i64 %mode, i1 %blind, ptr %tensors, ptr %tensor_count)
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
  call void @add(ptr %key, i64 {_NAME})
  %name_good = call i1 @add_string(ptr %table, ptr %key, ptr %name)
  br i1 %name_good, label %valued, label %unfit
valued:
  %value_good = call i1 @add_argument(
    ptr %table, ptr %key, ptr %value, i64 %mode, i1 %blind, ptr %tensors, ptr %tensor_count)
  br i1 %value_good, label %named, label %unfit
told_all:
  %n = load i64, ptr %tensor_count
  %some = icmp ne i64 %n, 0
  br i1 %some, label %seek, label %unfit
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
  %verdict = call ptr %vectorcall(ptr %program, ptr %tensors, i64 %n, ptr null)
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
    return _APPEND + tensor + argument + call
