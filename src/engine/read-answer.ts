// Reads a file that a command of others has written; its path may have anything.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { ANSWER_MAX } from "./run-command.js";

/** @returns null if no file can be read; an error message if the file is unsuitable */
export function readAnswer(path: string): Buffer | string | null {
  let file: number;
  try {
    // A pipe without a writer must not block.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const info = fstatSync(file);
    if (!info.isFile()) return "its answer is no regular file";
    if (info.size > ANSWER_MAX) return `its answer has more than ${ANSWER_MAX} bytes`;
    const bytes = Buffer.alloc(info.size);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      read = readSync(file, bytes, size, bytes.length - size, size);
    }
    return bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
}
