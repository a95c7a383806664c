// Keeps the kinds of patchpoints that a user defines (src/library/patchpoints.ts). All tables of kinds are made when
// their modules are loaded, so a kind must be defined before. The registry is global: the bundle of the command has
// its own copy of this module.

import type { PatchpointRow } from "./patchpoint-row.js";

/** The code of a kind for one target; its assembler is that of the target. */
type UserCode = (asm: never, operands: never) => void;

/** The bits of an operand: a bigint for Int64 and Double, a number for Int32 and Float, each signed. */
type OperandBits = number | bigint;

/** The memory at the address in the first operand: the bytes that the kind accesses, as a signed integer. */
export interface OperandMemory {
  read(): bigint;
  /** Overwrites these bytes with the low bits of the value. */
  write(value: bigint): undefined;
}

/** The meaning of a kind: the result's bits; null: the guard exits; undefined: there is no result. */
export type PatchpointMeaning = (
  ...operands: (OperandBits | OperandMemory)[]
) => OperandBits | null | undefined;

export interface UserPatchpoint extends PatchpointRow {
  readonly name: string;
  readonly meaning: PatchpointMeaning;
  readonly x64: UserCode;
  readonly arm64: UserCode;
  /** The kind in opcodes of the language, with x, y, z, w for the operands; null: programs with it are not exported. */
  readonly expansion: string | null;
}

interface Registry {
  readonly kinds: UserPatchpoint[];
  isClosed: boolean;
}

const KEY = Symbol.for("touchstone.patchpoints");
const globals = globalThis as { [KEY]?: Registry };

function registry(): Registry {
  globals[KEY] ??= { kinds: [], isClosed: false };
  return globals[KEY];
}

/** Adds a kind. Throws if the tables exist already. */
export function addUserPatchpoint(kind: UserPatchpoint): void {
  const { kinds, isClosed } = registry();
  if (isClosed) {
    throw new TypeError(
      `definePatchpoint: '${kind.name}' comes too late; import the module that defines it before "touchstone"`,
    );
  }
  kinds.push(kind);
}

/** Returns the defined kinds, and ends their definition. */
export function userPatchpoints(): readonly UserPatchpoint[] {
  const own = registry();
  own.isClosed = true;
  return own.kinds;
}
