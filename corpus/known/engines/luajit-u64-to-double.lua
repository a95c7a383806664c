-- luajit -O3 THIS
-- Expected true (2^63 + 1025 is nearest to 2^63 + 2048); LuaJIT 2.1.0-beta3 prints false, and true with -joff: a trace
-- converts the number as a signed one, which rounds, and adds 2^64, which rounds again.
local ffi = require("ffi")
local x = ffi.cast("uint64_t", 0x8000000000000401ULL)
local y
for _ = 1, 200 do y = tonumber(x + 0ULL) end
print(y == 2 ^ 63 + 2048)
