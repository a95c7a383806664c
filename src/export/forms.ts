// Defines the forms of an exported program: equal programs that a compiler sees differently. A form
// is a set of names, at most one of each dimension; the empty set is the plain form. It is part of
// a subject's name, like drawn flags: `gcc-O2+signed+nested`.

export type SourceFormat = "c" | "llvm" | "wasm" | "js" | "lua";

interface FormDescription {
  readonly says: string;
  readonly formats: readonly SourceFormat[];
}

const C_ONLY: readonly SourceFormat[] = ["c"];
const C_AND_LLVM: readonly SourceFormat[] = ["c", "llvm"];
const WASM_ONLY: readonly SourceFormat[] = ["wasm"];
const JS_ONLY: readonly SourceFormat[] = ["js"];
const C_AND_JS: readonly SourceFormat[] = ["c", "js"];
const JS_AND_LUA: readonly SourceFormat[] = ["js", "lua"];
const LUA_ONLY: readonly SourceFormat[] = ["lua"];
const ALL_BUT_LUA: readonly SourceFormat[] = ["c", "llvm", "wasm", "js"];
const ALL_FORMATS: readonly SourceFormat[] = [...ALL_BUT_LUA, "lua"];

/** The dimensions of a form; the plain choice of each has no name. */
// biome-ignore format: a table
const DIMENSIONS = {
  sign: {
    "signed":         { says: "integer variables are signed", formats: C_ONLY },
    "signed-phis":    { says: "only the variables of Phis are signed", formats: C_ONLY },
  },
  width: {
    "narrow":         { says: "variables have the 8, 16 or 32 bits that are used or that hold their value", formats: C_ONLY },
  },
  nesting: {
    "nested":         { says: "a value with one use is nested in the expression that uses it", formats: C_ONLY },
    "nested-loads":   { says: "a load with one use is nested too, if no write is between them", formats: WASM_ONLY },
    "flat":           { says: "each value has a local, and no expression is nested", formats: WASM_ONLY },
  },
  accesses: {
    "inline-access":  { says: "loads and stores are dereferences of typed pointers", formats: C_ONLY },
    "byte-access":    { says: "loads and stores of integers read and write single bytes", formats: C_AND_JS },
    "typed-arrays":   { says: "aligned loads and stores use typed arrays of their width", formats: JS_ONLY },
    "unsigned-arrays": { says: "the typed arrays of integers are unsigned", formats: JS_ONLY },
  },
  words: {
    "word-pairs":     { says: "an Int64 is computed as a pair of Int32", formats: ALL_FORMATS },
    "safe-integers":  { says: "an Int64 that a number represents exactly is a number, and no BigInt", formats: JS_ONLY },
  },
  constants: {
    "late-constants": { says: "one constant in three is in a variable that never changes", formats: ALL_BUT_LUA },
  },
  calls: {
    "inline-calls":   { says: "procedures are declared inline", formats: C_AND_LLVM },
    "noinline-calls": { says: "procedures are never inlined", formats: C_AND_LLVM },
    "extern-calls":   { says: "procedures are visible outside of the file", formats: C_AND_LLVM },
    "table-calls":    { says: "calls take the function from an array", formats: JS_ONLY },
    "method-calls":   { says: "calls are calls of methods of an object", formats: JS_ONLY },
    "spread-calls":   { says: "calls spread an array of arguments", formats: JS_ONLY },
    "arguments-calls": { says: "functions read their parameters from the object arguments", formats: JS_ONLY },
  },
  loops: {
    "loops":          { says: "loops are for and do statements", formats: C_ONLY },
    "while-loops":    { says: "loops are while statements", formats: JS_ONLY },
    "do-loops":       { says: "loops are do statements", formats: JS_ONLY },
  },
  switches: {
    "if-chains":      { says: "a Switch is a chain of if statements", formats: JS_ONLY },
  },
  homes: {
    "closure-homes":  { says: "variables belong to an outer function", formats: JS_ONLY },
    "field-homes":    { says: "one value in two is a property of an object, or a field of a table", formats: JS_AND_LUA },
    "element-homes":  { says: "one value in two is an element of an array", formats: JS_AND_LUA },
    "object-homes":   { says: "one value in two is a property of an object of its own", formats: JS_AND_LUA },
    "string-homes":   { says: "one integer in two is a string of its digits", formats: JS_AND_LUA },
    "fraction-homes": { says: "one Int32 in two is a number with a fraction", formats: JS_AND_LUA },
    "unsigned-homes": { says: "one Int32 in two is an unsigned number", formats: JS_AND_LUA },
    "late-truncation": { says: "one Int32 in two becomes an integer of 32 bits only when it is used", formats: JS_AND_LUA },
  },
  operators: {
    "metamethods":    { says: "arithmetic and comparisons are calls of metamethods", formats: LUA_ONLY },
  },
  exits: {
    "status-exits":   { says: "a function returns after an exit, and its callers test a variable", formats: JS_ONLY },
    "catch-exits":    { says: "the code of an exit is in a catch clause of its function", formats: JS_ONLY },
    "finally-exits":  { says: "a function's body is in a try statement with a finally clause", formats: JS_ONLY },
  },
  // A fact holds in all runs before the last.
  facts: {
    "lost-int":       { says: "a small integer becomes a fraction", formats: JS_ONLY },
    "lost-zero":      { says: "a small integer becomes -0", formats: JS_ONLY },
    "lost-nan":       { says: "a small integer becomes NaN", formats: JS_ONLY },
    "lost-undefined": { says: "a small integer becomes undefined", formats: JS_ONLY },
    "lost-string":    { says: "a small integer becomes an empty string", formats: JS_ONLY },
    "lost-object":    { says: "a small integer becomes an object with valueOf", formats: JS_ONLY },
    "lost-bigint":    { says: "a BigInt becomes an object; an integer becomes a BigInt", formats: JS_ONLY },
    "lost-range":     { says: "a sum that was a small integer leaves its range", formats: JS_ONLY },
    "lost-hole":      { says: "an element of an array becomes a hole", formats: JS_ONLY },
    "lost-elements":  { says: "an array of small integers becomes an array of doubles", formats: JS_ONLY },
    "lost-bounds":    { says: "an index leaves its array", formats: JS_ONLY },
    "lost-shape":     { says: "an object is replaced by one of another shape", formats: JS_ONLY },
    "lost-getter":    { says: "a property becomes an accessor", formats: JS_ONLY },
    "lost-callee":    { says: "a function is replaced by another one", formats: JS_ONLY },
  },
  moments: {
    "late-loss":      { says: "the fact is lost during the last run, at a drawn iteration or call", formats: JS_ONLY },
  },
  choices: {
    "if-select":      { says: "a Select is an if statement", formats: C_ONLY },
  },
  joins: {
    "block-results":  { says: "the first Phi of a join is the result of a block", formats: WASM_ONLY },
    "block-params":   { says: "all Phis of joins and loops are results of blocks and parameters of loops", formats: WASM_ONLY },
  },
  stack: {
    "kept-on-stack":  { says: "a value is on the operand stack while a block runs", formats: WASM_ONLY },
  },
  tees: {
    "tees":           { says: "a value with several uses is computed at its first use, by local.tee", formats: WASM_ONLY },
  },
  ends: {
    "fall-through":   { says: "a jump to the end of its own block is left out; an if has results", formats: WASM_ONLY },
  },
  counts: {
    "wide-counts":    { says: "a constant count of a 64-bit shift is an i64.const", formats: WASM_ONLY },
  },
  warmUp: {
    "hot-entry":      { says: "the entry begins with a loop of 100,000 empty iterations", formats: WASM_ONLY },
  },
} as const satisfies Record<string, Record<string, FormDescription>>;

type FormDimensions = typeof DIMENSIONS;
export type FormName = {
  [D in keyof FormDimensions]: keyof FormDimensions[D];
}[keyof FormDimensions];
export type SourceForm = ReadonlySet<FormName>;

export const PLAIN_FORM: SourceForm = new Set();
/** One constant in this many is a variable in the form `late-constants`. */
export const LATE_SHARE = 3;
/** The name of the empty form in commands. */
export const PLAIN = "plain";

const TABLE: readonly (readonly (readonly [FormName, FormDescription])[])[] = Object.values(
  DIMENSIONS,
).map(
  // The keys of a dimension are names of forms.
  (dimension) => Object.entries(dimension) as [FormName, FormDescription][],
);
export const FORM_DESCRIPTIONS: readonly (readonly [FormName, FormDescription])[] = TABLE.flat();
export const FORM_NAMES: readonly FormName[] = FORM_DESCRIPTIONS.map(([name]) => name);

export const isFormName = (name: string): name is FormName =>
  FORM_NAMES.some((known) => known === name);

/** Returns the names by dimension, without those that a format cannot express. */
export const formsOf = (format: SourceFormat | null): FormName[][] =>
  TABLE.map((dimension) =>
    dimension.flatMap(([name, { formats }]) =>
      format !== null && formats.includes(format) ? [name] : [],
    ),
  ).filter(({ length }) => length > 0);

/** Returns an error message if two names are of one dimension; null if none are. */
export function conflictIn(names: readonly FormName[]): string | null {
  for (const dimension of TABLE) {
    const both = names.filter((name) => dimension.some(([known]) => known === name));
    if (both.length > 1) return `${both.join(" and ")} exclude each other`;
  }
  return null;
}
