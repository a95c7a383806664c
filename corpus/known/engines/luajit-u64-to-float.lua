-- luajit -Ohotloop=1 -Ohotexit=1 THIS
-- Expected 1.84467e+19 eight times, as -joff prints; LuaJIT 2.1.0-beta3 prints 0 once the loop is a trace.
local ffi = require("ffi")
local u64, slot = ffi.typeof("uint64_t"), ffi.new("union { float f; int32_t w; }")
local numbers = ffi.new("int64_t[2]", -1LL, -1LL)
local function single(x) slot.f = u64(x); return slot.f end
for i = 1, 8 do print(string.format("%g", single(numbers[i % 2]))) end
