// Exports a module as a WebAssembly binary. The binary contains its host functions, heap and event
// records (layout.ts, ../observation.ts). It exports the memory and `run`, which runs the entry on
// the arguments in memory.
//
// An execution that exits or fails ends in a trap; the status in memory distinguishes the cases.

import { cloneModule } from "../../ir/clone.js";
import { type HostFunction, isObservable, TAKEN_ADDRESS } from "../../ir/host-functions.js";
import { heapContents, type Input } from "../../ir/outcome.js";
import { Module, type Procedure } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, sizeOf, type Type, Void } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { GET_DEOPT_FLAG, hasCallCheck, SET_DEOPT_FLAG } from "../answers.js";
import { ByteWriter } from "../byte-writer.js";
import { expand } from "../expand.js";
import { PLAIN_FORM, type SourceForm } from "../forms.js";
import { type ResultVariable, variableOf } from "../further-results.js";
import { hostProcedure } from "../host-procedures.js";
import { EVENT, RETURN, returnRecordBytes } from "../observation.js";
import { remainderProcedure } from "../remainder.js";
import { ENDED, NO_ROOM } from "../status.js";
import { expandInForm } from "../word-pairs.js";
import { type InstructionsToHide, NOTHING_HIDDEN } from "./hidden.js";
import {
  NO_RESULT,
  parseSteps,
  resultOf,
  writeConstant,
  writeInstruction,
} from "./instructions.js";
import {
  DEOPT_FLAG,
  FURTHER,
  KEPT,
  KEPT_NOWHERE,
  layoutOf,
  type MemoryLayout,
  PAGE,
  RECORD_LIMIT,
  RECORD_NEXT,
  SHOWN,
  STATUS,
} from "./layout.js";
import type { ModuleIndices } from "./linked.js";
import { LACKING, loadOf, storeOf } from "./opcode-rows.js";
import { TYPES, typeCode } from "./value-types.js";
import { type FunctionRole, writeProcedure } from "./write-procedure.js";

interface WasmModule {
  readonly bytes: Uint8Array;
  readonly layout: MemoryLayout;
}

/**
 * Returns the binary. The module is not changed.
 * @param hidden instructions whose last operand must not be a visible constant
 */
export function exportWasm(
  module: Module,
  hidden: InstructionsToHide = NOTHING_HIDDEN,
  form: SourceForm = PLAIN_FORM,
): WasmModule {
  const copy = cloneModule(module);
  expandInForm(copy, LACKING, form);
  const writer = new ModuleWriter(copy, { hidden, form });
  return { bytes: writer.write(), layout: writer.layout };
}

/**
 * Returns a binary whose export `main` takes no arguments and runs the entry on this input. It
 * returns the bits of the result as an integer of the same width; 0 if there is no result. The
 * binary is for engines that can only call a function and print its result.
 */
export function exportWasmCall(module: Module, input: Input): Uint8Array {
  const copy = cloneModule(module);
  expand(copy, LACKING);
  return new ModuleWriter(copy, {}, { input, words: null, pages: CALL_PAGES }).write();
}

/**
 * Returns a binary for engines that can only call each export once, in order, and print its result.
 * The export `run` runs the entry on this input, `status` returns its status, and `size` the number
 * of record bytes. The exports `w0` to the last of `words` return eight bytes of the records each.
 * @param pages space for records, beyond the space that every module has
 */
export function exportWasmWithRecords(
  module: Module,
  input: Input,
  { words, pages }: { readonly words: number; readonly pages: number },
  form: SourceForm = PLAIN_FORM,
): Uint8Array {
  const copy = cloneModule(module);
  expandInForm(copy, LACKING, form);
  return new ModuleWriter(copy, { form }, { input, words, pages }).write();
}

/**
 * Returns a module for engines that run one export and have WASI, and cannot read the memory
 * afterwards. Its export `run` runs the entry on this input. At the end of the execution, also
 * before a trap, it writes to standard output. The output is the first HEAD_BYTES of the memory
 * (status, end and limit of the records), followed by the records.
 * @param pages space for records, beyond the space that every module has
 */
export function exportWasi(
  module: Module,
  input: Input,
  pages: number,
  form: SourceForm = PLAIN_FORM,
): { readonly bytes: Uint8Array; readonly layout: MemoryLayout } {
  const copy = cloneModule(module);
  expandInForm(copy, LACKING, form);
  const writer = new ModuleWriter(copy, { form }, { input, words: 0, pages, isWasi: true });
  return { bytes: writer.write(), layout: writer.layout };
}

/** The number of bytes that a module of `exportWasi` writes before the records. */
export const HEAD_BYTES = 12;

/** The way in which the same program is written. */
interface ModuleStyle {
  readonly hidden?: InstructionsToHide;
  readonly form?: SourceForm;
}

/** Contents of the binary besides the program. */
interface PresetContents {
  readonly input: Input;
  /** The number of exports that return records; null if the only export is `main`. */
  readonly words: number | null;
  /** Pages for records, beyond those that every module has. */
  readonly pages: number;
  /** The module writes its records with WASI. */
  readonly isWasi?: true;
}

interface FunctionRow {
  readonly name: string;
  readonly type: number;
  body: Uint8Array;
}

const STACK_POINTER = 0;
const NO_BODY = new Uint8Array(0);

class ModuleWriter implements ModuleIndices {
  readonly layout: MemoryLayout;
  readonly isFlagged: boolean;
  readonly hasCallCheck: boolean;
  readonly stackPointer = STACK_POINTER;
  readonly zero = ZERO;
  readonly hidden: InstructionsToHide;
  readonly form: SourceForm;
  readonly reserve: number;
  readonly leave: number | null;
  /** The number of imported functions; their indices come first. */
  private readonly importCount: number;
  private readonly module: Module;
  /** Type indices by the text of the type, in order. */
  private readonly types = new Map<string, number>();
  private readonly functions: FunctionRow[] = [];
  private readonly positions = new Map<Procedure, number>();
  /** Indices of the helpers that were requested, by name. */
  private readonly helpers = new Map<string, number>();
  /** The constants in globals, and the index of the first of these globals. */
  private readonly variables: [type: Type, lo: number, hi: number][] = [];
  private readonly firstVariable: number;
  /** The input in the binary; null if a driver writes inputs and reads records. */
  private readonly preset: PresetContents | null;

  constructor(
    module: Module,
    { hidden = NOTHING_HIDDEN, form = PLAIN_FORM }: ModuleStyle,
    preset: PresetContents | null = null,
  ) {
    this.module = module;
    this.preset = preset;
    this.hidden = hidden;
    this.form = form;
    this.firstVariable = ZERO + (hidden.size > 0 ? 1 : 0);
    const layout = layoutOf(module);
    this.layout = preset === null ? layout : { ...layout, pages: layout.pages + preset.pages };
    this.hasCallCheck = hasCallCheck(module);
    this.isFlagged = module.continuations.size > 0;
    module.procedures.forEach((proc, position) => {
      this.positions.set(proc, position);
      this.functions.push({ name: proc.name, type: this.typeOf(proc), body: NO_BODY });
    });
    this.importCount = preset?.isWasi === true ? 1 : 0;
    this.leave = this.importCount > 0 ? this.addRecordOutput(layout.records) : null;
    this.reserve = this.addHelper("reserve", [Int32], Int32, reserveText(leaveText(this.leave)));
  }

  write(): Uint8Array {
    for (const [proc, position] of this.positions) {
      this.functions[position].body = writeProcedure(
        proc,
        this,
        this.isFlagged ? "flagged" : "plain",
      );
    }
    const isMain = this.preset !== null && this.preset.words === null;
    const run = isMain
      ? this.addFunction("main", [], BITS_OF[this.module.entry.result], this.mainBody())
      : this.addFunction("run", [], Void, this.runBody());
    const shown = this.addRecordReaders();
    const out = new ByteWriter();
    out.append([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    this.writeSections(out, [[this.functions[run - this.importCount].name, run], ...shown]);
    return out.take().slice();
  }

  /** Adds the functions that return records, and returns them with the names of their exports. */
  private addRecordReaders(): [string, number][] {
    const words = this.preset?.words ?? null;
    if (words === null || this.leave !== null) return [];
    const { records } = this.layout;
    const show = (name: string, gives: Type, text: string): number =>
      this.addFunction(name, [], gives, bodyOfText(text, 0));
    const status = show("status", Int32, `i32.const 0 i32.load ${STATUS}`);
    const size = show(
      "size",
      Int32,
      `i32.const 0 i32.load ${RECORD_NEXT} i32.const ${records} i32.sub`,
    );
    const next = show(
      "next",
      Int64,
      `i32.const 0 i32.const 0 i32.load ${SHOWN} i32.const 8 i32.add i32.store ${SHOWN}
      i32.const 0 i32.load ${SHOWN} i64.load ${records - 8}`,
    );
    const each = Array.from({ length: words }, (_, w): [string, number] => [`w${w}`, next]);
    return [["status", status], ["size", size], ...each];
  }

  // Indices that function writers request.

  functionOf(proc: Procedure): number {
    return this.positionOf(proc) + this.importCount;
  }

  positionOf(proc: Procedure): number {
    const position = this.positions.get(proc);
    assert(position !== undefined, () => `wasm: ${proc.name} is not of the module`);
    return position;
  }

  /** The table contains every procedure at its position in the module. */
  tableIndex(proc: Procedure): number {
    return this.positionOf(proc);
  }

  typeOf({ parameters, result }: Procedure): number {
    const types = parameters.map(({ type }) => type);
    return this.typeIndex(this.isFlagged ? [...types, Int32] : types, result);
  }

  blockType(takes: readonly Type[], gives: readonly Type[]): number {
    if (takes.length > 0 || gives.length > 1) return this.typeIndex(takes, ...gives);
    return gives.length === 0 ? NO_RESULT : resultOf(typeCode(gives[0]));
  }

  isEntry(proc: Procedure): boolean {
    return proc === this.module.entry;
  }

  variableWith(...constant: [type: Type, lo: number, hi: number]): number {
    const same = this.variables.findIndex((known) =>
      known.every((part, p) => part === constant[p]),
    );
    if (same >= 0) return this.firstVariable + same;
    return this.firstVariable + this.variables.push(constant) - 1;
  }

  copier(): number {
    return this.helper("copy", [Int32, Int32, Int32], Void, () => bodyOfText(COPY, 0));
  }

  hostFunction(host: HostFunction): number {
    return this.helper(`host.${host.name}`, host.parameters, host.result, () => {
      if (host === SET_DEOPT_FLAG)
        return bodyOfText(`i32.const 0 local.get 0 i32.store ${DEOPT_FLAG}`, 0);
      if (host === GET_DEOPT_FLAG) return bodyOfText(`i32.const 0 i32.load ${DEOPT_FLAG}`, 0);
      const variable = variableOf(host);
      if (variable !== null) return bodyOfText(furtherText(variable, host), 0);
      if (host.kept !== null)
        return bodyOfText(`${this.eventRecord(host)} ${KEPT_CODE[host.kept]}`, 1);
      const record = isObservable(host) ? stepsOf(this.eventRecord(host)) : NO_BODY;
      return this.bodyOf(hostProcedure(host, this.layout.heapSize), "host", record);
    });
  }

  remainder(): number {
    const proc = remainderProcedure();
    const types = proc.parameters.map(({ type }) => type);
    return this.helper("remainder", types, proc.result, () => this.bodyOf(proc, "host", NO_BODY));
  }

  returnRecorder(result: Type): number {
    const takes = result === Void ? [Int32] : [result, Int32];
    return this.helper(`returned.${result}`, takes, Void, () => this.returnRecord(result));
  }

  continuationsOf(exit: number): readonly Procedure[] {
    return this.module.continuations.get(exit) ?? [];
  }

  private helper(
    name: string,
    takes: readonly Type[],
    gives: Type,
    makeBody: () => Uint8Array,
  ): number {
    const known = this.helpers.get(name);
    if (known !== undefined) return known;
    const index = this.addFunction(name, takes, gives, NO_BODY);
    this.helpers.set(name, index);
    this.functions[index - this.importCount].body = makeBody();
    return index;
  }

  private addFunction(name: string, takes: readonly Type[], gives: Type, body: Uint8Array): number {
    this.functions.push({ name, type: this.typeIndex(takes, gives), body });
    return this.functions.length - 1 + this.importCount;
  }

  /** Adds the function that writes the head and the records. */
  private addRecordOutput(records: number): number {
    const send = this.addFunction("send", [Int32, Int32], Void, bodyOfText(WRITE_OUTPUT, 0));
    this.typeIndex(FD_WRITE.takes, FD_WRITE.gives);
    const text = `i32.const 0 i32.const ${HEAD_BYTES} call ${send}
      i32.const ${records} i32.const 0 i32.load ${RECORD_NEXT} i32.const ${records} i32.sub call ${send}`;
    return this.addFunction("leave", [], Void, bodyOfText(text, 0));
  }

  private addHelper(name: string, takes: readonly Type[], gives: Type, text: string): number {
    return this.addFunction(name, takes, gives, bodyOfText(text, 1));
  }

  private typeIndex(takes: readonly Type[], ...gives: readonly Type[]): number {
    const key = [...takes, ":", ...gives].join(" ");
    const known = this.types.get(key);
    if (known !== undefined) return known;
    const index = this.types.size;
    this.types.set(key, index);
    return index;
  }

  // Bodies of functions other than the module's procedures.

  private bodyOf(proc: Procedure, role: FunctionRole, before: Uint8Array): Uint8Array {
    const alone = new Module();
    alone.procedures.push(proc);
    expand(alone, LACKING);
    return writeProcedure(proc, this, role, before);
  }

  /** Returns instructions that record a call with its arguments. */
  private eventRecord({ index, parameters, kept }: HostFunction): string {
    const bytes = parameters.reduce((sum, type) => sum + sizeOf(type), 2 * 4);
    const record = parameters.length; // the first local after the arguments
    let text = `i32.const ${bytes} call ${this.reserve} local.tee ${record} i32.const ${EVENT} i32.store
      local.get ${record} i32.const ${index} i32.store 4 `;
    let at = 8;
    parameters.forEach((type, p) => {
      const isTaken = kept === "takes" && p === TAKEN_ADDRESS;
      const shown = isTaken ? "i64.const 0" : `local.get ${p}`;
      text += `local.get ${record} ${shown} ${storeOf(type)} ${at} `;
      at += sizeOf(type);
    });
    return text;
  }

  private returnRecord(result: Type): Uint8Array {
    const { heap, heapSize } = this.layout;
    const bytes = returnRecordBytes(result);
    const position = result === Void ? 0 : 1;
    const record = position + 1;
    const shown = result === Void ? "" : `local.get ${record} local.get 0 ${storeOf(result)} 8`;
    return bodyOfText(
      `i32.const ${bytes + heapSize} call ${this.reserve} local.tee ${record} i32.const ${RETURN} i32.store
      local.get ${record} local.get ${position} i32.store 4 ${shown}
      local.get ${record} i32.const ${bytes} i32.add i32.const ${heap} i32.const ${heapSize} call ${this.copier()}`,
      1,
    );
  }

  private runBody(): Uint8Array {
    const { entry } = this.module;
    return bodyOfText(
      `${this.callOfEntry()}
      i32.const ${this.positionOf(entry)} call ${this.returnRecorder(entry.result)}
      i32.const ${STATUS} i32.const ${ENDED} i32.store ${leaveText(this.leave)}`,
      0,
    );
  }

  /** Returns the body of `main`, which writes no records. */
  private mainBody(): Uint8Array {
    const { result } = this.module.entry;
    return bodyOfText(`${this.callOfEntry()} ${SHOW_BITS[result]}`, 0);
  }

  private callOfEntry(): string {
    const { entry } = this.module;
    const { layout } = this;
    const args = entry.parameters.map(
      ({ type }, p) => `i32.const 0 ${loadOf(type)} ${layout.arguments + 8 * p}`,
    );
    const flag = this.isFlagged ? "i32.const 0" : "";
    const forgets = this.helpers.has("host.keepSlot") ? CLEAR_KEPT : "";
    return `${forgets} i32.const ${layout.stackTop} global.set ${STACK_POINTER}
      ${args.join(" ")} ${flag} call ${this.functionOf(entry)}`;
  }

  // Sections, in the order of the format.

  private writeSections(out: ByteWriter, exported: readonly (readonly [string, number])[]): void {
    const { functions, layout } = this;
    const section = (id: number, count: number, write: (inner: ByteWriter) => void): void => {
      out.byte(id);
      out.sized((inner) => {
        inner.unsigned(count);
        write(inner);
      });
    };
    section(TYPE_SECTION, this.types.size, (inner) => this.writeTypes(inner));
    if (this.importCount > 0) {
      section(IMPORT_SECTION, 1, (inner) => {
        inner.text(FD_WRITE.module);
        inner.text(FD_WRITE.name);
        inner.byte(FUNCTION_KIND);
        inner.unsigned(this.typeIndex(FD_WRITE.takes, FD_WRITE.gives));
      });
    }
    section(FUNCTION_SECTION, functions.length, (inner) => {
      for (const { type } of functions) inner.unsigned(type);
    });
    const count = this.positions.size;
    section(TABLE_SECTION, 1, (inner) => {
      inner.append([FUNCTION_REFERENCE, BOTH_LIMITS]);
      inner.unsigned(count);
      inner.unsigned(count);
    });
    section(MEMORY_SECTION, 1, (inner) => {
      inner.byte(NO_LIMIT);
      inner.unsigned(layout.pages);
    });
    const globals = [layout.stackTop, ...EXPORTED.map((name) => layout[name])];
    const isHiding = this.hidden.size > 0;
    section(GLOBAL_SECTION, this.firstVariable + this.variables.length, (inner) => {
      globals.forEach((value, g) => {
        inner.append([typeCode(Int32), g === STACK_POINTER ? MUTABLE : CONSTANT]);
        writeInstruction(inner, "i32.const", value);
        writeInstruction(inner, "end");
      });
      const variables = isHiding ? [HIDING, ...this.variables] : this.variables;
      for (const [type, lo, hi] of variables) {
        inner.append([typeCode(type), MUTABLE]);
        writeConstant(inner, TYPES[type].name, lo, hi);
        writeInstruction(inner, "end");
      }
    });
    section(EXPORT_SECTION, EXPORTED.length + exported.length + 1, (inner) => {
      const entry = (name: string, kind: number, index: number): void => {
        inner.text(name);
        inner.byte(kind);
        inner.unsigned(index);
      };
      for (const [name, index] of exported) entry(name, FUNCTION_KIND, index);
      entry("memory", MEMORY_KIND, 0);
      EXPORTED.forEach((name, g) => {
        entry(name, GLOBAL_KIND, STACK_POINTER + 1 + g);
      });
    });
    section(ELEMENT_SECTION, 1, (inner) => this.writeElements(inner));
    section(CODE_SECTION, functions.length, (inner) => {
      for (const { body } of functions) {
        inner.unsigned(body.length);
        inner.append(body);
      }
    });
    const { preset } = this;
    if (preset !== null) {
      const data = dataOf(preset.input, layout);
      section(DATA_SECTION, data.length, (inner) => {
        for (const [address, bytes] of data) {
          inner.unsigned(0);
          writeInstruction(inner, "i32.const", address);
          writeInstruction(inner, "end");
          inner.unsigned(bytes.length);
          inner.append(bytes);
        }
      });
    }
    this.writeNames(out);
  }

  /** Writes the table of all procedures. */
  private writeElements(out: ByteWriter): void {
    out.unsigned(0);
    writeInstruction(out, "i32.const", 0);
    writeInstruction(out, "end");
    out.unsigned(this.positions.size);
    for (let f = 0; f < this.positions.size; f++) out.unsigned(f + this.importCount);
  }

  private writeTypes(out: ByteWriter): void {
    for (const key of this.types.keys()) {
      const [takes, gives] = key
        .split(":")
        .map((part) => part.split(" ").filter((word) => word !== ""));
      out.byte(FUNCTION_TYPE);
      for (const part of [takes, gives.filter((word) => Number(word) !== Void)]) {
        out.unsigned(part.length);
        // typeIndex made the key from types, so each word is a type.
        for (const word of part) out.byte(typeCode(Number(word) as Type));
      }
    }
  }

  /** Writes the names of functions, for readers of the binary as text. */
  private writeNames(out: ByteWriter): void {
    out.byte(CUSTOM_SECTION);
    out.sized((inner) => {
      inner.text("name");
      inner.byte(FUNCTION_NAMES);
      inner.sized((names) => {
        names.unsigned(this.functions.length);
        this.functions.forEach(({ name }, index) => {
          names.unsigned(index + this.importCount);
          names.text(name);
        });
      });
    });
  }
}

/** Pages for the records of one execution; no execution needs more. */
export const CALL_PAGES = 1024;

/** The integer type with the width of each result type, and the conversion to it. */
const BITS_OF = {
  [Void]: Int32,
  [Int32]: Int32,
  [Int64]: Int64,
  [Float]: Int32,
  [Double]: Int64,
} as const;
const SHOW_BITS = {
  [Void]: "i32.const 0",
  [Int32]: "",
  [Int64]: "",
  [Float]: "i32.reinterpret_f32",
  [Double]: "i64.reinterpret_f64",
} as const;

/**
 * Returns the initial contents of the memory with their addresses: the position of records,
 * arguments and heap.
 */
function dataOf({ words, heapSeed }: Input, layout: MemoryLayout): [number, Uint8Array][] {
  const args = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  const heap = new Uint8Array(heapSeed === 0 ? 0 : layout.heapSize);
  heapContents(heap, heapSeed);
  const records = Int32Array.of(layout.records, layout.pages * PAGE);
  return [
    [RECORD_NEXT, new Uint8Array(records.buffer)], // also sets RECORD_LIMIT
    [layout.arguments, args],
    [layout.heap, heap],
  ];
}

/** Addresses that a driver needs, exported as globals of the same names. */
const EXPORTED = ["arguments", "heap", "heapSize", "records"] as const;
/** The global that is 0, with its type and the words of its value. */
const HIDING = [Int64, 0, 0] as const;
/** Its index; it exists only if instructions are hidden. */
const ZERO = STACK_POINTER + 1 + EXPORTED.length;

const CUSTOM_SECTION = 0;
const TYPE_SECTION = 1;
const IMPORT_SECTION = 2;
const FUNCTION_SECTION = 3;
const TABLE_SECTION = 4;
const MEMORY_SECTION = 5;
const GLOBAL_SECTION = 6;
const EXPORT_SECTION = 7;
const ELEMENT_SECTION = 9;
const CODE_SECTION = 10;
const DATA_SECTION = 11;
const FUNCTION_NAMES = 1;
const FUNCTION_TYPE = 0x60;
const FUNCTION_REFERENCE = 0x70;
const NO_LIMIT = 0;
const BOTH_LIMITS = 1;
const CONSTANT = 0;
const MUTABLE = 1;
const FUNCTION_KIND = 0;
const MEMORY_KIND = 2;
const GLOBAL_KIND = 3;

const leaveText = (leave: number | null): string => (leave === null ? "" : `call ${leave}`);

/** The only import of a module that writes its records. */
const FD_WRITE = {
  module: "wasi_snapshot_preview1",
  name: "fd_write",
  takes: [Int32, Int32, Int32, Int32],
  gives: Int32,
} as const;
const STANDARD_OUTPUT = 1;
/** The function index of the import. */
const IMPORTED_WRITE = 0;
/**
 * The list with the one buffer to write, and the count of written bytes. They reuse the space of
 * kept addresses, which is free after the execution.
 */
const BUFFER = KEPT;
const WRITTEN = KEPT + 8;

/**
 * Writes as many bytes as the second argument requires, from the address in the first. It repeats
 * the call until all are written.
 */
const WRITE_OUTPUT = `
  block local.get 1 i32.eqz br_if 0 loop
    i32.const 0 local.get 0 i32.store ${BUFFER} i32.const 0 local.get 1 i32.store ${BUFFER + 4}
    i32.const ${STANDARD_OUTPUT} i32.const ${BUFFER} i32.const 1 i32.const ${WRITTEN} call ${IMPORTED_WRITE}
    if unreachable end
    local.get 0 i32.const 0 i32.load ${WRITTEN} i32.add local.set 0
    local.get 1 i32.const 0 i32.load ${WRITTEN} i32.sub local.tee 1 br_if 0
  end end`;

/** Copies eight bytes at a time, then single ones: an old engine has no instruction for it. */
const COPY = `
  block local.get 2 i32.const 8 i32.lt_u br_if 0 loop
    local.get 0 local.get 1 i64.load 0 i64.store 0
    local.get 0 i32.const 8 i32.add local.set 0 local.get 1 i32.const 8 i32.add local.set 1
    local.get 2 i32.const 8 i32.sub local.tee 2 i32.const 7 i32.gt_u br_if 0
  end end
  block local.get 2 i32.eqz br_if 0 loop
    local.get 0 local.get 1 i32.load8_u 0 i32.store8 0
    local.get 0 i32.const 1 i32.add local.set 0 local.get 1 i32.const 1 i32.add local.set 1
    local.get 2 i32.const 1 i32.sub local.tee 2 br_if 0
  end end`;

/** Takes a number of bytes and returns the address of reserved space, or ends the execution. */
const reserveText = (leaving: string): string => `
  i32.const 0 i32.load ${RECORD_NEXT} local.get 0 i32.add local.tee 1
  i32.const 0 i32.load ${RECORD_LIMIT} i32.gt_u
  if i32.const ${STATUS} i32.const ${NO_ROOM} i32.store ${leaving} unreachable end
  i32.const ${RECORD_NEXT} local.get 1 i32.store
  local.get 1 local.get 0 i32.sub`;

/** The location of the kept address with the number in the first argument, and then the address. */
const KEPT_PLACE = "local.get 0 i32.const 3 i32.and i32.const 2 i32.shl";
const KEPT_ADDRESS = `${KEPT_PLACE} i32.load ${KEPT}`;
function furtherText(variable: ResultVariable, host: HostFunction): string {
  const at = FURTHER + 8 * (variable.number - 1);
  const type = TYPES[variable.type].name;
  const read = `i32.const 0 ${type}.load ${at}`;
  return host === variable.take ? read : `i32.const 0 local.get 0 ${type}.store ${at}`;
}

/**
 * Bodies of the host functions that keep addresses, by class. They follow the record of the call;
 * the first local after the arguments is free.
 */
const KEPT_CODE = {
  takes: `${KEPT_PLACE} local.get 1 i32.wrap_i64 i32.store ${KEPT}`,
  drops: `${KEPT_PLACE} i32.const 0 i32.store ${KEPT}`,
  reads: `${KEPT_ADDRESS} local.tee 1 i64.load 0 i64.const 0 local.get 1 select`,
  writes: `${KEPT_ADDRESS} local.tee 2 i32.const ${KEPT_NOWHERE} local.get 2 select local.get 1 i64.store 0`,
} as const;
const CLEAR_KEPT = `i32.const 0 i64.const 0 i64.store ${KEPT} i32.const 0 i64.const 0 i64.store ${KEPT + 8}`;

function stepsOf(text: string): Uint8Array {
  const out = new ByteWriter();
  for (const { name, immediate } of parseSteps(text)) writeInstruction(out, name, immediate);
  return out.take();
}

/** Returns a complete function body; `words` is the number of its 32-bit locals. */
function bodyOfText(text: string, words: number): Uint8Array {
  const out = new ByteWriter();
  if (words === 0) out.unsigned(0);
  else {
    out.unsigned(1);
    out.unsigned(words);
    out.byte(typeCode(Int32));
  }
  out.append(stepsOf(text));
  writeInstruction(out, "end");
  return out.take();
}
