// Defines the forms in which a variable of JavaScript or Lua contains a value in another shape: an
// object, a string or another number. Each assignment makes the shape, and each use takes the value out.

import { Op } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, type Type } from "../ir/types.js";
import type { FormName, SourceForm } from "./forms.js";

/** One shape of a form. */
interface HomeShape {
  readonly form: FormName;
  /** The type of its values; null: any type. */
  readonly type: Type | null;
  /** The expression of the shape; `$` is the value. */
  readonly make: string;
  /** The expression of the value; `$` is the variable. */
  readonly take: string;
  /** The conversion that an assignment omits, around the expression that remains. */
  readonly omits?: RegExp;
}
export type HomeTable = readonly HomeShape[];

// A Double represents an Int32 with a fraction of 0.25 exactly.
// biome-ignore format: a table
export const JS_HOMES: HomeTable = [
  { form: "object-homes",   type: null,  make: "{ value: $ }", take: "$.value" },
  { form: "string-homes",   type: Int32, make: "String($)",    take: "Number($)" },
  { form: "string-homes",   type: Int64, make: "String($)",    take: "BigInt($)" },
  { form: "fraction-homes", type: Int32, make: "($) + 0.25",   take: "Math.floor($)" },
  { form: "unsigned-homes", type: Int32, make: "($) >>> 0",    take: "($ | 0)" },
  { form: "late-truncation", type: Int32, make: "$",           take: "($ | 0)", omits: /^(?:(.*) \| 0|\((\w+) \| 0\))$/ },
];

// Lua has no conversion of a string to an Int64. The parentheses of an omitted call contain only pairs.
// biome-ignore format: a table
export const LUA_HOMES: HomeTable = [
  { form: "object-homes",   type: null,  make: "{ value = $ }", take: "$.value" },
  { form: "string-homes",   type: Int32, make: '($) .. ""',     take: "($ + 0)" },
  { form: "fraction-homes", type: Int32, make: "($) + 0.25",    take: "tobit($)" },
  { form: "unsigned-homes", type: Int32, make: "u32($)",        take: "tobit($)" },
  { form: "late-truncation", type: Int32, make: "$",            take: "tobit($)", omits: /^tobit\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)$/ },
];

/** One value in this many has a home that is not a variable with the value itself. */
export const HOME_SHARE = 2;

/** Returns what a variable contains. */
export const madeFrom = ({ make, omits }: HomeShape, text: string): string =>
  make.replace("$", () =>
    omits === undefined ? text : text.replace(omits, (_, first, second) => first ?? second),
  );

/** Returns the shape in which the variable of a value contains it; undefined if it contains the value itself. */
export function shapeOf(table: HomeTable, form: SourceForm, value: Value): HomeShape | undefined {
  const { opcode, id, type } = value;
  if (opcode === Op.Parameter || id % HOME_SHARE !== 0) return undefined;
  return table.find((row) => form.has(row.form) && (row.type === null || row.type === type));
}
