// Writes the procedures that all imported traces call, in the text of the language: translation of
// addresses, allocation, tables, strings. Each gets the address of the heap first.

import type { TypeName } from "../../ir/types.js";

/** A copied part of the memory of LuaJIT's process. */
export interface MemoryRange {
  readonly start: number;
  readonly size: number;
  readonly offset: number;
}

/** Objects that a trace allocates get addresses from here, where no process has any. */
export const NEW_OBJECTS = 0x1000_0000_0000;
export const NEW_SIZE = 1 << 20;
/** The exit of an access outside of the copied memory. */
export const MISSING = 10_000;

/** Returns the procedure that translates an address of the process to one in the heap. */
export function translation(ranges: readonly MemoryRange[]): string {
  const sorted = [...ranges].sort((a, b) => a.start - b.start);
  const lines = [
    "proc at(Int64 @0, Int64 @1) -> Int64",
    `snapshot s0 = exit ${MISSING} frames [at@0: @1]`,
  ];
  let next = 2;
  let block = 1;
  const id = (): string => `@${next++}`;
  const missing = (): void => {
    const one = id();
    lines.push(
      `  Int32 ${one} = Const32(1)`,
      `  Void ${id()} = Check(${one}) s0`,
      `  Void ${id()} = Oops()`,
    );
  };
  const write = (from: number, to: number): void => {
    if (from === to) {
      missing();
      return;
    }
    if (to - from > 1) {
      const middle = (from + to) >> 1;
      const [bound, low] = [id(), id()];
      const [left, right] = [block++, block++];
      lines.push(`  Int64 ${bound} = Const64(${sorted[middle].start})`);
      lines.push(`  Int32 ${low} = Below(@1, ${bound})`);
      lines.push(`  Void ${id()} = Branch(${low}, #${left}, #${right})`, `#${left}:`);
      write(from, middle);
      lines.push(`#${right}:`);
      write(middle, to);
      return;
    }
    const { start, size, offset } = sorted[from];
    const [base, distance, limit, outside] = [id(), id(), id(), id()];
    lines.push(`  Int64 ${base} = Const64(${start})`, `  Int64 ${distance} = Sub(@1, ${base})`);
    lines.push(
      `  Int64 ${limit} = Const64(${size})`,
      `  Int32 ${outside} = AboveEqual(${distance}, ${limit})`,
    );
    lines.push(`  Void ${id()} = Check(${outside}) s0`);
    const [shift, there, result] = [id(), id(), id()];
    lines.push(`  Int64 ${shift} = Const64(${offset})`, `  Int64 ${there} = Add(@0, ${shift})`);
    lines.push(
      `  Int64 ${result} = Add(${there}, ${distance})`,
      `  Void ${id()} = Return(${result})`,
    );
  };
  lines.push("#0:");
  write(0, sorted.length);
  return lines.join("\n");
}

/** Loads from an offset in an object, whose parts may be copied to different places. */
const loadOf = (
  name: string,
  type: TypeName,
): string => `proc ${name}(Int64 @0, Int64 @1, Int64 @2) -> ${type}
#0:
  Int64 @3 = Add(@1, @2)
  Int64 @4 = CCall(at, @0, @3)
  ${type} @5 = Load(@4)
  Void @6 = Return(@5)`;

/** Returns the address of new bytes; the heap starts with the next free address. */
const ALLOCATE = `proc allocate(Int64 @0, Int64 @1) -> Int64
#0:
  Int64 @2 = Load(@0)
  Int64 @3 = Add(@2, @1)
  Int64 @4 = Const64(15)
  Int64 @5 = Add(@3, @4)
  Int64 @6 = Const64(-16)
  Int64 @7 = BitAnd(@5, @6)
  Void @8 = Store(@7, @0)
  Void @9 = Return(@2)`;

/** Copies words to new bytes; returns the address. */
const COPY = `proc copy(Int64 @0, Int64 @1, Int64 @2) -> Int64
#0:
  Int64 @3 = CCall(allocate, @0, @2)
  Int64 @4 = Const64(0)
  Int64 @5 = Const64(8)
  Void @6 = Upsilon(@4, ^8)
  Void @7 = Jump(#1)
#1:
  Int64 @8 = Phi()
  Int32 @9 = Below(@8, @2)
  Void @10 = Branch(@9, #2, #3)
#2:
  Int64 @11 = Add(@1, @8)
  Int64 @12 = CCall(at, @0, @11)
  Int64 @13 = Load(@12)
  Int64 @14 = Add(@3, @8)
  Int64 @15 = CCall(at, @0, @14)
  Void @16 = Store(@13, @15)
  Int64 @17 = Add(@8, @5)
  Void @18 = Upsilon(@17, ^8)
  Void @19 = Jump(#1)
#3:
  Void @20 = Return(@3)`;

/** Returns the value of a key in the hash part, whose keys differ; else @3. */
const HASH = `proc findKey(Int64 @0, Int64 @1, Int64 @2, Int64 @3) -> Int64
#0:
  Int64 @100 = Const64(40)
  Int64 @5 = CCall(loadLong, @0, @1, @100)
  Int64 @101 = Const64(52)
  Int32 @6 = CCall(loadInt, @0, @1, @101)
  Int32 @7 = Const32(0)
  Int64 @8 = Const64(24)
  Int32 @9 = Const32(1)
  Void @10 = Upsilon(@5, ^13)
  Void @11 = Upsilon(@7, ^14)
  Void @12 = Jump(#1)
#1:
  Int64 @13 = Phi()
  Int32 @14 = Phi()
  Int64 @102 = Const64(8)
  Int64 @16 = CCall(loadLong, @0, @13, @102)
  Int32 @17 = Equal(@16, @2)
  Void @18 = Branch(@17, #2, #3)
#2:
  Void @19 = Return(@13)
#3:
  Int32 @20 = Equal(@14, @6)
  Void @21 = Branch(@20, #4, #5)
#4:
  Void @22 = Return(@3)
#5:
  Int64 @23 = Add(@13, @8)
  Int32 @24 = Add(@14, @9)
  Void @25 = Upsilon(@23, ^13)
  Void @26 = Upsilon(@24, ^14)
  Void @27 = Jump(#1)`;

/** Copies a table, of which only the links between nodes are addresses of its own parts. */
const DUPLICATE = `proc duplicate(Int64 @0, Int64 @1) -> Int64
#0:
  Int64 @3 = Const64(64)
  Int64 @4 = CCall(copy, @0, @1, @3)
  Int64 @5 = CCall(at, @0, @4)
  Int64 @100 = Const64(16)
  Int64 @6 = CCall(loadLong, @0, @1, @100)
  Int64 @101 = Const64(48)
  Int32 @7 = CCall(loadInt, @0, @1, @101)
  Int64 @8 = ZExt32(@7)
  Int32 @9 = Const32(3)
  Int64 @10 = Shl(@8, @9)
  Int64 @11 = CCall(copy, @0, @6, @10)
  Void @12 = Store(@11, @5, offset = 16)
  Int64 @102 = Const64(52)
  Int32 @13 = CCall(loadInt, @0, @1, @102)
  Void @14 = Branch(@13, #1, #5)
#1:
  Int64 @103 = Const64(40)
  Int64 @15 = CCall(loadLong, @0, @1, @103)
  Int64 @16 = ZExt32(@13)
  Int64 @17 = Const64(1)
  Int64 @18 = Add(@16, @17)
  Int64 @19 = Const64(24)
  Int64 @20 = Mul(@18, @19)
  Int64 @21 = CCall(copy, @0, @15, @20)
  Void @22 = Store(@21, @5, offset = 40)
  Int64 @23 = Sub(@21, @15)
  Int64 @24 = Const64(0)
  Void @25 = Upsilon(@24, ^27)
  Void @26 = Jump(#2)
#2:
  Int64 @27 = Phi()
  Int32 @28 = Below(@27, @20)
  Void @29 = Branch(@28, #3, #5)
#3:
  Int64 @30 = Add(@21, @27)
  Int64 @31 = CCall(at, @0, @30)
  Int64 @32 = Load(@31, offset = 16)
  Int64 @33 = Add(@27, @19)
  Void @34 = Upsilon(@33, ^27)
  Void @35 = Branch(@32, #4, #2)
#4:
  Int64 @36 = Add(@32, @23)
  Void @37 = Store(@36, @31, offset = 16)
  Void @38 = Jump(#2)
#5:
  Void @39 = Return(@4)`;

/** Writes nil to words from an address. */
const FILL = `proc fill(Int64 @0, Int64 @1, Int64 @2) -> Void
#0:
  Int64 @3 = Const64(0)
  Int64 @4 = Const64(8)
  Int64 @5 = Const64(-1)
  Void @6 = Upsilon(@3, ^8)
  Void @7 = Jump(#1)
#1:
  Int64 @8 = Phi()
  Int32 @9 = Below(@8, @2)
  Void @10 = Branch(@9, #2, #3)
#2:
  Int64 @11 = Add(@1, @8)
  Int64 @12 = CCall(at, @0, @11)
  Void @13 = Store(@5, @12)
  Int64 @14 = Add(@8, @4)
  Void @15 = Upsilon(@14, ^8)
  Void @16 = Jump(#1)
#3:
  Void @17 = Return()`;

/**
 * Makes a table with @1 slots in its array, and @2 nodes with the mask @3 (0: the node @4, which all
 * tables share).
 */
const TABLE = `proc newTable(Int64 @0, Int32 @1, Int32 @2, Int32 @3, Int64 @4) -> Int64
#0:
  Int64 @5 = Const64(64)
  Int64 @6 = CCall(allocate, @0, @5)
  Int64 @7 = CCall(at, @0, @6)
  Int32 @8 = Const32(0x00ff0b00)
  Void @9 = Store(@8, @7, offset = 8)
  Int64 @10 = ZExt32(@1)
  Int32 @11 = Const32(3)
  Int64 @12 = Shl(@10, @11)
  Int64 @13 = CCall(allocate, @0, @12)
  Void @14 = CCall(fill, @0, @13, @12)
  Void @15 = Store(@13, @7, offset = 16)
  Void @16 = Store(@1, @7, offset = 48)
  Void @17 = Store(@3, @7, offset = 52)
  Void @18 = Branch(@3, #1, #2)
#1:
  Int64 @19 = ZExt32(@2)
  Int64 @20 = Const64(24)
  Int64 @21 = Mul(@19, @20)
  Int64 @22 = CCall(allocate, @0, @21)
  Void @23 = CCall(fill, @0, @22, @21)
  Void @24 = Store(@22, @7, offset = 40)
  Void @25 = Return(@6)
#2:
  Void @26 = Store(@4, @7, offset = 40)
  Void @27 = Return(@6)`;

/** Returns the length of a table whose array decides it; else -1. */
const LENGTH = `proc lengthOf(Int64 @0, Int64 @1) -> Int32
#0:
  Int64 @100 = Const64(16)
  Int64 @3 = CCall(loadLong, @0, @1, @100)
  Int64 @101 = Const64(48)
  Int32 @4 = CCall(loadInt, @0, @1, @101)
  Int64 @102 = Const64(52)
  Int32 @5 = CCall(loadInt, @0, @1, @102)
  Int32 @6 = Const32(0)
  Int32 @7 = Const32(1)
  Int64 @8 = Const64(-1)
  Int32 @9 = Const32(3)
  Int32 @10 = Const32(-1)
  Int32 @11 = Sub(@4, @7)
  Int32 @12 = Select(@4, @11, @6)
  Void @13 = Branch(@12, #1, #6)
#1:
  Int64 @14 = ZExt32(@12)
  Int64 @15 = Shl(@14, @9)
  Int64 @16 = Add(@3, @15)
  Int64 @17 = CCall(at, @0, @16)
  Int64 @18 = Load(@17)
  Int32 @19 = Equal(@18, @8)
  Void @20 = Upsilon(@6, ^23)
  Void @21 = Upsilon(@12, ^24)
  Void @22 = Branch(@19, #2, #6)
#2:
  Int32 @23 = Phi()
  Int32 @24 = Phi()
  Int32 @25 = Sub(@24, @23)
  Int32 @26 = Above(@25, @7)
  Void @27 = Branch(@26, #3, #5)
#3:
  Int32 @28 = Add(@23, @24)
  Int32 @29 = ZShr(@28, @7)
  Int64 @30 = ZExt32(@29)
  Int64 @31 = Shl(@30, @9)
  Int64 @32 = Add(@3, @31)
  Int64 @33 = CCall(at, @0, @32)
  Int64 @34 = Load(@33)
  Int32 @35 = Equal(@34, @8)
  Int32 @36 = Select(@35, @23, @29)
  Int32 @37 = Select(@35, @29, @24)
  Void @38 = Upsilon(@36, ^23)
  Void @39 = Upsilon(@37, ^24)
  Void @40 = Jump(#2)
#5:
  Void @41 = Return(@23)
#6:
  Int32 @42 = Select(@5, @10, @12)
  Void @43 = Return(@42)`;

/** Compares the bytes of two strings, unsigned, then the lengths. */
const COMPARE = `proc compareStrings(Int64 @0, Int64 @1, Int64 @2) -> Int32
#0:
  Int64 @100 = Const64(20)
  Int32 @5 = CCall(loadInt, @0, @1, @100)
  Int64 @101 = Const64(20)
  Int32 @6 = CCall(loadInt, @0, @2, @101)
  Int32 @7 = UMin(@5, @6)
  Int32 @8 = Const32(0)
  Int32 @9 = Const32(1)
  Void @10 = Upsilon(@8, ^12)
  Void @11 = Jump(#1)
#1:
  Int32 @12 = Phi()
  Int32 @13 = Below(@12, @7)
  Void @14 = Branch(@13, #2, #4)
#2:
  Int64 @15 = ZExt32(@12)
  Int64 @16 = Add(@1, @15)
  Int64 @17 = Const64(24)
  Int64 @18 = Add(@16, @17)
  Int64 @19 = CCall(at, @0, @18)
  Int32 @20 = Load8Z(@19)
  Int64 @21 = Add(@2, @15)
  Int64 @22 = Add(@21, @17)
  Int64 @23 = CCall(at, @0, @22)
  Int32 @24 = Load8Z(@23)
  Int32 @25 = Sub(@20, @24)
  Int32 @26 = Add(@12, @9)
  Void @27 = Upsilon(@26, ^12)
  Void @28 = Branch(@25, #3, #1)
#3:
  Void @29 = Return(@25)
#4:
  Int32 @30 = Sub(@5, @6)
  Void @31 = Return(@30)`;

/** Copies bytes that may overlap: memmove. */
const COPY_BYTES = `proc copyBytes(Int64 @0, Int64 @1, Int64 @2, Int64 @3) -> Void
#0:
  Int64 @4 = Const64(0)
  Int64 @5 = Const64(1)
  Int64 @6 = Sub(@1, @2)
  Int32 @7 = Below(@6, @3)
  Int64 @8 = Sub(@3, @5)
  Void @9 = Upsilon(@4, ^11)
  Void @10 = Jump(#1)
#1:
  Int64 @11 = Phi()
  Int32 @12 = Below(@11, @3)
  Void @13 = Branch(@12, #2, #3)
#2:
  Int64 @14 = Sub(@8, @11)
  Int64 @15 = Select(@7, @14, @11)
  Int64 @16 = Add(@2, @15)
  Int64 @17 = CCall(at, @0, @16)
  Int32 @18 = Load8Z(@17)
  Int64 @19 = Add(@1, @15)
  Int64 @20 = CCall(at, @0, @19)
  Void @21 = Store8(@18, @20)
  Int64 @22 = Add(@11, @5)
  Void @23 = Upsilon(@22, ^11)
  Void @24 = Jump(#1)
#3:
  Void @25 = Return()`;

/** Fills bytes: memset. */
const FILL_BYTES = `proc fillBytes(Int64 @0, Int64 @1, Int32 @2, Int64 @3) -> Void
#0:
  Int64 @4 = Const64(0)
  Int64 @5 = Const64(1)
  Void @6 = Upsilon(@4, ^8)
  Void @7 = Jump(#1)
#1:
  Int64 @8 = Phi()
  Int32 @9 = Below(@8, @3)
  Void @10 = Branch(@9, #2, #3)
#2:
  Int64 @11 = Add(@1, @8)
  Int64 @12 = CCall(at, @0, @11)
  Void @13 = Store8(@2, @12)
  Int64 @14 = Add(@8, @5)
  Void @15 = Upsilon(@14, ^8)
  Void @16 = Jump(#1)
#3:
  Void @17 = Return()`;

/** In an order in which each follows its callees. */
const HELPERS: readonly (readonly [name: string, text: string])[] = [
  ["compareStrings", COMPARE],
  ["copyBytes", COPY_BYTES],
  ["fillBytes", FILL_BYTES],
  ["lengthOf", LENGTH],
  ["newTable", TABLE],
  ["fill", FILL],
  ["duplicate", DUPLICATE],
  ["findKey", HASH],
  ["copy", COPY],
  ["allocate", ALLOCATE],
  ["loadLong", loadOf("loadLong", "Int64")],
  ["loadInt", loadOf("loadInt", "Int32")],
];

/** Returns the helpers that a text calls, and theirs. */
export function helpersFor(text: string): string[] {
  let all = text;
  const used: string[] = [];
  for (const [name, helper] of HELPERS) {
    if (!all.includes(`CCall(${name},`)) continue;
    used.push(helper);
    all += helper;
  }
  return used;
}
