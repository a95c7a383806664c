// Defines for each compiler the command that lists its flags, and the form of the list.

export interface FlagListing {
  /** Returns the arguments of its program. @param flags the flags of the query */
  readonly words: (flags: readonly string[]) => readonly string[];
  /**
   * Matches the start of a flag's description, with the flag's name; the description ends at the
   * next match.
   */
  readonly entry: RegExp;
  /** Returns the names under which a flag is listed. */
  readonly namesOf: (flag: string) => readonly string[];
}

const itself = (flag: string): readonly string[] => [flag];
const DASHED = /^ *--?([\w-]+)/gm;

/**
 * A vector width on the command line lets LLVM's loop vectorizer reorder sums of floats, as if the
 * program allowed it; the second flag prevents that.
 */
export const withOrder = (flag: string): readonly string[] =>
  /^force-vector-/.test(flag) ? [flag, "hints-allow-reordering=false"] : [flag];

/** A pass that requires flat code follows the pass that makes it flat. */
const FLAT = /^flat-/;
export const binaryenSteps = (flag: string): readonly string[] =>
  FLAT.test(flag) ? ["flatten", flag.replace(FLAT, "")] : [flag];

/** LuaJIT has no list, but accepts one flag after the other, and continues after an unknown one. */
const luaOf = (flags: readonly string[]): string =>
  `for flag in ("${flags.join(" ")}"):gmatch("%S+") do
    if pcall(jit.opt.start, flag) then print(flag) end
  end`;

export const JSC: FlagListing = {
  words: () => ["--options"],
  entry: /^ *(\w+)=/gm,
  namesOf: itself,
};
export const V8: FlagListing = {
  words: () => ["--v8-options"],
  entry: /^ *--(?:no-)?([\w-]+)/gm,
  namesOf: (flag) => [flag.replace(/^no-/, "")],
};
export const SPIDERMONKEY: FlagListing = {
  words: () => ["--help"],
  entry: DASHED,
  namesOf: itself,
};
export const BINARYEN: FlagListing = {
  words: () => ["--help"],
  entry: DASHED,
  namesOf: binaryenSteps,
};
export const LLVM: FlagListing = {
  words: () => ["-mllvm", "--help-hidden", "-x", "c", "-c", "/dev/null", "-o", "/dev/null"],
  entry: DASHED,
  namesOf: withOrder,
};
export const GCC: FlagListing = {
  words: () => ["--help=common", "--help=target"],
  entry: /^ *(?:Known valid arguments for )?--?([\w-]+)/gm, // the values of `-march=` have a list of their own
  namesOf: (flag) => [flag.replace(/^fno-/, "f")],
};
/** The name of a flag of the virtual machine: `no-` before it switches a flag off. */
const offPrefix = /^no-/;
export const HOTSPOT: FlagListing = {
  words: () => [
    ...["-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions"],
    ...["-XX:+PrintFlagsFinal", "-version"],
  ],
  entry: /^ *\w+ (\w+) +=/gm,
  namesOf: (flag) => [flag.replace(offPrefix, "")],
};
export const hotspotWord = (flag: string): string => {
  if (flag.includes("=")) return `-XX:${flag}`;
  return offPrefix.test(flag) ? `-XX:-${flag.replace(offPrefix, "")}` : `-XX:+${flag}`;
};
export const LUAJIT: FlagListing = {
  words: (flags) => ["-e", luaOf(flags)],
  entry: /^([\w-]+)/gm,
  namesOf: itself,
};
