// Writes the program of the native child as an ELF file in memory, so that nothing has to be
// installed or compiled.

import { PAGE_SIZE } from "../machine/guest.js";
import { GATES_ADDRESS, PROGRAM_SIZE } from "./host-layout.js";

const EXECUTABLE = 2;
const X86_64 = 62;
const LOAD = 1;
const READ_AND_EXECUTE = 5;
const FILE_HEADER_SIZE = 64;
const SEGMENT_HEADER_SIZE = 56;

/** @param program code whose first byte is the entry of the process */
export function elfImage(gates: Uint8Array, program: Uint8Array, address: number): Uint8Array {
  const segments = [
    { bytes: gates, address: GATES_ADDRESS },
    { bytes: program, address },
  ];
  const image = new Uint8Array(PAGE_SIZE + gates.length + PROGRAM_SIZE);
  const view = new DataView(image.buffer);
  // Elf64_Ehdr: magic, 64 bits, little-endian, version
  image.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint32(16, EXECUTABLE | (X86_64 << 16), true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, BigInt(address), true);
  view.setBigUint64(32, BigInt(FILE_HEADER_SIZE), true);
  view.setUint16(52, FILE_HEADER_SIZE, true);
  view.setUint16(54, SEGMENT_HEADER_SIZE, true);
  view.setUint16(56, segments.length, true);
  let offset = PAGE_SIZE;
  segments.forEach(({ bytes, address: place }, i) => {
    // Elf64_Phdr: readable and executable
    const at = FILE_HEADER_SIZE + SEGMENT_HEADER_SIZE * i;
    view.setUint32(at, LOAD, true);
    view.setUint32(at + 4, READ_AND_EXECUTE, true);
    const words = [offset, place, place, bytes.length, bytes.length, PAGE_SIZE];
    words.forEach((word, k) => view.setBigUint64(at + 8 + 8 * k, BigInt(word), true));
    image.set(bytes, offset);
    offset += bytes.length;
  });
  return image;
}
