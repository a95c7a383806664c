// Rows that also extend or shift a register, generated from the classes of the manual that have
// them: the register offset of loads and stores (C4.1.66), and the last operand of additions and
// logical operations (C4.1.67). Written out they would be some two hundred lines that differ in one
// field each.

type BitsAndText = readonly [bits: string, text: string];

/**
 * The conversion of an index register to an offset: option and S, its text; S scales by the access.
 */
// biome-ignore format: a table
const OFFSETS = {
  X:     ["011 0", "<Xm>"],       XLsl:  ["011 1", "<Xm>, lsl #"],
  Uxtw:  ["010 0", "<Wm>, uxtw"], UxtwLsl: ["010 1", "<Wm>, uxtw #"],
  Sxtw:  ["110 0", "<Wm>, sxtw"], SxtwLsl: ["110 1", "<Wm>, sxtw #"],
} as const;

/** Accesses: size, the rest of the opcode, text, log2 of the bytes. */
// biome-ignore format: a table
const ACCESSES = {
  strb:   ["00 111 0 00 00", "strb <Wd>",  0], ldrb:   ["00 111 0 00 01", "ldrb <Wd>",  0],
  ldrsbx: ["00 111 0 00 10", "ldrsb <Xd>", 0], ldrsbw: ["00 111 0 00 11", "ldrsb <Wd>", 0],
  strh:   ["01 111 0 00 00", "strh <Wd>",  1], ldrh:   ["01 111 0 00 01", "ldrh <Wd>",  1],
  ldrshx: ["01 111 0 00 10", "ldrsh <Xd>", 1], ldrshw: ["01 111 0 00 11", "ldrsh <Wd>", 1],
  strw:   ["10 111 0 00 00", "str <Wd>",   2], ldrw:   ["10 111 0 00 01", "ldr <Wd>",   2],
  ldrsw:  ["10 111 0 00 10", "ldrsw <Xd>", 2],
  strx:   ["11 111 0 00 00", "str <Xd>",   3], ldrx:   ["11 111 0 00 01", "ldr <Xd>",   3],
  strs:   ["10 111 1 00 00", "str <Sd>",   2], ldrs:   ["10 111 1 00 01", "ldr <Sd>",   2],
  strd:   ["11 111 1 00 00", "str <Dd>",   3], ldrd:   ["11 111 1 00 01", "ldr <Dd>",   3],
} as const;

/** Bits 31..24, the text; an immediate shifts the second operand. */
// biome-ignore format: a table
const SHIFTABLE = {
  addw: ["0 0 0 01011", "add <Wd>, <Wn>, <Wm>"], addx: ["1 0 0 01011", "add <Xd>, <Xn>, <Xm>"],
  subw: ["0 1 0 01011", "sub <Wd>, <Wn>, <Wm>"], subx: ["1 1 0 01011", "sub <Xd>, <Xn>, <Xm>"],
  andw: ["0 00 01010",  "and <Wd>, <Wn>, <Wm>"], andx: ["1 00 01010",  "and <Xd>, <Xn>, <Xm>"],
  orrw: ["0 01 01010",  "orr <Wd>, <Wn>, <Wm>"], orrx: ["1 01 01010",  "orr <Xd>, <Xn>, <Xm>"],
  eorw: ["0 10 01010",  "eor <Wd>, <Wn>, <Wm>"], eorx: ["1 10 01010",  "eor <Xd>, <Xn>, <Xm>"],
} as const;
const SHIFTS = { Lsl: "00", Lsr: "01", Asr: "10", Ror: "11" } as const;
/** Additions have no rotation. */
const ADDITIONS: readonly string[] = ["addw", "addx", "subw", "subx"];

/** An addition of an extended register: option, its text; the shift, 0 to 4, follows. */
const EXTENSIONS = { Uxtw: ["010", "uxtw"], Sxtw: ["110", "sxtw"] } as const;

type OffsetKind = keyof typeof OFFSETS;
export type AccessName = keyof typeof ACCESSES;
type ShiftKind = keyof typeof SHIFTS;
type ShiftableMnemonic = keyof typeof SHIFTABLE;
type ExtendingMnemonic = "add" | "sub";

type IndexedName =
  | `${AccessName}${OffsetKind}`
  | `${ShiftableMnemonic}${Exclude<ShiftKind, "Ror">}`
  | `${Exclude<ShiftableMnemonic, "addw" | "addx" | "subw" | "subx">}Ror`
  | `${ExtendingMnemonic}x${keyof typeof EXTENSIONS}`;

// The cast holds because the keys of a literal are exactly those in its type.
const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

function makeRows(): [string, BitsAndText][] {
  const rows: [string, BitsAndText][] = [];
  for (const name of keysOf(ACCESSES)) {
    const [bits, text, log2] = ACCESSES[name];
    for (const kind of keysOf(OFFSETS)) {
      const [option, index] = OFFSETS[kind];
      const amount = index.endsWith("#") ? log2 : "";
      rows.push([
        `${name}${kind}`,
        [`${bits} 1 mmmmm ${option} 10 nnnnn ddddd`, `${text}, [<Xn|SP>, ${index}${amount}]`],
      ]);
    }
  }
  for (const name of keysOf(SHIFTABLE)) {
    const [bits, text] = SHIFTABLE[name];
    const amount = name.endsWith("w") ? "0iiiii" : "iiiiii";
    for (const kind of keysOf(SHIFTS)) {
      if (kind === "Ror" && ADDITIONS.includes(name)) continue;
      const fields = `${bits} ${SHIFTS[kind]} 0 mmmmm ${amount} nnnnn ddddd`;
      rows.push([`${name}${kind}`, [fields, `${text}, ${kind.toLowerCase()} #<i>`]]);
    }
  }
  for (const [name, bits] of [
    ["add", "1 0 0 01011"],
    ["sub", "1 1 0 01011"],
  ] as const) {
    for (const kind of keysOf(EXTENSIONS)) {
      const [option, text] = EXTENSIONS[kind];
      const fields = `${bits} 00 1 mmmmm ${option} 0ii nnnnn ddddd`;
      rows.push([`${name}x${kind}`, [fields, `${name} <Xd|SP>, <Xn|SP>, <Wm>, ${text} #<i>`]]);
    }
  }
  return rows;
}

// The cast holds because the loops above generate exactly these names.
export const INDEXED_ENCODINGS = Object.fromEntries(makeRows()) as {
  readonly [N in IndexedName]: BitsAndText;
};
