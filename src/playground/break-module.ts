// Changes one instruction of an exported module. A fuzzer must find such an engine.

import { BinaryReader, type IOperatorInformation, OperatorCodeNames } from "wasmparser";

/** The state of the reader after an instruction; its enumeration has no values at run time. */
const AT_INSTRUCTION = 30;

/**
 * Replacements, with the same operands and result. Sums and differences of integers are left out: they
 * compute the addresses of records and count loops, so smaller programs would not end.
 */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ...["i32", "i64"].flatMap((type): [string, string][] => [
    [`${type}.mul`, `${type}.add`],
    [`${type}.and`, `${type}.or`],
    [`${type}.or`, `${type}.xor`],
    [`${type}.xor`, `${type}.or`],
    [`${type}.shl`, `${type}.shr_u`],
    [`${type}.shr_s`, `${type}.shr_u`],
    [`${type}.shr_u`, `${type}.shr_s`],
  ]),
  ...["f32", "f64"].flatMap((type): [string, string][] => [
    [`${type}.add`, `${type}.sub`],
    [`${type}.sub`, `${type}.add`],
  ]),
]);

/** Returns the module with its first replaceable instruction replaced; null if it has none. */
export function breakModule(bytes: Uint8Array): Uint8Array | null {
  const reader = new BinaryReader();
  reader.setData(bytes.slice().buffer, 0, bytes.length);
  while (reader.read()) {
    if ((reader.state as number) !== AT_INSTRUCTION) continue;
    // The state determines the type of the result.
    const { code } = reader.result as IOperatorInformation;
    const replacement = REPLACED.get(OperatorCodeNames[code] ?? "");
    if (replacement === undefined) continue;
    const broken = bytes.slice();
    broken[reader.position - 1] = OperatorCodeNames.indexOf(replacement); // they have no immediates
    return broken;
  }
  return null;
}
