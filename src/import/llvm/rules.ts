// Lists the exits of imported programs: undefined behavior, choices that are left open, and ends of the execution. The
// frame of an exit shows the line of the text and, as its slot, the index of the rule.

/**
 * - undefined: whatever follows is allowed
 * - open: the result depends on a choice that the language leaves open, or on code outside of the import
 * - ended: observable
 */
type LlvmExit = "undefined" | "open" | "ended";

const RULES = {
  "an access outside of objects": "undefined",
  "an access at poison": "undefined",
  "an access that is not aligned": "undefined",
  "a store to a constant": "undefined",
  "a branch on poison": "undefined",
  "a division by zero or poison": "undefined",
  "a division that overflows": "undefined",
  "unreachable code": "undefined",
  "a false assumption": "undefined",
  "poison where noundef excludes it": "undefined",
  "a memcpy of ranges that overlap": "undefined",
  "freeze of poison": "open",
  "the address of a variable as an integer, or its order": "open",
  "objects that are too large": "open",
  "a call of a function that is not imported": "open",
  "a call by an address that is not known": "open",
  "poison as an operand of a pure function": "open",
  "a choice of the passes": "open",
  "a trap": "ended",
  "a call that does not return": "ended",
} as const satisfies Readonly<Record<string, LlvmExit>>;

/** A rule by which an execution exits. */
export type LlvmRule = keyof typeof RULES;

const NAMES = Object.keys(RULES);
export const numberOfRule = (rule: LlvmRule): number => NAMES.indexOf(rule);

/** Returns the rule of that number, and the exit that it takes. */
export function ruleAt(index: number): { readonly rule: string; readonly exit: LlvmExit } {
  const rule = NAMES[index] ?? "";
  return { rule, exit: Object.values(RULES)[index] ?? "open" };
}
