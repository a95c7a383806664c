// Describes a compiled image as text: its bytes and its exits.

import { printLiteral } from "../../ir/text/literals.js";
import { TYPE_NAMES, typeNamed, Void } from "../../ir/types.js";
import { DECODED_PLACE, type DecodedExit, type DecodedLocation } from "./decode-exits.js";

const BYTES_PER_LINE = 16;

/** Returns the bytes as hexadecimal numbers, with the offset of each line. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE) {
    const hex = Array.from(bytes.subarray(at, at + BYTES_PER_LINE), (b) =>
      b.toString(16).padStart(2, "0"),
    );
    lines.push(`${at.toString(16).padStart(4, "0")}  ${hex.join(" ")}`);
  }
  return lines.join("\n");
}

/** Returns the lines of one exit: its procedure and frame, its leaves, and the slots of its frames. */
export function describeExit(record: DecodedExit): string[] {
  const { exit, procedure, snapshot, frameSize, saved, leaves, frames } = record;
  return [
    `exit ${exit}: procedure ${procedure}, s${snapshot}, frame of ${frameSize} bytes, saved registers [${saved.join(" ")}]`,
    `  leaves: ${leaves.map(describeLocation).join(", ")}`.trimEnd(),
    ...frames.map(({ name, point, slots }) =>
      `  ${name}@${point}: ${slots.map(describeLocation).join(", ")}`.trimEnd(),
    ),
  ];
}

const PLACE_NAMES = Object.keys(DECODED_PLACE);

export function describeLocation({ place, type, index, lo, hi, halves }: DecodedLocation): string {
  if (halves !== null) return `(${halves.map(describeLocation).join(" and ")})`;
  const name = TYPE_NAMES[type];
  if (place === DECODED_PLACE.dead) return "dead";
  if (place === DECODED_PLACE.constant)
    return `${name} ${printLiteral(typeNamed(name) ?? Void, lo, hi)}`;
  return `${name} ${PLACE_NAMES[place]} ${index}`;
}
