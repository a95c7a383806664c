// The script that runs a Lua program in LuaJIT, and records its traces and states at which they begin.

export const TRACE_DRIVER = String.raw`-- Runs a Lua program in LuaJIT and records its traces, and states at which traces begin.
-- luajit [-O...] trace-driver.lua FOLDER STATES TICKS PROGRAM [ARGUMENT...]
--
-- FOLDER/traces has a line of JSON for each event. A state is captured by a forked process, which goes on without
-- traces: FOLDER/N.ticks has the stack before each of its instructions, FOLDER/N.TICK.memory its memory. The process of
-- the program is not disturbed, so the next exit of its machine code (FOLDER/N.exit) belongs to the same state.
jit.off(true, true)
-- The program may replace global functions.
local assert, error, ipairs, pairs, tonumber, tostring, type, unpack = assert, error, ipairs, pairs, tonumber, tostring, type, unpack
local io, os, math, string, table, debug, jit, bit, coroutine = io, os, math, string, table, debug, jit, bit, coroutine
local ffi, util, names = require("ffi"), require("jit.util"), require("jit.vmdef")
local folder, states, ticksMax, program = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[4]
ffi.cdef([[
int fork(void); void _exit(int); int waitpid(int, int *, int); int alarm(unsigned);
int open(const char *, int, ...); int dup2(int, int); long lseek(int, long, int); int memcmp(const void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
]])
local C = ffi.C
local PER_EXIT, SECONDS = 2, 20

-- The layout of objects (lj_obj.h, 64-bit references) ----------------------------------------------------------------
local function word(address) return ffi.cast("uint64_t *", address)[0] end
local function pointer(address) return tonumber(word(address)) end
local function u32(address) return ffi.cast("uint32_t *", address)[0] end
local function u8(address) return ffi.cast("uint8_t *", address)[0] end
local function bytes(address, size) return ffi.string(ffi.cast("char *", address), size) end
local function addressOf(object) return tonumber((tostring(object):match("0x%x+"))) end
local cell = { 0 }
local cellAt = addressOf(cell)
--- Returns the 64 bits that a slot holds for the value.
local function bits(value)
  cell[1] = value
  return word(pointer(cellAt + 16) + 8)
end
local function reference(value) return tonumber(bits(value) % 0x800000000000ULL) end
local function hex(x) return (bit.tohex(tonumber(x / 0x100000000ULL)) .. bit.tohex(tonumber(x % 0x100000000ULL))) end

local out = assert(io.open(folder .. "/traces", "w"))
local function fail(why)
  io.stderr:write(why, "\n")
  os.exit(7)
end
if jit.arch ~= "x64" or not ffi.abi("64bit") or u8(addressOf(function() end) + 9) ~= 8 then
  fail("expected LuaJIT 2.1 with 64-bit references on x86-64")
end

-- Stacks --------------------------------------------------------------------------------------------------------------
local thread, L
local isFork = false
local collectgarbage = collectgarbage
--- Returns the base of the function that the hook or event handler interrupts, and its next instruction.
local interrupted, own
local function stackWord(offset) return word(pointer(L + 56) + offset) end
function interrupted()
  -- A call may grow the stack, so this function uses offsets.
  local base = pointer(L + 32) - pointer(L + 56)
  -- The frames above that of this function change with each call.
  while stackWord(base - 16) ~= own do base = base - 8 end
  while true do
    local link = tonumber(stackWord(base - 8))
    local kind = link % 4
    if kind == 0 then
      base = base - 8 * (2 + u8(link - 3))
    else
      base = base - (link - link % 8)
      if kind == 1 then break end
    end
  end
  local cframe = pointer(L + 80)
  local outer = pointer(cframe - cframe % 4 + 32)
  outer = outer - outer % 4
  local pc = pointer(outer + 24) - 4
  return base + pointer(L + 56), pc
end
own = bits(interrupted)
local LOG_MAX, logged = 3 * 524288, 0
local BELOW = 48 -- the slots below the base that are recorded
local function frameSize(base)
  local f = tonumber(word(base - 16) % 0x800000000000ULL)
  if u8(f + 10) ~= 0 then return 0 end
  return u8(pointer(f + 32) - 104 + 11)
end
local head = ffi.new("struct { uint32_t tick, count; uint64_t pc, base, low, stack; }")
--- Writes the slots of the stack, and after them the first bytes of each cdata in them. The stack may move.
local function writeStack(file, tick, base, pc)
  local low = math.max(base - 8 * BELOW, pointer(L + 56) + 16)
  head.tick, head.pc, head.base, head.low, head.stack = tick, pc, base, low, pointer(L + 56)
  head.count = (base - low) / 8 + frameSize(base)
  logged = logged + head.count * 8
  file:write(ffi.string(head, 40), bytes(low, head.count * 8))
  for i = 0, head.count - 1 do
    if u32(low + 8 * i + 4) / 32768 >= 131061 and u32(low + 8 * i + 4) / 32768 < 131062 then
      file:write(bytes(tonumber(word(low + 8 * i) % 0x800000000000ULL), 24))
    end
  end
end
local PART, MEMORY_MAX = 16384, 16 * 1048576
local zeroes = ffi.new("char[?]", PART)
local function writeMemory(path)
  local regions, file = {}, assert(io.open(path, "w"))
  for line in io.lines("/proc/self/maps") do
    local from, to, name = line:match("^(%x+)%-(%x+) rw%S+ %S+ %S+ %S+%s*(%S*)")
    if from and (name == "" or name == "[heap]") then
      regions[#regions + 1] = { tonumber(from, 16), tonumber(to, 16) - tonumber(from, 16) }
    end
  end
  local left = MEMORY_MAX
  for _, region in ipairs(regions) do
    local from, to = region[1], region[1] + region[2]
    while from < to do
      -- Parts that are all zeroes are described only.
      local isZero, size = nil, 0
      while from + size < to do
        local part = math.min(PART, to - from - size)
        local same = C.memcmp(ffi.cast("char *", from + size), zeroes, part) == 0
        if isZero == nil then isZero = same end
        if same ~= isZero then break end
        size = size + part
      end
      if not isZero then left = left - size end
      if left < 0 then break end
      head.tick, head.count, head.pc, head.base = isZero and 1 or 0, 0, from, size
      file:write(ffi.string(head, 40))
      if not isZero then file:write(bytes(from, size)) end
      from = from + size
    end
  end
  file:close()
end

-- States --------------------------------------------------------------------------------------------------------------
local log
local captured, pending, perExit, starts = 0, nil, {}, {}
local function interpret(id, isExit, isStitch)
  local tick, memories, startedAt, arrivals = 0, 0, nil, 0
  log = assert(io.open(folder .. "/" .. id .. ".ticks", "w"))
  isFork = true
  C.alarm(SECONDS)
  local null = C.open("/dev/null", 2)
  C.dup2(null, 1)
  C.dup2(null, 2)
  local at = C.lseek(0, 0, 1)
  -- A pipe cannot be read twice.
  local input = C.open(at >= 0 and "/proc/self/fd/0" or "/dev/null", 0)
  C.lseek(input, at, 0)
  C.dup2(input, 0)
  jit.off()
  if not isExit then jit.flush() end
  local function hook()
    if coroutine.running() ~= thread then return end
    -- The exit from machine code still refers to its trace until its first instruction is interpreted.
    if isExit and tick == 0 then jit.flush() end
    local base, pc = interrupted()
    -- The memory is copied where a trace begins, and again after two iterations. The next trace begins when a function of
    -- C returns.
    if pc == startedAt then arrivals = arrivals + 1 end
    local isStart = starts[pc] and (startedAt == nil or (pc == startedAt and arrivals == 2) or (isExit and startedAt == 0))
    if (isExit and tick == 0) or (isStitch and tick == 1) or (isStart and memories < 3) then
      writeMemory(folder .. "/" .. id .. "." .. tick .. ".memory")
      memories = memories + 1
      if startedAt == nil or startedAt == 0 then startedAt, arrivals = starts[pc] and pc or 0, 0 end
    end
    writeStack(log, tick, base, pc)
    tick = tick + 1
    if tick > ticksMax or logged > LOG_MAX then
      log:close()
      C._exit(0)
    end
  end
  jit.off(hook)
  debug.sethook(hook, "", 1)
end
local function capture(isExit, isStitch)
  if captured >= states or coroutine.running() ~= thread then return nil end
  captured = captured + 1
  local id = captured
  out:flush()
  local child = C.fork()
  if child == 0 then
    interpret(id, isExit, isStitch)
  elseif child > 0 then
    C.waitpid(child, nil, 0)
  end
  return id
end

-- Traces --------------------------------------------------------------------------------------------------------------
local parents, paths = {}, {}
local function lastTrace()
  local object = addressOf({})
  while object ~= 0 do
    if u8(object + 9) == 9 then return object end
    object = pointer(object)
  end
end
local function quoted(text) return '"' .. text:gsub('[%c"\\\127-\255]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"' end
local function constant(tr, at)
  local value, kind, slot = util.tracek(tr, at)
  local payload
  if type(value) == "cdata" and kind >= 20 then
    payload = ffi.cast("uint64_t", value)
  elseif type(value) == "number" and kind ~= 14 then
    payload = ffi.cast("uint64_t", ffi.cast("int64_t", value))
  elseif kind == 14 then
    payload = bits(value)
  else
    payload = bits(value) % 0x800000000000ULL
  end
  local text = type(value) == "string" and quoted(value:sub(1, 40)) or quoted(type(value))
  return ('{"type":%d,"bits":"%s","slot":%s,"text":%s}'):format(kind, hex(payload), slot or "null", text)
end
local function writeTrace(tr)
  local info = util.traceinfo(tr)
  local instructions, constants, snapshots = {}, {}, {}
  for at = 1, info.nins do
    local mode, opcodeAndType, op1, op2 = util.traceir(tr, at)
    if not mode then break end
    local opcode = bit.rshift(opcodeAndType, 8)
    local name = names.irnames:sub(opcode * 6 + 1, opcode * 6 + 6):gsub(" ", "")
    instructions[at] = ('["%s",%d,%d,%d,%d]'):format(name, bit.band(opcodeAndType, 255), op1, op2, mode)
  end
  for at = 1, info.nk do constants[at] = constant(tr, -at) end
  local object = lastTrace()
  local map, records = pointer(object + 56), pointer(object + 48)
  for s = 0, info.nexit - 1 do
    local shown, entries = util.tracesnap(tr, s), {}
    local entry = map + 4 * u32(records + 12 * s)
    for j = 2, #shown - 1 do
      if u32(entry + 4 * (j - 2)) ~= shown[j] % 4294967296 then fail("the layout of snapshots is not that of LuaJIT 2.1.0-beta3") end
      entries[j - 1] = ("%d"):format(shown[j] % 4294967296)
    end
    local place = word(entry + 4 * (#shown - 2))
    snapshots[s + 1] = ('{"ref":%d,"slots":%d,"entries":[%s],"pc":"%s","base":%d}'):format(
      shown[0], shown[1], table.concat(entries, ","), hex(place / 256ULL), tonumber(place % 256ULL))
    if s == 0 then starts[tonumber(place / 256ULL)] = true end
  end
  local parent = parents[tr]
  out:write(('{"event":"trace","trace":%d,"parent":%s,"exit":%s,"at":%s,"link":%d,"linkType":"%s","path":%d,'):format(
    tr, parent.trace or "null", parent.exit or "null", quoted(parent.at), info.link, info.linktype, paths[tr]))
  out:write('"instructions":[', table.concat(instructions, ","), '],"constants":[', table.concat(constants, ","),
    '],"snapshots":[', table.concat(snapshots, ","), "]}\n")
end
local function onTrace(what, tr, f, pc, trace, exit)
  if isFork then return end
  if what == "start" then
    local info = util.funcinfo(f, pc)
    parents[tr] = { trace = trace, exit = exit, at = info.loc or "?" }
    paths[tr] = 0
  elseif what == "stop" then
    writeTrace(tr)
    pending = capture(false, util.traceinfo(tr).linktype == "stitch")
    out:write(('{"event":"state","state":%s,"trace":%d,"exit":null}\n'):format(pending or "null", tr))
  end
end
local function onRecord(tr, f, pc)
  if pc > 0 then paths[tr] = paths[tr] + 1 end
end
local function onExit(tr, exit)
  if isFork or coroutine.running() ~= thread then return end
  if pending then
    local file = assert(io.open(folder .. "/" .. pending .. ".exit", "w"))
    local base = interrupted()
    writeStack(file, 0, base, 0)
    file:close()
    out:write(('{"event":"exit","state":%d,"trace":%d,"exit":%d}\n'):format(pending, tr, exit))
    pending = nil
  end
  local key = tr * 1000 + exit
  perExit[key] = (perExit[key] or 0) + 1
  if perExit[key] > PER_EXIT then return end
  local id = capture(true)
  if id and not isFork then
    pending = id
    out:write(('{"event":"state","state":%d,"trace":%d,"exit":%d}\n'):format(id, tr, exit))
  end
end

-- The program ---------------------------------------------------------------------------------------------------------
local main, why = loadfile(program)
if not main then fail(why) end
arg = { [0] = program, unpack(arg, 5) }
thread = coroutine.create(main)
L = addressOf(thread)
local function listed(names)
  local all = {}
  for i = 0, #names do all[i + 1] = quoted(names[i]) end
  return "[" .. table.concat(all, ",") .. "]"
end
local bytecodes = {}
for at = 1, #names.bcnames, 6 do bytecodes[#bytecodes + 1] = quoted((names.bcnames:sub(at, at + 5):gsub(" ", ""))) end
local memmove = ffi.cast("uint64_t", ffi.cast("void *", C.memmove))
out:write(('{"event":"start","nil":"%s","memmove":"%s","fields":%s,"calls":%s,"bytecodes":[%s]}\n'):format(
  hex(word(addressOf({}) + 40)), hex(memmove), listed(names.irfield), listed(names.ircall), table.concat(bytecodes, ",")))
--- Stops the collector during a handler, since it may shrink the stack; a fork never collects.
local function withoutCollector(handler)
  return function(...)
    collectgarbage("stop")
    handler(...)
    if not isFork then collectgarbage("restart", -1) end
  end
end
local handleTrace, handleExit = withoutCollector(onTrace), withoutCollector(onExit)
jit.attach(handleTrace, "trace")
jit.attach(onRecord, "record")
jit.attach(handleExit, "texit")
local exit = os.exit
local function finish(failed, message)
  if isFork then
    log:close()
    C._exit(0)
  end
  jit.attach(handleTrace)
  jit.attach(onRecord)
  jit.attach(handleExit)
  out:write(('{"event":"end","failed":%d,"error":%s}\n'):format(failed and 1 or 0, quoted(tostring(message))))
  out:close()
end
function os.exit(...)
  finish(false, "")
  exit(...)
end
local ok, message = coroutine.resume(thread, unpack(arg))
finish(not ok, message)
`;
