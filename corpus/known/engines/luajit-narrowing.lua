-- luajit THIS
-- Expected 0; LuaJIT 2.1.0-beta3 prints another number, and 0 with -joff or -O-narrow: the difference is not rounded.
local ffi = require("ffi")
local i64 = ffi.typeof("int64_t")
local x, wrong = ffi.new("int64_t[1]", 0x1000000000000001LL), 0
for _ = 1, 200 do
  if i64(1 - tonumber(x[0])) ~= -0x1000000000000000LL then wrong = wrong + 1 end
end
print(wrong)
