// Whether x86-64 code asks for a flag that the instruction before leaves undefined. The processor gives one
// thing there and an emulator another, and neither is wrong: the code is.
//
// It looks at straight code: behind a label, which may be reached from elsewhere, every flag counts as defined.

/** A letter for each flag; nothing that we emit asks for the sixth, of decimal digits. */
const NAMES: Readonly<Record<string, string>> = {
  C: "carry flag",
  P: "parity flag",
  Z: "zero flag",
  S: "sign flag",
  O: "overflow flag",
};

interface Effect {
  readonly mnemonics: string;
  readonly defines: string;
  readonly leavesUndefined: string;
}

/**
 * Of what writes flags; all else leaves them as they are. Intel's manual, volume 2, "Flags Affected" of each. A shift
 * or rotation defines the overflow only for a count of one; what a function returns with is nobody's word.
 */
// biome-ignore format: a table
const EFFECTS: readonly Effect[] = [
  { mnemonics: "add sub cmp neg adc sbb xadd cmpxchg and or xor test", defines: "CPZSO", leavesUndefined: "" },
  { mnemonics: "comiss comisd ucomiss ucomisd popcnt",                 defines: "CPZSO", leavesUndefined: "" },
  { mnemonics: "inc dec",            defines: "PZSO",  leavesUndefined: "" },
  { mnemonics: "imul mul",           defines: "CO",    leavesUndefined: "PZS" },
  { mnemonics: "div idiv",           defines: "",      leavesUndefined: "CPZSO" },
  { mnemonics: "shl shr sar shld shrd", defines: "CPZS", leavesUndefined: "O" },
  { mnemonics: "rol ror",            defines: "C",     leavesUndefined: "O" },
  { mnemonics: "bsf bsr",            defines: "Z",     leavesUndefined: "CPSO" },
  { mnemonics: "lzcnt tzcnt",        defines: "CZ",    leavesUndefined: "PSO" },
  { mnemonics: "bt bts btr btc",     defines: "C",     leavesUndefined: "PSO" },
  { mnemonics: "call",               defines: "",      leavesUndefined: "CPZSO" },
];
const BY_MNEMONIC = new Map(
  EFFECTS.flatMap((effect) => effect.mnemonics.split(" ").map((name) => [name, effect] as const)),
);

/** By the end of a jump, a choice or `set`: what it asks. */
// biome-ignore format: a table
const ASKED_BY_CONDITION: Readonly<Record<string, string>> = {
  o: "O", no: "O", b: "C", ae: "C", c: "C", nc: "C", e: "Z", ne: "Z", z: "Z", nz: "Z", be: "CZ", a: "CZ",
  s: "S", ns: "S", p: "P", np: "P", l: "SO", ge: "SO", le: "ZSO", g: "ZSO",
};
const CONDITIONAL = /^(?:j|set|cmov)([a-z]+)$/;

/** The flags that an instruction needs, one letter each. */
function askedBy(mnemonic: string): string {
  if (mnemonic === "adc" || mnemonic === "sbb") return "C";
  const [, condition = ""] = CONDITIONAL.exec(mnemonic) ?? [];
  return ASKED_BY_CONDITION[condition] ?? "";
}

const INSTRUCTION = /^([0-9a-f]{4,}) {2}((?:lock )?([a-z]\w*).*)$/;
const LABEL = /^\.L\d+:/;

/**
 * The first instruction that asks for a flag which is undefined, in a sentence; null where there is none.
 * @param listing of x86-64 code, as the compiler gives it
 */
export function undefinedFlagIn(listing: readonly string[]): string | null {
  const undefinedBy = new Map<string, string>();
  for (const line of listing) {
    if (LABEL.test(line)) undefinedBy.clear();
    const [, offset, text, mnemonic] = INSTRUCTION.exec(line) ?? [];
    if (offset === undefined) continue;
    for (const flag of askedBy(mnemonic)) {
      const by = undefinedBy.get(flag);
      if (by === undefined) continue;
      return `${text} at ${offset} asks for the ${NAMES[flag]}, which ${by} leaves undefined`;
    }
    const effect = BY_MNEMONIC.get(mnemonic);
    for (const flag of effect?.defines ?? "") undefinedBy.delete(flag);
    for (const flag of effect?.leavesUndefined ?? "") {
      undefinedBy.set(flag, `${text} at ${offset}`);
    }
  }
  return null;
}
