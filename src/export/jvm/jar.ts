// Writes a jar: a ZIP archive of files that are not compressed.

import { crc32 } from "node:zlib";
import { ByteWriter } from "../byte-writer.js";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 10;
/** The first date that the format has. */
const DATE = 0x0021;

/** @param files contents by name, in the order of the archive */
export function jarOf(
  files: readonly (readonly [name: string, contents: Uint8Array])[],
): Uint8Array {
  const out = new ByteWriter();
  const directory = new ByteWriter();
  const half = (to: ByteWriter, value: number): void => to.append([value & 255, value >>> 8]);
  for (const [name, contents] of files) {
    const at = out.length;
    const named = new TextEncoder().encode(name);
    /** Writes the fields that both headers have. */
    const shared = (to: ByteWriter): void => {
      for (const value of [VERSION, 0, 0, 0, DATE]) half(to, value);
      for (const value of [crc32(contents), contents.length, contents.length]) to.word(value);
      half(to, named.length);
      half(to, 0);
    };
    out.word(LOCAL);
    shared(out);
    out.append(named);
    out.append(contents);
    directory.word(CENTRAL);
    half(directory, VERSION);
    shared(directory);
    for (const value of [0, 0, 0, 0, 0]) half(directory, value);
    directory.word(at);
    directory.append(named);
  }
  const start = out.length;
  out.append(directory.take());
  out.word(END);
  for (const value of [0, 0, files.length, files.length]) half(out, value);
  out.word(directory.length);
  out.word(start);
  half(out, 0);
  return out.take().slice();
}
