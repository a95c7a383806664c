// Declares the opcodes: this table is the only place that states the signature of an instruction.
//
// The builder's types, the verifier's signature checks, parser, printer, effects, generator weights, coverage and
// docs/language.md are derived from these rows. The semantics of an instruction is not here: src/oracle and reference
// implement it independently.

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

/** An operand of a row. `T` and `U` are types of the columns `over` and `also`. */
export type OperandSpec = "T" | "U" | "Int32" | "Int64" | "Float" | "Double" | AttributeSpec;
/** Operands that are not values: fields of the value, written in its parentheses. */
export type AttributeSpec =
  | "Const" // bits of the result type
  | "Offset" // signed 32-bit byte offset, `offset = n`, and a class of memory, `class = n`
  | "Slot" // a stack slot
  | "Phi" // ^phi
  | "Block" // a successor
  | "Cases" // keys with a successor each, then the default
  | "Callee" // a host function, or a procedure of the module
  | "Function" // a procedure of the module
  | "DeoptHost" // a host function that may request that its caller leave
  | "Kind" // a kind of patchpoint
  | "Register" // the register of an argument, `%a0` or `%f0`
  | "Order" // the accesses that a fence orders
  | "Rest" // further values, their types given by the callee or kind
  | "Further" // values of the further results of the procedure, as many as it gives
  | "Number" // index of a further result, from 1
  | "Snapshot"; // written after the parentheses
/**
 * The type of a result. `Bits` is the type of T's width in the other bank. `Callee` is the result of the callee, `Kind`
 * that of the kind of patchpoint, `Further` the further result of that number.
 */
type ResultSpec = TypeName | "T" | "Bits" | "Callee" | "Kind" | "Further";

export type EffectName =
  | "pure" // total, no effect: may be executed speculatively, repeatedly or not at all
  | "partial" // like pure, but undefined for some integers (see isTotal): never speculative
  | "constant"
  | "entry" // exists before the first block
  | "read"
  | "volatile" // reads, and is recorded
  | "write"
  | "bulk" // reads and writes bytes of the heap; an operand is their number
  | "allocate" // takes bytes of the heap by a pointer that is in the heap
  | "atomic" // reads and writes one location of the heap
  | "fence" // no access that it orders moves across it, and it is recorded
  | "exit"
  | "deoptCall" // a recorded call, and then an exit
  | "call" // the effect of the host function's class or of the kind; a procedure may have any effect
  | "result" // no effect, but it remains after its call, in the same block
  | "readVariable"
  | "writeVariable"
  | "control";

export interface OpcodeSpec {
  readonly args: readonly OperandSpec[];
  readonly result: ResultSpec;
  readonly over?: readonly ValueName[];
  readonly also?: readonly ValueName[];
  readonly effect: EffectName;
  /** How often the generator draws the row, relative to the others; 0 if another file places it: see `placed`. */
  readonly weight: number;
  /** The file of src/generate that places the row if it is not drawn by weight. */
  readonly placed?: string;
  readonly commutes?: true;
  /** The number of bytes accessed, if it is not the size of the type. */
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
  Clz:               { args: ["T"],                         result: "T",       over: INTEGERS, effect: "pure",     weight: 3,                 says: "Number of leading zero bits; the width for 0." },
  Ctz:               { args: ["T"],                         result: "T",       over: INTEGERS, effect: "pure",     weight: 2,                 says: "Number of trailing zero bits; the width for 0." },
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
  TruncS32:          { args: ["T"],                         result: "Int32",   over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward zero to a signed 32-bit integer; the nearest such integer if out of range, 0 for a NaN." },
  TruncU32:          { args: ["T"],                         result: "Int32",   over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward zero to an unsigned 32-bit integer; the nearest such integer if out of range, 0 for a NaN." },
  TruncS64:          { args: ["T"],                         result: "Int64",   over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward zero to a signed 64-bit integer; the nearest such integer if out of range, 0 for a NaN." },
  TruncU64:          { args: ["T"],                         result: "Int64",   over: FLOATS,   effect: "pure",     weight: 2,                 says: "Rounded toward zero to an unsigned 64-bit integer; the nearest such integer if out of range, 0 for a NaN." },
  ToInt32:           { args: ["Double"],                    result: "Int32",                   effect: "pure",     weight: 2,                 says: "The low 32 bits of the number rounded toward zero; 0 for a NaN or an infinity." },
  FloatToDouble:     { args: ["Float"],                     result: "Double",                  effect: "pure",     weight: 3,                 says: "The same number as a Double." },
  DoubleToFloat:     { args: ["Double"],                    result: "Float",                   effect: "pure",     weight: 3,                 says: "Rounded to a Float." },
  BitwiseCast:       { args: ["T"],                         result: "Bits",    over: ANY,      effect: "pure",     weight: 3,                 says: "The same bits in the other bank." },
  PurifyNaN:         { args: ["T"],                         result: "T",       over: FLOATS,   effect: "pure",     weight: 4,                 says: "Any NaN becomes the positive quiet NaN without payload; other values stay." },

  // Comparisons give 1 or 0. A NaN is unordered: equal, less and greater are false, NotEqual is true.
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
  LoadInvariant:     { args: ["Int64", "Offset"],           result: "T",       over: ANY,      effect: "read",     weight: 5,                 says: "As Load; a later write of one of these bytes of the heap is undefined." },
  LoadVolatile:      { args: ["Int64", "Offset"],           result: "T",       over: ANY,      effect: "volatile", weight: 4,                 says: "As Load; each execution of it is recorded." },
  Store8:            { args: ["Int32", "Int64", "Offset"],  result: "Void",                    effect: "write",    weight: 3, bytes: 1,       says: "The low byte of the first operand." },
  Store16:           { args: ["Int32", "Int64", "Offset"],  result: "Void",                    effect: "write",    weight: 3, bytes: 2,       says: "The low 16 bits of the first operand." },
  Store:             { args: ["T", "Int64", "Offset"],      result: "Void",    over: ANY,      effect: "write",    weight: 12,                says: "The first operand, whole." },

  // Operands are addresses of the heap; a length is unsigned, and a length of 0 accesses no byte.
  CopyBytes:         { args: ["Int64", "Int64", "Int64"],   result: "Void",                    effect: "bulk",     weight: 5,                 says: "Copies bytes of the heap to the first address from the second, as if all were read before any is written; the third operand is their number." },
  FillBytes:         { args: ["Int32", "Int64", "Int64"],   result: "Void",                    effect: "bulk",     weight: 4,                 says: "Writes the low byte of the first operand to each byte of a range of the heap: the second operand is its address, the third its length." },

  // The first operand is the address of the allocation pointer: eight bytes of the heap.
  Allocate:          { args: ["Int64", "Int64"],            result: "Int64",                   effect: "allocate", weight: 0, placed: "maker/objects", says: "Makes an object at the address that the heap contains at the first operand; the second operand is its size in bytes. The result is that address; the heap then contains the address after the object." },

  // The address is a multiple of the size; no other thread can observe it.
  AtomicXchg:        { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 2, says: "The old value at the address; the new value is the first operand." },
  AtomicXchg8:       { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchg, of the low byte; the result is zero-extended." },
  AtomicXchg16:      { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchg, of the low 16 bits; the result is zero-extended." },
  AtomicXchgAdd:     { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 2, says: "The old value at the address; the new value is the sum of the old value and the first operand." },
  AtomicXchgAdd8:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgAdd, of the low byte; the result is zero-extended." },
  AtomicXchgAdd16:   { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgAdd, of the low 16 bits; the result is zero-extended." },
  AtomicXchgSub:     { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 2, says: "The old value at the address; the new value is the old value minus the first operand." },
  AtomicXchgSub8:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgSub, of the low byte; the result is zero-extended." },
  AtomicXchgSub16:   { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgSub, of the low 16 bits; the result is zero-extended." },
  AtomicXchgAnd:     { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 3, says: "The old value at the address; the new value is the bitwise and of the old value and the first operand." },
  AtomicXchgAnd8:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgAnd, of the low byte; the result is zero-extended." },
  AtomicXchgAnd16:   { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgAnd, of the low 16 bits; the result is zero-extended." },
  AtomicXchgOr:      { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 3, says: "The old value at the address; the new value is the bitwise or of the old value and the first operand." },
  AtomicXchgOr8:     { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgOr, of the low byte; the result is zero-extended." },
  AtomicXchgOr16:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgOr, of the low 16 bits; the result is zero-extended." },
  AtomicXchgXor:     { args: ["T", "Int64", "Offset"],          result: "T",       over: INTEGERS, effect: "atomic",   weight: 3, says: "The old value at the address; the new value is the bitwise exclusive or of the old value and the first operand." },
  AtomicXchgXor8:    { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicXchgXor, of the low byte; the result is zero-extended." },
  AtomicXchgXor16:   { args: ["Int32", "Int64", "Offset"],      result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicXchgXor, of the low 16 bits; the result is zero-extended." },
  AtomicStrongCAS:   { args: ["T", "T", "Int64", "Offset"],     result: "T",       over: INTEGERS, effect: "atomic",   weight: 3, says: "The old value at the address; if it equals the first operand, the new value is the second." },
  AtomicStrongCAS8:  { args: ["Int32", "Int32", "Int64", "Offset"], result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicStrongCAS, of the low byte of both operands; the result is zero-extended." },
  AtomicStrongCAS16: { args: ["Int32", "Int32", "Int64", "Offset"], result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicStrongCAS, of the low 16 bits of both operands; the result is zero-extended." },
  AtomicWeakCAS:     { args: ["T", "T", "Int64", "Offset"],     result: "Int32",   over: INTEGERS, effect: "atomic",   weight: 2, says: "1 if the value at the address equals the first operand, which the second then replaces; else 0. It fails for no other reason." },
  AtomicWeakCAS8:    { args: ["Int32", "Int32", "Int64", "Offset"], result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 1, says: "As AtomicWeakCAS, of the low byte of both operands." },
  AtomicWeakCAS16:   { args: ["Int32", "Int32", "Int64", "Offset"], result: "Int32",                  effect: "atomic",   weight: 0, placed: "maker/atomics", bytes: 2, says: "As AtomicWeakCAS, of the low 16 bits of both operands." },

  // The result is zero. A load whose address includes it is ordered after the operand.
  Depend:            { args: ["T"],                         result: "T",       over: INTEGERS, effect: "pure",     weight: 2,                 says: "0, which an optimizer must treat as computed from the operand." },
  Fence:             { args: ["Order"],                     result: "Void",                    effect: "fence",    weight: 4,                 says: "Orders the accesses before it and after it: `loads`, `stores`, or `all`." },

  CCall:             { args: ["Callee", "Rest"],            result: "Callee",                  effect: "call",     weight: 10,                says: "Calls a host function or a procedure of the module." },
  CallIndirect:      { args: ["Int64", "Rest"],             result: "Callee",                  effect: "call",     weight: 0, placed: "maker/calls", says: "Calls the procedure whose address is the first operand." },
  Extract:           { args: ["T", "Number"],               result: "Further", over: ANY,      effect: "result",   weight: 0, placed: "maker/results", says: "A further result of a call in the same block; the number counts from 1." },
  Patchpoint:        { args: ["Kind", "Rest"],              result: "Kind",                    effect: "call",     weight: 18,                says: "The effect and the result of the kind." },

  // A guard exits by its snapshot if its condition holds. The results of the other guards are those of Add, Sub, Mul.
  Check:             { args: ["U", "Snapshot"],             result: "Void",    also: INTEGERS, effect: "exit",     weight: 6,                 says: "Exits if the operand is not zero." },
  CheckAdd:          { args: ["T", "T", "Snapshot"],        result: "T",       over: INTEGERS, effect: "exit",     weight: 3, commutes: true, says: "Sum; exits if it overflows as a signed integer." },
  CheckSub:          { args: ["T", "T", "Snapshot"],        result: "T",       over: INTEGERS, effect: "exit",     weight: 3,                 says: "Difference; exits if it overflows as a signed integer." },
  CheckMul:          { args: ["T", "T", "Snapshot"],        result: "T",       over: INTEGERS, effect: "exit",     weight: 3, commutes: true, says: "Product; exits if it overflows as a signed integer." },
  CheckToInt32:      { args: ["Double", "Snapshot"],        result: "Int32",                   effect: "exit",     weight: 2,                 says: "The same number as an integer, -0 as 0; exits if it is no signed 32-bit integer." },
  CheckToInt32Exact: { args: ["Double", "Snapshot"],        result: "Int32",                   effect: "exit",     weight: 2,                 says: "As CheckToInt32, but exits for -0 too, so that the operand is the Double of the integer, bit for bit." },
  CCallCheck:        { args: ["DeoptHost", "Rest", "Snapshot"], result: "Callee",                 effect: "deoptCall", weight: 4,               says: "Calls a host function; exits if the function requests it on return." },
  CallCheck:         { args: ["Int64", "Rest", "Snapshot"], result: "Callee",                  effect: "deoptCall", weight: 0, placed: "maker/deopt-calls", says: "Calls the procedure whose address is the first operand; exits if the procedure ends by ReturnDeopt." },
  PatchpointCheck:   { args: ["Kind", "Rest", "Snapshot"],  result: "Kind",                    effect: "exit",     weight: 2,                 says: "The effect and the result of the kind; exits if the kind does." },

  Upsilon:           { args: ["T", "Phi"],                  result: "Void",    over: ANY,      effect: "writeVariable", weight: 0, placed: "maker/maker", says: "Writes the variable of a Phi, which may be in any block; the last write wins." },
  Phi:               { args: [],                            result: "T",       over: ANY,      effect: "readVariable",  weight: 0, placed: "control/shape", says: "Reads its variable." },

  Jump:              { args: ["Block"],                     result: "Void",                    effect: "control",  weight: 0, placed: "maker/maker", says: "Goes to the block." },
  Branch:            { args: ["U", "Block", "Block"],       result: "Void",    also: INTEGERS, effect: "control",  weight: 0, placed: "maker/maker", says: "Goes to the first block if the operand is not zero, else to the second." },
  Switch:            { args: ["U", "Cases"],                result: "Void",    also: INTEGERS, effect: "control",  weight: 0, placed: "maker/maker", says: "Goes to the block of the key that equals the operand, or to the default." },
  Return:            { args: ["T", "Further"],              result: "Void",    over: ANY,      effect: "control",  weight: 0, placed: "control/shape", says: "Ends the procedure with the first result and the further results; it has no operand if the result is Void." },
  ReturnDeopt:       { args: ["T", "Further"],              result: "Void",    over: ANY,      effect: "control",  weight: 0, placed: "maker/deopt-calls", says: "As Return, and makes a CallCheck that called the procedure exit; for any other caller it is a Return." },
  TailCall:          { args: ["Callee", "Rest"],            result: "Void",                    effect: "control",  weight: 0, placed: "maker/calls", says: "Replaces the activation by a new call of this procedure, and returns its result." },
  PatchpointReturn:  { args: ["Kind", "Rest"],              result: "Void",                    effect: "control",  weight: 0, placed: "maker/patchpoints", says: "Ends the procedure with the result of the kind." },
  Oops:              { args: [],                            result: "Void",                    effect: "control",  weight: 0, placed: "control/decoys", says: "Is never reached; reaching it is undefined." },
} as const satisfies Record<string, OpcodeSpec>;

export type OpcodeName = keyof typeof OPCODES;

declare const brand: unique symbol;
/** The index of a row of OPCODES. */
export type Opcode = number & { readonly [brand]: "Opcode" };

// The casts make the table typed: keys of OPCODES are OpcodeNames by construction.
export const OPCODE_NAMES = Object.keys(OPCODES) as readonly OpcodeName[];
export const Op = Object.fromEntries(OPCODE_NAMES.map((name, index) => [name, index])) as {
  readonly [O in OpcodeName]: Opcode;
};
export const OPCODE_COUNT = OPCODE_NAMES.length;
export const ALL_OPCODES: readonly Opcode[] = OPCODE_NAMES.map((name) => Op[name]);

export const nameOfOpcode = (opcode: Opcode): OpcodeName => OPCODE_NAMES[opcode];
/** Returns the opcode of that name; null if there is none. */
export function opcodeNamed(name: string): Opcode | null {
  return Object.hasOwn(OPCODES, name) ? Op[name as OpcodeName] : null;
}

/** Returns the row as the widest type, for code that reads every column. */
export const specOf = (opcode: Opcode): OpcodeSpec => SPECS[opcode];
const SPECS: readonly OpcodeSpec[] = OPCODE_NAMES.map((name) => OPCODES[name]);

// Effects as bits, so that one test covers several: `(EFFECTS[value.opcode] & READS_HEAP) !== 0`.
export const CONSTANT = 1 << 0;
export const READS_MEMORY = 1 << 1;
export const WRITES_MEMORY = 1 << 2;
export const EXITS = 1 << 3;
export const CALLS = 1 << 4;
export const READS_VARIABLE = 1 << 5;
export const WRITES_VARIABLE = 1 << 6;
export const CONTROL = 1 << 7;
export const ENTRY = 1 << 8;
/** Undefined for some operands: the value may be removed or merged, but never executed speculatively. */
export const PARTIAL = 1 << 9;
/** A read that is recorded: never removed, added, merged or moved. */
export const VOLATILE = 1 << 10;
/**
 * Accesses bytes of the heap, but is neither load nor store. It is also a call, of something that may use all of the
 * heap.
 */
export const BULK = 1 << 11;
/** Reads and writes one known location of the heap: its last operand plus the offset. It is also a BULK. */
export const ATOMIC = 1 << 12;
/**
 * Orders accesses of the heap, and is recorded. It is also a call, of something that uses the accesses that it orders.
 */
export const FENCE = 1 << 13;
/** A further result of a call, which remains in the block of the call; without effect. */
export const RESULT_OF_CALL = 1 << 14;
/** Effects that keep a value alive even if its result is unused. For calls, see `Value.isUnobserved`. */
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
  deoptCall: CALLS | EXITS,
  call: CALLS,
  result: RESULT_OF_CALL,
  readVariable: READS_VARIABLE,
  writeVariable: WRITES_VARIABLE,
  control: CONTROL,
};
export const EFFECTS = Uint16Array.from(SPECS, (spec) => EFFECT_BITS[spec.effect]);
/**
 * Returns whether the row at that T is defined for all operands and has no effect: it may be executed speculatively.
 * Division of floats is total.
 */
export const isTotal = (opcode: Opcode, type: Type): boolean =>
  EFFECTS[opcode] === 0 || (EFFECTS[opcode] === PARTIAL && isFloating(type));
/** Returns whether the opcode loads a whole value, and may be merged with other loads. */
export const isWholeLoad = (opcode: Opcode): boolean =>
  opcode === Op.Load || opcode === Op.LoadInvariant;
export const COMMUTES = Uint8Array.from(SPECS, (spec) => (spec.commutes ? 1 : 0));
/** By opcode: the number of value operands in a, b, c, without Rest; for a return the greatest possible number. */
export const OPERAND_COUNTS = Uint8Array.from(SPECS, ({ args }) =>
  args.includes("Further") ? 3 : args.filter((arg) => isValueOperand(arg)).length,
);

export function isValueOperand(arg: OperandSpec): arg is "T" | "U" | ValueName {
  return arg === "T" || arg === "U" || typeNamed(arg) !== null;
}

/** By opcode: 1 for constants that are numbers, whose bits the value contains. */
export const IS_LITERAL = Uint8Array.from(SPECS, ({ args }) => (args.includes("Const") ? 1 : 0));
/** By opcode: 1 if it calls a procedure by its address, the first operand. */
export const CALLS_ADDRESS = Uint8Array.from(SPECS, ({ args, result }) =>
  result === "Callee" && args[0] === "Int64" ? 1 : 0,
);

/** Returns whether the opcode ends the activation with its operand, or with nothing. */
export const isReturn = (opcode: number): boolean =>
  opcode === Op.Return || opcode === Op.ReturnDeopt;

/** By opcode: 1 if it contains a kind of patchpoint. */
export const NAMES_KIND = Uint8Array.from(SPECS, ({ args }) => (args.includes("Kind") ? 1 : 0));

/** By opcode: 1 if it contains the index of a host function. */
export const NAMES_HOST = Uint8Array.from(SPECS, ({ args }) =>
  args.includes("DeoptHost") ? 1 : 0,
);

/**
 * Returns whether the opcode is a call whose callee may request that its caller leave: a guard that is tested after its
 * result. Its exit may show the result.
 */
export const guardsResult = (opcode: number): boolean =>
  (EFFECTS[opcode] & (CALLS | EXITS)) === (CALLS | EXITS);

export const hasAttribute = (opcode: Opcode, attribute: AttributeSpec): boolean =>
  SPECS[opcode].args.includes(attribute);

/** Returns the types that T may be; none if the row has no T. */
export const typesOver = (opcode: Opcode): readonly Type[] => OVER[opcode];
/** Returns the types that U may be; none if the row has no U. */
export const typesAlso = (opcode: Opcode): readonly Type[] => ALSO[opcode];
const BY_NAME: { readonly [T in TypeName]: Type } = { Void, Int32, Int64, Float, Double };
const OVER = SPECS.map((spec) => (spec.over ?? []).map((name) => BY_NAME[name]));
const ALSO = SPECS.map((spec) => (spec.also ?? []).map((name) => BY_NAME[name]));
export const typeOfName = (name: TypeName): Type => BY_NAME[name];
