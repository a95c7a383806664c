-- luajit THIS
-- Expected 0; LuaJIT 2.1.0-beta3 prints 143, and 0 with -joff or -O-cse: a trace takes the unsigned remainder for the signed one.
local ffi = require("ffi")
local i64, u64 = ffi.typeof("int64_t"), ffi.typeof("uint64_t")
local a, b, wrong = -1LL, -3LL, 0
for _ = 1, 200 do
  local s, u = a % b, i64(u64(a) % u64(b))
  if s ~= -1LL or u ~= 2LL then wrong = wrong + 1 end
end
print(wrong)
