// How each compiler is asked which flags it has, and how it lists them.

export interface Listing {
  /** What its program is told. @param flags those that are asked about */
  readonly words: (flags: readonly string[]) => readonly string[];
  /** How what is said of one flag begins, by the name of the flag; it goes on until the next begins. */
  readonly entry: RegExp;
  /** Under which names a flag is listed. */
  readonly namesOf: (flag: string) => readonly string[];
}

const itself = (flag: string): readonly string[] => [flag];
const DASHED = /^ *--?([\w-]+)/gm;

/** A pass that wants flat code comes behind the one that makes it flat. */
const FLAT = /^flat-/;
export const binaryenSteps = (flag: string): readonly string[] =>
  FLAT.test(flag) ? ["flatten", flag.replace(FLAT, "")] : [flag];

/** LuaJIT lists nothing, but takes one flag after the other, and goes on behind one that it has not. */
const luaOf = (flags: readonly string[]): string =>
  `for flag in ("${flags.join(" ")}"):gmatch("%S+") do
    if pcall(jit.opt.start, flag) then print(flag) end
  end`;

export const JSC: Listing = { words: () => ["--options"], entry: /^ *(\w+)=/gm, namesOf: itself };
export const V8: Listing = {
  words: () => ["--v8-options"],
  entry: /^ *--(?:no-)?([\w-]+)/gm,
  namesOf: (flag) => [flag.replace(/^no-/, "")],
};
export const SPIDERMONKEY: Listing = { words: () => ["--help"], entry: DASHED, namesOf: itself };
export const BINARYEN: Listing = {
  words: () => ["--help"],
  entry: DASHED,
  namesOf: binaryenSteps,
};
export const LLVM: Listing = {
  words: () => ["-mllvm", "--help-hidden", "-x", "ir", "-c", "/dev/null", "-o", "/dev/null"],
  entry: DASHED,
  namesOf: itself,
};
export const GCC: Listing = {
  words: () => ["--help=common", "--help=target"],
  entry: /^ *(?:Known valid arguments for )?--?([\w-]+)/gm, // values of `-march=` stand apart
  namesOf: (flag) => [flag.replace(/^fno-/, "f")],
};
export const LUAJIT: Listing = {
  words: (flags) => ["-e", luaOf(flags)],
  entry: /^([\w-]+)/gm,
  namesOf: itself,
};
