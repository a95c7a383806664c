// Defines the start and the end of each exported Lua file: helpers of the rows, and the main
// program.
//
// An Int32 is a signed number; an Int64 is an int64_t of the FFI. A Float or Double is a number,
// unless it is a NaN with specific bits. LuaJIT encodes values as NaNs, so no number can have such
// bits. These NaNs are int64_t, and `num` turns them into numbers before arithmetic.

import { KEPT_PLACES } from "../../ir/host-functions.js";
import { HEAP_BASE } from "../../ir/outcome.js";
import { nameOfType } from "../../ir/types.js";
import { VARIABLES } from "../further-results.js";
import { ENDED, NO_ROOM } from "../status.js";

/** Bytes after each array: a narrow access reads a whole word. */
export const PADDING_BYTES = 4;
/** The most bytes of records that one execution may write. */
const ROOM = 1 << 26;

export const HEAD = `-- Made by Touchstone. LuaJIT 2.1: it uses ffi, bit and goto.
local ffi, bit = require("ffi"), require("bit")
local tobit, band, bor, bxor, bswap = bit.tobit, bit.band, bit.bor, bit.bxor, bit.bswap
local lshift, rshift, arshift, rol, ror = bit.lshift, bit.rshift, bit.arshift, bit.rol, bit.ror
local floor, ceil, sqrt, fmod, mabs = math.floor, math.ceil, math.sqrt, math.fmod, math.abs
local cast, copy, new = ffi.cast, ffi.copy, ffi.new
local i64, u64 = ffi.typeof("int64_t"), ffi.typeof("uint64_t")
local U = new("union { double d; int64_t i; float f; int32_t w; }")

local NAN = 0 / 0
local NANF, NAND = 0x7fc00000LL, 0x7ff8000000000000LL
local LOW, MAX = 0xffffffffLL, 0x7fffffffffffffffLL
local MIN, BASE = -MAX - 1LL, ${HEAP_BASE}LL

local function num(x) return type(x) == "number" and x or NAN end
local function round(x) U.f = x; return U.f end
-- Rounds an integer to a Float once, independently of the FFI. A Double drops the low 11 bits of a long integer. If one of
-- them is set, the last kept bit is set too, so the second rounding is right.
local function roundi(x)
  local wide = tonumber(x)
  if wide > -9007199254740992 and wide < 9007199254740992 then return round(wide) end
  local kept = band(x, -2048LL)
  if kept ~= x then kept = bor(kept, 2048LL) end
  return round(tonumber(kept))
end
-- Both halves are exact, so their sum is rounded once; a trace rounds a uint64_t differently.
local function numu(x) return tonumber(rshift(x, 32)) * 4294967296 + tonumber(band(x, LOW)) end
local function tod(i)
  if band(i, MAX) > 0x7ff0000000000000LL then return i end
  U.i = i
  return U.d
end
local function tof(w)
  if band(w, 0x7fffffff) > 0x7f800000 then return band(i64(w), LOW) end
  U.w = w
  return U.f
end
local function bitsd(x)
  if type(x) ~= "number" then return x end
  U.d = x
  return i64(U.i)
end
local function bitsf(x)
  if type(x) ~= "number" then return tobit(x) end
  U.f = x
  return U.w
end
local function u32(x) return x < 0 and x + 4294967296 or x end
local function trunc(x) if x < 0 then return ceil(x) end return floor(x) end
local function negd(x) if type(x) == "number" then return -x end return bxor(x, MIN) end
local function negf(x) if type(x) == "number" then return -x end return bxor(x, 0x80000000LL) end
local function absd(x) if type(x) == "number" then return mabs(x) end return band(x, MAX) end
local function absf(x) if type(x) == "number" then return mabs(x) end return band(x, 0x7fffffffLL) end
local function copysignd(x, y) return tod(bor(band(bitsd(x), MAX), band(bitsd(y), MIN))) end
local function copysignf(x, y) return tof(bor(band(bitsf(x), 0x7fffffff), band(bitsf(y), 0x80000000))) end
-- Operands that compare equal differ in their sign at most.
local function fmin(x, y)
  if x < y then return x elseif y < x then return y elseif x ~= y then return x + y end
  return (x < 0 or 1 / x < 0) and x or y
end
local function fmax(x, y)
  if x > y then return x elseif y > x then return y elseif x ~= y then return x + y end
  return (x < 0 or 1 / x < 0) and y or x
end
-- Rounds to even: adding 2^52 drops the fraction of a smaller number.
local function nearest(x)
  local a = mabs(x)
  if not (a < 4503599627370496) then return x end
  local r = a + 4503599627370496 - 4503599627370496
  return (x < 0 or 1 / x < 0) and -r or r
end

local function truncs32(x)
  if x ~= x then return 0 end
  if x >= 2147483648 then return 2147483647 end
  if x <= -2147483649 then return -2147483648 end
  return tobit(trunc(x))
end
local function truncu32(x)
  if x > -1 and x < 4294967296 then return tobit(trunc(x)) end
  return x > 0 and -1 or 0
end
local function truncs64(x)
  if x >= -9223372036854775808 and x < 9223372036854775808 then return i64(x) end
  if x ~= x then return 0LL end
  return x < 0 and MIN or MAX
end
local function truncu64(x)
  if x > -1 and x < 9223372036854775808 then return i64(x) end
  if x > 0 and x < 18446744073709551616 then return i64(x - 9223372036854775808) + MIN end
  return x > 0 and -1LL or 0LL
end

local function popcount64(x)
  x = x - band(rshift(x, 1), 0x5555555555555555LL)
  x = band(x, 0x3333333333333333LL) + band(rshift(x, 2), 0x3333333333333333LL)
  x = band(x + rshift(x, 4), 0x0f0f0f0f0f0f0f0fLL)
  return rshift(x * 0x0101010101010101LL, 56)
end
local function clz64(x)
  x = bor(x, rshift(x, 1)); x = bor(x, rshift(x, 2)); x = bor(x, rshift(x, 4))
  x = bor(x, rshift(x, 8)); x = bor(x, rshift(x, 16)); x = bor(x, rshift(x, 32))
  return 64LL - popcount64(x)
end
local function ctz64(x) return popcount64(band(bit.bnot(x), x - 1LL)) end
local function popcount32(x) return tobit(popcount64(band(i64(x), LOW))) end
local function clz32(x) return tobit(clz64(band(i64(x), LOW))) - 32 end
local function ctz32(x) return popcount32(band(bit.bnot(x), tobit(x - 1))) end

-- LuaJIT assumes that accesses of different types are disjoint, as C does, so each access uses 32-bit words. A narrower
-- access also reads and writes the bytes after it: all arrays have padding for that.
local P = ffi.typeof("int32_t *")
local function load32(p) return cast(P, p)[0] end
local function load8z(p) return band(cast(P, p)[0], 255) end
local function load8s(p) return arshift(lshift(cast(P, p)[0], 24), 24) end
local function load16z(p) return band(cast(P, p)[0], 65535) end
local function load16s(p) return arshift(lshift(cast(P, p)[0], 16), 16) end
local function load64(p)
  local q = cast(P, p)
  return bor(lshift(i64(q[1]), 32), band(i64(q[0]), LOW))
end
local function loadf(p) return tof(cast(P, p)[0]) end
local function loadd(p) return tod(load64(p)) end
local function store32(p, x) cast(P, p)[0] = x end
local function store8(p, x)
  local q = cast(P, p)
  q[0] = bor(band(q[0], -256), band(x, 255))
end
local function store16(p, x)
  local q = cast(P, p)
  q[0] = bor(band(q[0], -65536), band(x, 65535))
end
local function store64(p, x)
  local q = cast(P, p)
  q[0] = tobit(x)
  q[1] = tobit(arshift(x, 32)) -- a logical shift of masked bits triggers a bug of LuaJIT
end
local function storef(p, x) cast(P, p)[0] = bitsf(x) end
local function stored(p, x) store64(p, bitsd(x)) end

-- For 0 bytes the addresses may be invalid.
ffi.cdef("void *memmove(void *, const void *, size_t);")
local memmove = ffi.C.memmove
local function copybytes(to, from, size) if size ~= 0 then memmove(to, from, size) end end
local function fillbytes(to, size, byte) if size ~= 0 then ffi.fill(to, size, band(byte, 255)) end end

local records, recorded, status = new("uint8_t[?]", ${ROOM + PADDING_BYTES}), 0, 0
local ENDED = {}
local function finish(how) status = how; error(ENDED, 0) end
local function reserve(size)
  if size > ${ROOM} - recorded then finish(${NO_ROOM}) end
  recorded = recorded + size
  return records + (recorded - size)
end
-- The functions and heaps of all programs, by name.
local F = {}
`;

/**
 * Follows the head if a program has host functions that keep addresses. The code of other programs
 * does not change.
 */
export const KEPT = `-- The addresses in stack slots that host functions keep during an execution: an array, and an offset in it.
local kept = {}
local function keepSlot(place, at) kept[band(place, ${KEPT_PLACES - 1})] = at end
local function dropSlot(place) kept[band(place, ${KEPT_PLACES - 1})] = nil end
local function readKept(place)
  local at = kept[band(place, ${KEPT_PLACES - 1})]
  if at == nil then return 0LL end
  return load64(at[1] + at[2])
end
local function writeKept(place, x)
  local at = kept[band(place, ${KEPT_PLACES - 1})]
  if at ~= nil then store64(at[1] + at[2], x) end
end
`;
/** Follows the head in the form `metamethods`. */
export const METAMETHODS = `local M = {}
local function meta(x) return setmetatable({ x }, M) end
function M.__add(x, y) return x[1] + y end
function M.__sub(x, y) return x[1] - y end
function M.__mul(x, y) return x[1] * y end
function M.__div(x, y) return x[1] / y end
function M.__mod(x, y) return x[1] % y end
function M.__eq(x, y) return x[1] == y[1] end
function M.__lt(x, y) return x[1] < y[1] end
function M.__le(x, y) return x[1] <= y[1] end
`;

/** Follows the head if a program has a CallCheck. */
export const DEOPT_FLAG = `local deoptFlag = 0
local function setDeoptFlag(flag) deoptFlag = flag end
local function getDeoptFlag() return deoptFlag end
`;

/** Follows the head if procedures have further results. */
export const FURTHER = VARIABLES.map(
  ({ number, type, give, take }) =>
    `local further${number}${nameOfType(type)}
local function ${give.name}(x) further${number}${nameOfType(type)} = x end
local function ${take.name}() return further${number}${nameOfType(type)} end
`,
).join("");

/** Clears the kept addresses at the start of an execution. */
export const CLEAR_KEPT = "kept[0], kept[1], kept[2], kept[3] = nil, nil, nil, nil";

/**
 * Follows the table of programs: reads executions and writes their records, as the main program in
 * C does.
 */
export const MAIN = `
local word = new("int32_t[1]")
local function read()
  local bytes = io.read(4)
  if bytes == nil or #bytes < 4 then os.exit(0) end
  copy(word, bytes, 4)
  return word[0]
end
local words = new("uint8_t[?]", 8 * 1024 + ${PADDING_BYTES})
while true do
  local first = read()
  local number = rshift(first, 16)
  local program = programs[band(first, 0xffff)]
  local run, heap, size = program[1], program[2], program[3]
  local x = read()
  local count = read()
  for i = 0, count - 1 do store32(words + 4 * i, read()) end
  for i = 0, size - 1, 4 do
    x = bxor(x, lshift(x, 13))
    x = bxor(x, rshift(x, 17))
    x = bxor(x, lshift(x, 5))
    store32(heap + i, x)
  end
  recorded, status = 0, 0
  local isOk, failure = pcall(run, words)
  if isOk then status = ${ENDED} elseif failure ~= ENDED then
    io.stderr:write(tostring(failure), "\\n")
    os.exit(1)
  end
  word[0] = bor(lshift(number, 16), status)
  io.write(ffi.string(word, 4))
  word[0] = recorded
  io.write(ffi.string(word, 4), ffi.string(records, recorded))
  io.flush()
end
`;
