// The opcode table: the one place where the shape of an instruction is written.
//
// Types of the builder, signature checks of the verifier, parser, printer, effects, generator
// weights, coverage and docs/language.md read these rows. What an instruction does is not here:
// it is written twice and independently, in src/oracle and in reference.

import {
  Double,
  Float,
  Int32,
  Int64,
  isFloating,
  type Type,
  type TypeName,
  typeNamed,
  Void,
} from "./types.js";

/** What an operand of a row may be. `T` and `U` are drawn from the columns `over` and `also`. */
export type Operand = "T" | "U" | "Int32" | "Int64" | "Float" | "Double" | Attribute;
/** Operands that are not values: they are fields of the value, written in its parentheses. */
export type Attribute =
  | "Const" // bits of the result type
  | "Offset" // signed 32-bit byte offset, `offset = n`, and a class of memory, `class = n`
  | "Slot" // a stack slot
  | "Phi" // ^phi
  | "Block" // a successor
  | "Cases" // keys with a successor each, then the default
  | "Callee" // a host function, or a procedure of the module
  | "Function" // a procedure of the module
  | "Asking" // a host function that may ask its caller to leave
  | "Kind" // a kind of patchpoint
  | "Register" // the register of an argument, `%a0` or `%f0`
  | "Order" // the accesses that a fence orders
  | "Rest" // further values, their types given by the callee or kind
  | "Further" // values of the further results of the procedure, as many as it gives
  | "Number" // of a further result, from 1
  | "Snapshot"; // written after the parentheses
/**
 * `Bits` is the type of T's width in the other bank. `Callee` is what the callees return, `Kind` what
 * the kind of patchpoint gives, `Further` the further result of that number.
 */
type Result = TypeName | "T" | "Bits" | "Callee" | "Kind" | "Further";

export type EffectName =
  | "pure" // total, no effect: may be executed speculatively, repeatedly or not at all
  | "partial" // as pure, but undefined for some integers (see isTotal): never speculative
  | "constant"
  | "entry" // exists before the first block
  | "read"
  | "volatile" // reads, and is recorded
  | "write"
  | "bulk" // reads and writes bytes of the heap, as many as an operand says
  | "allocate" // takes bytes of the heap, by a pointer in the heap
  | "atomic" // reads and writes one place of the heap
  | "fence" // no access of those that it orders moves across it, and it is recorded
  | "exit"
  | "askingCall" // a recorded call, and then an exit
  | "call" // what the host function's class or the kind says; a procedure may do anything
  | "result" // no effect, but it stands in the block of the call whose result it is, behind that
  | "readVariable"
  | "writeVariable"
  | "control";

export interface OpcodeSpec {
  readonly args: readonly Operand[];
  readonly result: Result;
  readonly over?: readonly ValueName[];
  readonly also?: readonly ValueName[];
  readonly effect: EffectName;
  /** How often the generator draws the row, relative to the others; 0: see `placed`. */
  readonly weight: number;
  /** The file of src/generate that places the row where it is not drawn by weight. */
  readonly placed?: string;
  readonly commutes?: true;
  /** Bytes accessed, where it is not the size of the type. */
  readonly bytes?: 1 | 2;
  /** One sentence for docs/language.md. */
  readonly says: string;
}
type ValueName = Exclude<TypeName, "Void">;

const ANY = ["Int32", "Int64", "Float", "Double"] as const;
const INTEGERS = ["Int32", "Int64"] as const;
const FLOATS = ["Float", "Double"] as const;

// biome-ignore format: a table
export const OPCODES = {
  //                   takes                                gives              T is any of     may                 odds
  Nop:               { args: [],                            result: "Void",                    effect: "pure",     weight: 0, placed: "contents/idioms", says: "Nothing." },
  Identity:          { args: ["T"],                         result: "T",       over: ANY,      effect: "pure",     weight: 4,                 says: "The operand, bit for bit." },
  Opaque:            { args: ["T"],                         result: "T",       over: ANY,      effect: "pure",     weight: 3,                 says: "The operand, bit for bit; an optimizer does not look through it." },
  Parameter:         { args: [],                            result: "T",       over: ANY,      effect: "entry",    weight: 0, placed: "generate-program", says: "A parameter of the procedure; written in its head, not in a block." },
  Const32:           { args: ["Const"],                     result: "Int32",                   effect: "constant", weight: 0, placed: "maker/maker", says: "A 32-bit integer." },
  Const64:           { args: ["Const"],                     result: "Int64",                   effect: "constant", weight: 0, placed: "maker/maker", says: "A 64-bit integer." },
  ConstFloat:        { args: ["Const"],                     result: "Float",                   effect: "constant", weight: 0, placed: "maker/maker", says: "A binary32 number, by its bits." },
  ConstDouble:       { args: ["Const"],                     result: "Double",                  effect: "constant", weight: 0, placed: "maker/maker", says: "A binary64 number, by its bits." },
  SlotBase:          { args: ["Slot"],                      result: "Int64",                   effect: "constant", weight: 0, placed: "maker/memory", says: "The address of a stack slot; only an address operand may use it." },
  FunctionAddress:   { args: ["Function"],                  result: "Int64",                   effect: "constant", weight: 0, placed: "maker/calls", says: "The address of a procedure; only Identity, Select, CallIndirect and CallCheck may use it." },

  FramePointer:      { args: [],                            result: "Int64",                   effect: "constant", weight: 0, placed: "maker/patchpoints", says: "An address in the frame; only an operand that a patchpoint takes as `frame` may use it." },
  ArgumentReg:       { args: ["Register"],                  result: "T",       over: ["Int64", "Double"], effect: "pure", weight: 0, placed: "maker/patchpoints", says: "The parameter of that number among those of its bank, which is passed in a register." },

  // Integers wrap modulo 2^32 or 2^64. Floating operations are IEEE 754, rounded to nearest even.
  Add:               { args: ["T", "T"],                    result: "T",       over: ANY,      effect: "pure",     weight: 10, commutes: true, says: "Sum." },
  Sub:               { args: ["T", "T"],                    result: "T",       over: ANY,      effect: "pure",     weight: 8,                 says: "Difference." },
  Mul:               { args: ["T", "T"],                    result: "T",       over: ANY,      effect: "pure",     weight: 7, commutes: true, says: "Product." },
  Div:               { args: ["T", "T"],                    result: "T",       over: ANY,      effect: "partial",  weight: 5,                 says: "Quotient; of integers signed, toward zero, and undefined for a divisor of 0 and for MIN / -1." },
  Mod:               { args: ["T", "T"],                    result: "T",       over: ANY,      effect: "partial",  weight: 4,                 says: "Remainder of the quotient rounded toward zero, with the dividend's sign, exact; of integers undefined where Div is." },
  UDiv:              { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "partial",  weight: 4,                 says: "Quotient, unsigned; undefined for a divisor of 0." },
  UMod:              { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "partial",  weight: 4,                 says: "Remainder, unsigned; undefined for a divisor of 0." },
  FloorMod:          { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "partial",  weight: 5,                 says: "Remainder of the signed quotient rounded toward minus infinity, with the divisor's sign; undefined where Div is." },
  ChillDiv:          { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 3,                 says: "As Div, but x / 0 is 0 and MIN / -1 is MIN." },
  ChillMod:          { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 3,                 says: "As Mod, but x % 0 is 0 and MIN % -1 is 0." },
  MulHigh:           { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 2, commutes: true, says: "Upper half of the double-width signed product." },
  UMulHigh:          { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 2, commutes: true, says: "Upper half of the double-width unsigned product." },
  Neg:               { args: ["T"],                         result: "T",       over: ANY,      effect: "pure",     weight: 4,                 says: "Two's complement negation; for floats only the sign bit changes." },
  BitAnd:            { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 6, commutes: true, says: "Bitwise and." },
  BitOr:             { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 5, commutes: true, says: "Bitwise or." },
  BitXor:            { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 6, commutes: true, says: "Bitwise exclusive or." },
  Shl:               { args: ["T", "Int32"],                result: "T",       over: INTEGERS, effect: "pure",     weight: 5,                 says: "Shift left by the low 5 or 6 bits of the count." },
  SShr:              { args: ["T", "Int32"],                result: "T",       over: INTEGERS, effect: "pure",     weight: 5,                 says: "Shift right with the sign, by the low 5 or 6 bits of the count." },
  ZShr:              { args: ["T", "Int32"],                result: "T",       over: INTEGERS, effect: "pure",     weight: 5,                 says: "Shift right with zeroes, by the low 5 or 6 bits of the count." },
  RotL:              { args: ["T", "Int32"],                result: "T",       over: INTEGERS, effect: "pure",     weight: 2,                 says: "Rotated left by the low 5 or 6 bits of the count." },
  RotR:              { args: ["T", "Int32"],                result: "T",       over: INTEGERS, effect: "pure",     weight: 2,                 says: "Rotated right by the low 5 or 6 bits of the count." },
  Clz:               { args: ["T"],                         result: "T",       over: INTEGERS, effect: "pure",     weight: 3,                 says: "Number of leading zero bits; of 0 the width." },
  Ctz:               { args: ["T"],                         result: "T",       over: INTEGERS, effect: "pure",     weight: 2,                 says: "Number of trailing zero bits; of 0 the width." },
  PopCnt:            { args: ["T"],                         result: "T",       over: INTEGERS, effect: "pure",     weight: 2,                 says: "Number of bits that are 1." },
  ByteSwap:          { args: ["T"],                         result: "T",       over: INTEGERS, effect: "pure",     weight: 2,                 says: "The bytes in reverse order." },
  Min:               { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 2, commutes: true, says: "The lesser, signed." },
  Max:               { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 2, commutes: true, says: "The greater, signed." },
  UMin:              { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 2, commutes: true, says: "The lesser, unsigned." },
  UMax:              { args: ["T", "T"],                    result: "T",       over: INTEGERS, effect: "pure",     weight: 4, commutes: true, says: "The greater, unsigned." },
  AddOverflows:      { args: ["T", "T"],                    result: "Int32",   over: INTEGERS, effect: "pure",     weight: 2, commutes: true, says: "1 if the sum overflows as a signed integer, else 0." },
  SubOverflows:      { args: ["T", "T"],                    result: "Int32",   over: INTEGERS, effect: "pure",     weight: 2,                 says: "1 if the difference overflows as a signed integer, else 0." },
  MulOverflows:      { args: ["T", "T"],                    result: "Int32",   over: INTEGERS, effect: "pure",     weight: 2, commutes: true, says: "1 if the product overflows as a signed integer, else 0." },
  AddCarries:        { args: ["T", "T"],                    result: "Int32",   over: INTEGERS, effect: "pure",     weight: 2, commutes: true, says: "1 if the sum overflows as an unsigned integer, else 0." },
  Abs:               { args: ["T"],                         result: "T",       over: FLOATS,   effect: "pure",     weight: 3,                 says: "Sign bit cleared." },
  Ceil:              { args: ["T"],                         result: "T",       over: FLOATS,   effect: "pure",     weight: 3,                 says: "Rounded toward plus infinity to an integer." },
  Sqrt:              { args: ["T"],                         result: "T",       over: FLOATS,   effect: "pure",     weight: 3,                 says: "Square root." },
  Floor:             { args: ["T"],                         result: "T",       over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward minus infinity to an integer." },
  FTrunc:            { args: ["T"],                         result: "T",       over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward zero to an integer." },
  Nearest:           { args: ["T"],                         result: "T",       over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded to the nearest integer, ties to even." },
  FMin:              { args: ["T", "T"],                    result: "T",       over: FLOATS,   effect: "pure",     weight: 2, commutes: true, says: "The lesser; -0 is less than +0, and any NaN gives NaN." },
  FMax:              { args: ["T", "T"],                    result: "T",       over: FLOATS,   effect: "pure",     weight: 2, commutes: true, says: "The greater; +0 is greater than -0, and any NaN gives NaN." },
  CopySign:          { args: ["T", "T"],                    result: "T",       over: FLOATS,   effect: "pure",     weight: 2,                 says: "The first operand with the sign bit of the second; the other bits stay." },
  FusedMulAdd:       { args: ["T", "T", "T"],               result: "T",       over: FLOATS,   effect: "pure",     weight: 4,                 says: "The product of the first two operands plus the third, rounded once." },

  SExt8:             { args: ["Int32"],                     result: "Int32",                   effect: "pure",     weight: 2,                 says: "The low byte, sign-extended." },
  SExt16:            { args: ["Int32"],                     result: "Int32",                   effect: "pure",     weight: 2,                 says: "The low 16 bits, sign-extended." },
  SExt8To64:         { args: ["Int32"],                     result: "Int64",                   effect: "pure",     weight: 2,                 says: "The low byte, sign-extended to 64 bits." },
  SExt16To64:        { args: ["Int32"],                     result: "Int64",                   effect: "pure",     weight: 2,                 says: "The low 16 bits, sign-extended to 64 bits." },
  SExt32:            { args: ["Int32"],                     result: "Int64",                   effect: "pure",     weight: 4,                 says: "Sign-extended to 64 bits." },
  ZExt32:            { args: ["Int32"],                     result: "Int64",                   effect: "pure",     weight: 4,                 says: "Zero-extended to 64 bits." },
  Trunc:             { args: ["Int64"],                     result: "Int32",                   effect: "pure",     weight: 5,                 says: "The low 32 bits." },
  TruncHigh:         { args: ["Int64"],                     result: "Int32",                   effect: "pure",     weight: 2,                 says: "The high 32 bits." },
  Stitch:            { args: ["Int32", "Int32"],            result: "Int64",                   effect: "pure",     weight: 2,                 says: "The first operand is the high half, the second the low half." },
  IToD:              { args: ["T"],                         result: "Double",  over: INTEGERS, effect: "pure",     weight: 3,                 says: "The signed integer as a Double, rounded once." },
  IToF:              { args: ["T"],                         result: "Float",   over: INTEGERS, effect: "pure",     weight: 2,                 says: "The signed integer as a Float, rounded once." },
  UToD:              { args: ["T"],                         result: "Double",  over: INTEGERS, effect: "pure",     weight: 2,                 says: "The unsigned integer as a Double, rounded once." },
  UToF:              { args: ["T"],                         result: "Float",   over: INTEGERS, effect: "pure",     weight: 2,                 says: "The unsigned integer as a Float, rounded once." },
  TruncS32:          { args: ["T"],                         result: "Int32",   over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward zero to a signed 32-bit integer; the nearest one where there is none, 0 for a NaN." },
  TruncU32:          { args: ["T"],                         result: "Int32",   over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward zero to an unsigned 32-bit integer; the nearest one where there is none, 0 for a NaN." },
  TruncS64:          { args: ["T"],                         result: "Int64",   over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward zero to a signed 64-bit integer; the nearest one where there is none, 0 for a NaN." },
  TruncU64:          { args: ["T"],                         result: "Int64",   over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward zero to an unsigned 64-bit integer; the nearest one where there is none, 0 for a NaN." },
  ToInt32:           { args: ["Double"],                    result: "Int32",                   effect: "pure",     weight: 2,                 says: "Rounded toward zero, and of that the low 32 bits; 0 for a NaN or an infinity." },
  FloatToDouble:     { args: ["Float"],                     result: "Double",                  effect: "pure",     weight: 3,                 says: "The same number as a Double." },
  DoubleToFloat:     { args: ["Double"],                    result: "Float",                   effect: "pure",     weight: 3,                 says: "Rounded to a Float." },
  BitwiseCast:       { args: ["T"],                         result: "Bits",    over: ANY,      effect: "pure",     weight: 3,                 says: "The same bits in the other bank." },
  PurifyNaN:         { args: ["T"],                         result: "T",       over: FLOATS,   effect: "pure",     weight: 4,                 says: "Any NaN becomes the positive quiet NaN without payload; other values stay." },

  // Comparisons give 1 or 0. A NaN is unordered: equal, less and greater are false, NotEqual is
  // true.
  Equal:             { args: ["T", "T"],                    result: "Int32",   over: ANY,      effect: "pure",     weight: 4, commutes: true, says: "Equal; -0 equals +0." },
  NotEqual:          { args: ["T", "T"],                    result: "Int32",   over: ANY,      effect: "pure",     weight: 3, commutes: true, says: "Not Equal." },
  LessThan:          { args: ["T", "T"],                    result: "Int32",   over: ANY,      effect: "pure",     weight: 4,                 says: "Less, signed." },
  GreaterThan:       { args: ["T", "T"],                    result: "Int32",   over: ANY,      effect: "pure",     weight: 3,                 says: "Greater, signed." },
  LessEqual:         { args: ["T", "T"],                    result: "Int32",   over: ANY,      effect: "pure",     weight: 3,                 says: "Less or equal, signed." },
  GreaterEqual:      { args: ["T", "T"],                    result: "Int32",   over: ANY,      effect: "pure",     weight: 3,                 says: "Greater or equal, signed." },
  Above:             { args: ["T", "T"],                    result: "Int32",   over: INTEGERS, effect: "pure",     weight: 2,                 says: "Greater, unsigned." },
  Below:             { args: ["T", "T"],                    result: "Int32",   over: INTEGERS, effect: "pure",     weight: 3,                 says: "Less, unsigned." },
  AboveEqual:        { args: ["T", "T"],                    result: "Int32",   over: INTEGERS, effect: "pure",     weight: 2,                 says: "Greater or equal, unsigned." },
  BelowEqual:        { args: ["T", "T"],                    result: "Int32",   over: INTEGERS, effect: "pure",     weight: 2,                 says: "Less or equal, unsigned." },
  EqualOrUnordered:  { args: ["T", "T"],                    result: "Int32",   over: FLOATS,   effect: "pure",     weight: 3, commutes: true, says: "Equal, or an operand is a NaN." },
  Select:            { args: ["U", "T", "T"],               result: "T",       over: ANY, also: INTEGERS, effect: "pure", weight: 7,          says: "The second operand if the first is not zero, else the third, bit for bit." },

  // Addresses are modulo 2^64; bytes are little endian; unaligned access is allowed.
  Load8Z:            { args: ["Int64", "Offset"],           result: "Int32",                   effect: "read",     weight: 3, bytes: 1,       says: "A byte, zero-extended." },
  Load8S:            { args: ["Int64", "Offset"],           result: "Int32",                   effect: "read",     weight: 3, bytes: 1,       says: "A byte, sign-extended." },
  Load16Z:           { args: ["Int64", "Offset"],           result: "Int32",                   effect: "read",     weight: 3, bytes: 2,       says: "Two bytes, zero-extended." },
  Load16S:           { args: ["Int64", "Offset"],           result: "Int32",                   effect: "read",     weight: 3, bytes: 2,       says: "Two bytes, sign-extended." },
  Load:              { args: ["Int64", "Offset"],           result: "T",       over: ANY,      effect: "read",     weight: 12,                says: "A value of the result type." },
  LoadInvariant:     { args: ["Int64", "Offset"],           result: "T",       over: ANY,      effect: "read",     weight: 5,                 says: "As Load; undefined is a later write of one of these bytes of the heap." },
  LoadVolatile:      { args: ["Int64", "Offset"],           result: "T",       over: ANY,      effect: "volatile", weight: 4,                 says: "As Load; each execution of it is recorded." },
  Store8:            { args: ["Int32", "Int64", "Offset"],  result: "Void",                    effect: "write",    weight: 3, bytes: 1,       says: "The low byte of the first operand." },
  Store16:           { args: ["Int32", "Int64", "Offset"],  result: "Void",                    effect: "write",    weight: 3, bytes: 2,       says: "The low 16 bits of the first operand." },
  Store:             { args: ["T", "Int64", "Offset"],      result: "Void",    over: ANY,      effect: "write",    weight: 12,                says: "The first operand, whole." },

  // Addresses of the heap; a length is unsigned, and of 0 bytes none is accessed.
  CopyBytes:         { args: ["Int64", "Int64", "Int64"],   result: "Void",                    effect: "bulk",     weight: 5,                 says: "Copies to the first address from the second as many bytes of the heap as the third operand says, as if all were read before any is written." },
  FillBytes:         { args: ["Int32", "Int64", "Int64"],   result: "Void",                    effect: "bulk",     weight: 4,                 says: "Writes the low byte of the first operand to the address, and behind it, as many times as the third operand says." },

  // The pointer of an allocator is eight bytes of the heap, which the first operand is the address of.
  Allocate:          { args: ["Int64", "Int64"],            result: "Int64",                   effect: "allocate", weight: 0, placed: "maker/objects", says: "Makes an object of as many bytes as the second operand says, at the address that stands in the heap at the first; gives that address, and moves it there behind the object." },

  // A place of the heap that is a multiple of its size; no other thread is there to see it.
  AtomicXchg:        { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 2, says: "The value there; the first operand takes its place." },
  AtomicXchg8:       { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchg, of the low byte; what was there is zero-extended." },
  AtomicXchg16:      { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchg, of the low 16 bits; what was there is zero-extended." },
  AtomicXchgAdd:     { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 2, says: "The value there; its sum with the first operand takes its place." },
  AtomicXchgAdd8:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgAdd, of the low byte; what was there is zero-extended." },
  AtomicXchgAdd16:   { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgAdd, of the low 16 bits; what was there is zero-extended." },
  AtomicXchgSub:     { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 2, says: "The value there; it less the first operand takes its place." },
  AtomicXchgSub8:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgSub, of the low byte; what was there is zero-extended." },
  AtomicXchgSub16:   { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgSub, of the low 16 bits; what was there is zero-extended." },
  AtomicXchgAnd:     { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 3, says: "The value there; its bitwise and with the first operand takes its place." },
  AtomicXchgAnd8:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgAnd, of the low byte; what was there is zero-extended." },
  AtomicXchgAnd16:   { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgAnd, of the low 16 bits; what was there is zero-extended." },
  AtomicXchgOr:      { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 3, says: "The value there; its bitwise or with the first operand takes its place." },
  AtomicXchgOr8:     { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgOr, of the low byte; what was there is zero-extended." },
  AtomicXchgOr16:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgOr, of the low 16 bits; what was there is zero-extended." },
  AtomicXchgXor:     { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 3, says: "The value there; its bitwise exclusive or with the first operand takes its place." },
  AtomicXchgXor8:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgXor, of the low byte; what was there is zero-extended." },
  AtomicXchgXor16:   { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgXor, of the low 16 bits; what was there is zero-extended." },
  AtomicStrongCAS:   { args: ["T", "T", "Int64", "Offset"],     result: "T",       over: INTEGERS, effect: "atomic",   weight: 3, says: "The value there; where it equals the first operand, the second takes its place." },
  AtomicStrongCAS8:  { args: ["Int32", "Int32", "Int64", "Offset"], result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicStrongCAS, of the low byte of both operands; what was there is zero-extended." },
  AtomicStrongCAS16: { args: ["Int32", "Int32", "Int64", "Offset"], result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicStrongCAS, of the low 16 bits of both operands; what was there is zero-extended." },
  AtomicWeakCAS:     { args: ["T", "T", "Int64", "Offset"],     result: "Int32",   over: INTEGERS, effect: "atomic",   weight: 2, says: "1 if the value there equals the first operand, and the second takes its place; else 0. It fails for no other reason." },
  AtomicWeakCAS8:    { args: ["Int32", "Int32", "Int64", "Offset"], result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicWeakCAS, of the low byte of both operands." },
  AtomicWeakCAS16:   { args: ["Int32", "Int32", "Int64", "Offset"], result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicWeakCAS, of the low 16 bits of both operands." },

  // The zero is what orders a load behind the operand, which goes into its address.
  Depend:            { args: ["T"],                         result: "T",       over: INTEGERS, effect: "pure",     weight: 2,                 says: "0, which an optimizer takes for something made of the operand." },
  Fence:             { args: ["Order"],                     result: "Void",                    effect: "fence",    weight: 4,                 says: "Orders the accesses before it and behind it: `loads`, `stores`, or `all`." },

  CCall:             { args: ["Callee", "Rest"],            result: "Callee",                  effect: "call",     weight: 10,                says: "Calls a host function or a procedure of the module." },
  CallIndirect:      { args: ["Int64", "Rest"],             result: "Callee",                  effect: "call",     weight: 0, placed: "maker/calls", says: "Calls the procedure whose address the first operand is." },
  Extract:           { args: ["T", "Number"],               result: "Further", over: ANY,      effect: "result",   weight: 0, placed: "maker/results", says: "A further result of a call, which stands in its block: the one of that number, from 1." },
  Patchpoint:        { args: ["Kind", "Rest"],              result: "Kind",                    effect: "call",     weight: 18,                says: "What the kind says." },

  // A guard leaves by its snapshot when its condition holds; the others' results are those of Add,
  // Sub, Mul.
  Check:             { args: ["U", "Snapshot"],             result: "Void",    also: INTEGERS, effect: "exit",     weight: 6,                 says: "Exits if the operand is not zero." },
  CheckAdd:          { args: ["T", "T", "Snapshot"],        result: "T",       over: INTEGERS, effect: "exit",     weight: 3, commutes: true, says: "Sum; exits if it overflows as a signed integer." },
  CheckSub:          { args: ["T", "T", "Snapshot"],        result: "T",       over: INTEGERS, effect: "exit",     weight: 3,                 says: "Difference; exits if it overflows as a signed integer." },
  CheckMul:          { args: ["T", "T", "Snapshot"],        result: "T",       over: INTEGERS, effect: "exit",     weight: 3, commutes: true, says: "Product; exits if it overflows as a signed integer." },
  CheckToInt32:      { args: ["Double", "Snapshot"],        result: "Int32",                   effect: "exit",     weight: 2,                 says: "The same number as an integer, -0 as 0; exits if there is none of 32 bits, signed." },
  CheckToInt32Exact: { args: ["Double", "Snapshot"],        result: "Int32",                   effect: "exit",     weight: 2,                 says: "As CheckToInt32, but exits for -0 too: what does not exit is the integer as a Double, bit for bit." },
  CCallCheck:        { args: ["Asking", "Rest", "Snapshot"], result: "Callee",                 effect: "askingCall", weight: 4,               says: "Calls a host function; exits if that asks for it when it returns." },
  CallCheck:         { args: ["Int64", "Rest", "Snapshot"], result: "Callee",                  effect: "askingCall", weight: 0, placed: "maker/asking", says: "Calls the procedure whose address the first operand is; exits if that asks for it by a ReturnAsking." },
  PatchpointCheck:   { args: ["Kind", "Rest", "Snapshot"],  result: "Kind",                    effect: "exit",     weight: 2,                 says: "What the kind says, which may exit." },

  Upsilon:           { args: ["T", "Phi"],                  result: "Void",    over: ANY,      effect: "writeVariable", weight: 0, placed: "maker/maker", says: "Writes the variable of a Phi, wherever it stands; the last write wins." },
  Phi:               { args: [],                            result: "T",       over: ANY,      effect: "readVariable",  weight: 0, placed: "control/shape", says: "Reads its variable." },

  Jump:              { args: ["Block"],                     result: "Void",                    effect: "control",  weight: 0, placed: "maker/maker", says: "Goes to the block." },
  Branch:            { args: ["U", "Block", "Block"],       result: "Void",    also: INTEGERS, effect: "control",  weight: 0, placed: "maker/maker", says: "Goes to the first block if the operand is not zero, else to the second." },
  Switch:            { args: ["U", "Cases"],                result: "Void",    also: INTEGERS, effect: "control",  weight: 0, placed: "maker/maker", says: "Goes to the block of the key that equals the operand, or to the default." },
  Return:            { args: ["T", "Further"],              result: "Void",    over: ANY,      effect: "control",  weight: 0, placed: "control/shape", says: "Ends the procedure with the operand, and those of further results; without operand where the result is Void." },
  ReturnAsking:      { args: ["T", "Further"],              result: "Void",    over: ANY,      effect: "control",  weight: 0, placed: "maker/asking", says: "As Return, and asks a CallCheck to leave; to any other caller it is a Return." },
  TailCall:          { args: ["Callee", "Rest"],            result: "Void",                    effect: "control",  weight: 0, placed: "maker/calls", says: "Goes on as a new call of this procedure, whose result is its result: the activation is replaced." },
  PatchpointReturn:  { args: ["Kind", "Rest"],              result: "Void",                    effect: "control",  weight: 0, placed: "maker/patchpoints", says: "Ends the procedure with what the kind says." },
  Oops:              { args: [],                            result: "Void",                    effect: "control",  weight: 0, placed: "control/decoys", says: "Is never reached; to reach it is undefined." },
} as const satisfies Record<string, OpcodeSpec>;

export type OpcodeName = keyof typeof OPCODES;

declare const brand: unique symbol;
/** Index of a row of OPCODES. */
export type Opcode = number & { readonly [brand]: "Opcode" };

// The casts are the border where the table becomes typed: keys of OPCODES are OpcodeNames by
// construction.
export const OPCODE_NAMES = Object.keys(OPCODES) as readonly OpcodeName[];
export const Op = Object.fromEntries(OPCODE_NAMES.map((name, index) => [name, index])) as {
  readonly [O in OpcodeName]: Opcode;
};
export const OPCODE_COUNT = OPCODE_NAMES.length;
export const ALL_OPCODES: readonly Opcode[] = OPCODE_NAMES.map((name) => Op[name]);

export const nameOfOpcode = (opcode: Opcode): OpcodeName => OPCODE_NAMES[opcode];
/** The opcode of that name; null if there is none. */
export function opcodeNamed(name: string): Opcode | null {
  return Object.hasOwn(OPCODES, name) ? Op[name as OpcodeName] : null;
}

/** The row as the widest type, for readers that take every column. */
export const specOf = (opcode: Opcode): OpcodeSpec => SPECS[opcode];
const SPECS: readonly OpcodeSpec[] = OPCODE_NAMES.map((name) => OPCODES[name]);

// Effects as bits, so that a phase tests once: `(EFFECTS[value.opcode] & READS_HEAP) !== 0`.
export const CONSTANT = 1 << 0;
export const READS_MEMORY = 1 << 1;
export const WRITES_MEMORY = 1 << 2;
export const EXITS = 1 << 3;
export const CALLS = 1 << 4;
export const READS_VARIABLE = 1 << 5;
export const WRITES_VARIABLE = 1 << 6;
export const CONTROL = 1 << 7;
export const ENTRY = 1 << 8;
/** Undefined for some operands: it may be removed or merged, but never executed speculatively. */
export const PARTIAL = 1 << 9;
/** A read that is recorded: never removed, added, merged, moved. */
export const VOLATILE = 1 << 10;
/**
 * Accesses bytes of the heap, and is neither load nor store. It is a call too: of something that may
 * use all of the heap.
 */
export const BULK = 1 << 11;
/** Reads and writes one place of the heap, which is known: its last operand and the offset. It is a BULK. */
export const ATOMIC = 1 << 12;
/** Orders accesses of the heap, and is recorded. It is a call too, of something that uses what it orders. */
export const FENCE = 1 << 13;
/** A further result of a call, whose block it stays in; without effect. */
export const BEHIND_CALL = 1 << 14;
/**
 * Effects for which a value must be kept even if its result is unused. Calls: see
 * `Value.isUnobserved`.
 */
export const KEEPS_ALIVE =
  WRITES_MEMORY | BULK | FENCE | EXITS | WRITES_VARIABLE | CONTROL | ENTRY | VOLATILE;

const EFFECT_BITS: { readonly [E in EffectName]: number } = {
  pure: 0,
  partial: PARTIAL,
  constant: CONSTANT,
  entry: ENTRY,
  read: READS_MEMORY,
  volatile: READS_MEMORY | VOLATILE,
  write: WRITES_MEMORY,
  bulk: BULK | CALLS,
  allocate: BULK | CALLS,
  atomic: BULK | CALLS | ATOMIC,
  fence: FENCE | CALLS,
  exit: EXITS,
  askingCall: CALLS | EXITS,
  call: CALLS,
  result: BEHIND_CALL,
  readVariable: READS_VARIABLE,
  writeVariable: WRITES_VARIABLE,
  control: CONTROL,
};
export const EFFECTS = Uint16Array.from(SPECS, (spec) => EFFECT_BITS[spec.effect]);
/**
 * True if the row at that T is defined for all operands, and has no effect: it may be executed
 * speculatively. Division of floats is total.
 */
export const isTotal = (opcode: Opcode, type: Type): boolean =>
  EFFECTS[opcode] === 0 || (EFFECTS[opcode] === PARTIAL && isFloating(type));
/** A load of a whole value, which may be merged with others. */
export const isWholeLoad = (opcode: Opcode): boolean =>
  opcode === Op.Load || opcode === Op.LoadInvariant;
export const COMMUTES = Uint8Array.from(SPECS, (spec) => (spec.commutes ? 1 : 0));
/** Number of value operands that stand in a, b, c (without Rest); of a return as many as there may be. */
export const OPERAND_COUNTS = Uint8Array.from(SPECS, ({ args }) =>
  args.includes("Further") ? 3 : args.filter((arg) => isValueOperand(arg)).length,
);

export function isValueOperand(arg: Operand): arg is "T" | "U" | ValueName {
  return arg === "T" || arg === "U" || typeNamed(arg) !== null;
}

/** By opcode: 1 for constants that are numbers, whose bits are in the value. */
export const IS_LITERAL = Uint8Array.from(SPECS, ({ args }) => (args.includes("Const") ? 1 : 0));
/** By opcode: 1 if it calls a procedure by its address, the first operand. */
export const CALLS_ADDRESS = Uint8Array.from(SPECS, ({ args, result }) =>
  result === "Callee" && args[0] === "Int64" ? 1 : 0,
);

/** True for what ends the activation with its operand, or with nothing. */
export const isReturn = (opcode: number): boolean =>
  opcode === Op.Return || opcode === Op.ReturnAsking;

/** By opcode: 1 if it names a kind of patchpoint. */
export const NAMES_KIND = Uint8Array.from(SPECS, ({ args }) => (args.includes("Kind") ? 1 : 0));

/** By opcode: 1 if it names a host function by its index. */
export const NAMES_HOST = Uint8Array.from(SPECS, ({ args }) => (args.includes("Asking") ? 1 : 0));

/**
 * True for a guard that asks behind its result: a call that may ask its caller to leave. Its exit may show
 * the result.
 */
export const guardsResult = (opcode: number): boolean =>
  (EFFECTS[opcode] & (CALLS | EXITS)) === (CALLS | EXITS);

export const hasAttribute = (opcode: Opcode, attribute: Attribute): boolean =>
  SPECS[opcode].args.includes(attribute);

/** The types that T may take; empty where the row has no T. */
export const typesOver = (opcode: Opcode): readonly Type[] => OVER[opcode];
/** The types that U may take; empty where the row has no U. */
export const typesAlso = (opcode: Opcode): readonly Type[] => ALSO[opcode];
const BY_NAME: { readonly [T in TypeName]: Type } = { Void, Int32, Int64, Float, Double };
const OVER = SPECS.map((spec) => (spec.over ?? []).map((name) => BY_NAME[name]));
const ALSO = SPECS.map((spec) => (spec.also ?? []).map((name) => BY_NAME[name]));
export const typeOfName = (name: TypeName): Type => BY_NAME[name];
