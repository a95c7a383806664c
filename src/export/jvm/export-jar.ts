// Exports modules as one jar. Like the main program in C, its main class reads executions from
// standard input and writes their records (../observation.ts).

import { crc32 } from "node:zlib";
import type { Module } from "../../ir/procedure.js";
import { isWide, Void } from "../../ir/types.js";
import { ByteWriter } from "../byte-writer.js";
import { LinkedProgram } from "../linked-program.js";
import { assemble } from "./assemble.js";
import { LACKING, RUNTIME } from "./opcode-rows.js";
import { CLASSES } from "./runtime.js";
import {
  argumentsOf,
  descriptorOf,
  LETTERS,
  PROGRAM,
  recordOfReturn,
  writeDispatchers,
  writeHost,
  writeProcedure,
} from "./write-procedure.js";

const MANIFEST = "Manifest-Version: 1.0\nMain-Class: touchstone.Main\n";

/** The assembled classes that each jar has. */
let shared: readonly (readonly [name: string, contents: Uint8Array])[] | null = null;

/**
 * Returns the bytes of the jar. Executions name programs by their positions. The modules are not
 * changed.
 * @param change changes the text of each program, for a control
 * @throws ExportRefusal if a program exceeds a limit of class files
 */
export function exportJar(
  modules: readonly Module[],
  change: (text: string) => string = (text) => text,
): Uint8Array {
  shared ??= CLASSES.map(([name, text]) => [`${name}.class`, assemble(text)] as const);
  const programs = modules.map(
    (module, p) => [String(p), assemble(change(textOf(module)))] as const,
  );
  return jarOf([["META-INF/MANIFEST.MF", Buffer.from(MANIFEST)], ...shared, ...programs]);
}

export function textOf(module: Module): string {
  const names = new LinkedProgram(module, "", { lacking: LACKING, writeHost });
  const { procedures } = names.module;
  const bodies = procedures.map((proc) => writeProcedure(proc, names));
  return `class ${PROGRAM} extends java/lang/Object implements java/lang/Runnable
field public static final heap [B
method static <clinit> ()V
int ${names.heapSize} invokestatic ${RUNTIME}.newHeap (I)[B putstatic ${PROGRAM}.heap [B return
method public <init> ()V
aload 0 invokespecial java/lang/Object.<init> ()V return
${runOf(names)}${bodies.join("")}${names.writtenHosts.join("")}${writeDispatchers(names)}`;
}

/** Returns the method that calls the entry with the words of an input. */
function runOf(names: LinkedProgram): string {
  const { entry } = names.module;
  const args = argumentsOf(entry);
  if (names.isFlagged) args.push("int 0");
  const { result } = entry;
  const record = isWide(result) ? 3 : 2;
  return `method public run ()V
${args.join("\n")}
invokestatic ${PROGRAM}.${names.functionOf(entry)} ${descriptorOf(entry, names.isFlagged)}
${result === Void ? "" : `${LETTERS[result]}store 1`}
${recordOfReturn(entry, names, 1, record).join("\n")}
return
`;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 10;
/** The first date that the format has. */
const DATE = 0x0021;

/** @param files contents by name, in the order of the archive */
function jarOf(files: readonly (readonly [name: string, contents: Uint8Array])[]): Uint8Array {
  const out = new ByteWriter();
  const directory = new ByteWriter();
  const word16 = (to: ByteWriter, value: number): void => to.append([value & 255, value >>> 8]);
  for (const [name, contents] of files) {
    const at = out.length;
    const nameBytes = new TextEncoder().encode(name);
    /** Writes the fields that both headers have. */
    const shared = (to: ByteWriter): void => {
      for (const value of [VERSION, 0, 0, 0, DATE]) word16(to, value);
      for (const value of [crc32(contents), contents.length, contents.length]) to.word(value);
      word16(to, nameBytes.length);
      word16(to, 0);
    };
    out.word(LOCAL);
    shared(out);
    out.append(nameBytes);
    out.append(contents);
    directory.word(CENTRAL);
    word16(directory, VERSION);
    shared(directory);
    for (const value of [0, 0, 0, 0, 0]) word16(directory, value);
    directory.word(at);
    directory.append(nameBytes);
  }
  const start = out.length;
  out.append(directory.take());
  out.word(END);
  for (const value of [0, 0, files.length, files.length]) word16(out, value);
  out.word(directory.length);
  out.word(start);
  word16(out, 0);
  return out.take().slice();
}
