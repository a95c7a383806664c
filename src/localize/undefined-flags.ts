// Finds x86-64 code that reads a flag which the instruction before leaves undefined. The processor and an emulator may
// have different values there; neither is wrong, but the code is.
//
// Only straight-line code is checked: after a label, which other code may reach, every flag counts as defined.

/** A letter for each flag; no emitted code reads the sixth flag, for decimal digits. */
const NAMES: Readonly<Record<string, string>> = {
  C: "carry flag",
  P: "parity flag",
  Z: "zero flag",
  S: "sign flag",
  O: "overflow flag",
};

interface FlagEffect {
  readonly mnemonics: string;
  readonly defines: string;
  readonly leavesUndefined: string;
}

/**
 * The instructions that write flags; all others keep them (Intel's manual, volume 2, "Flags Affected" of each). A shift
 * or rotation defines the overflow flag only for a count of one. A function returns with undefined flags.
 */
// biome-ignore format: a table
const EFFECTS: readonly FlagEffect[] = [
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

/** By the suffix of a jump, conditional move or `set`: the flags that it reads. */
// biome-ignore format: a table
const FLAGS_BY_CONDITION: Readonly<Record<string, string>> = {
  o: "O", no: "O", b: "C", ae: "C", c: "C", nc: "C", e: "Z", ne: "Z", z: "Z", nz: "Z", be: "CZ", a: "CZ",
  s: "S", ns: "S", p: "P", np: "P", l: "SO", ge: "SO", le: "ZSO", g: "ZSO",
};
const CONDITIONAL = /^(?:j|set|cmov)([a-z]+)$/;

/** Returns the flags that an instruction reads, one letter each. */
function flagsReadBy(mnemonic: string): string {
  if (mnemonic === "adc" || mnemonic === "sbb") return "C";
  const [, condition = ""] = CONDITIONAL.exec(mnemonic) ?? [];
  return FLAGS_BY_CONDITION[condition] ?? "";
}

const INSTRUCTION = /^([0-9a-f]{4,}) {2}((?:lock )?([a-z]\w*).*)$/;
const LABEL = /^\.L\d+:/;

/**
 * Returns the first instruction that reads an undefined flag, in a sentence; null if there is none.
 * @param listing the compiler's listing of x86-64 code
 */
export function undefinedFlagIn(listing: readonly string[]): string | null {
  const undefinedBy = new Map<string, string>();
  for (const line of listing) {
    if (LABEL.test(line)) undefinedBy.clear();
    const [, offset, text, mnemonic] = INSTRUCTION.exec(line) ?? [];
    if (offset === undefined) continue;
    for (const flag of flagsReadBy(mnemonic)) {
      const by = undefinedBy.get(flag);
      if (by === undefined) continue;
      return `${text} at ${offset} reads the ${NAMES[flag]}, which ${by} leaves undefined`;
    }
    const effect = BY_MNEMONIC.get(mnemonic);
    for (const flag of effect?.defines ?? "") undefinedBy.delete(flag);
    for (const flag of effect?.leavesUndefined ?? "") {
      undefinedBy.set(flag, `${text} at ${offset}`);
    }
  }
  return null;
}
