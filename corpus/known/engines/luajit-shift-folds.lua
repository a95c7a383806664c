-- luajit THIS
-- Expected 0; LuaJIT 2.1.0-beta3 prints 143, and 0 with -joff: a trace shifts (x & 1) by 32 as (x >> 32) & 1.
local bit = require("bit")
local wrong, heap = 0, 0x1180000000LL
for i = 1, 200 do
  local x = heap + (i - i)
  if bit.rshift(bit.band(x, 1LL), 32) ~= 0LL then wrong = wrong + 1 end
end
print(wrong)
