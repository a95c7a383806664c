// Lists the types of LuaJIT's IR, and how a slot of eight bytes holds a value of each (lj_obj.h,
// 64-bit references): a number as its bits, any other value as a tag above 47 bits.

import type { TypeName } from "../../ir/types.js";

/** The IR types, in the order of their numbers. */
// biome-ignore format: a table
const NAMES = [
  "nil", "fal", "tru", "lud", "str", "p32", "thr", "pro", "fun", "p64", "cdt", "tab", "udt",
  "flt", "num", "i8", "u8", "i16", "u16", "int", "u32", "i64", "u64", "sfp",
] as const;
export type IrType = (typeof NAMES)[number];

export const irType = (number: number): IrType | null => NAMES[number] ?? null;

/** The type of the language; null for a type with one value. */
export const TYPES: { readonly [T in IrType]: TypeName | null } = {
  ...{ nil: null, fal: null, tru: null },
  ...{ lud: "Int64", str: "Int64", p32: "Int64", thr: "Int64", pro: "Int64", fun: "Int64" },
  ...{ p64: "Int64", cdt: "Int64", tab: "Int64", udt: "Int64", i64: "Int64", u64: "Int64" },
  ...{ flt: "Float", num: "Double", sfp: "Int32" },
  ...{ i8: "Int32", u8: "Int32", i16: "Int32", u16: "Int32", int: "Int32", u32: "Int32" },
};

/** The tag of a type: its number, complemented. Numbers have none. */
export const tagOf = (type: IrType): bigint => ~BigInt(NAMES.indexOf(type));

/** Values below this one, unsigned, are numbers. */
export const FIRST_TAGGED = 0xfff9_0000_0000_0000n;
export const PAYLOAD = 0x7fff_ffff_ffffn;

/** Types that a slot holds as a tag and an address. */
export const isTagged = (type: IrType): boolean =>
  ["lud", "str", "thr", "pro", "fun", "cdt", "tab", "udt"].includes(type);

/** The slot of a type with one value: a tag, and ones. */
export const primitive = (type: IrType): bigint => (tagOf(type) << 47n) | PAYLOAD;
