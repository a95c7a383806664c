// Writes one procedure of the language as one function of LLVM IR, with values, blocks and phis. An
// address in a stack slot is its distance from the slot's start, since each access belongs to one
// slot.

import { FENCES } from "../../ir/fences.js";
import { type HostFunction, isObservable, TAKEN_ADDRESS } from "../../ir/host-functions.js";
import {
  CONSTANT,
  EFFECTS,
  nameOfOpcode,
  Op,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import { HEAP_BASE } from "../../ir/outcome.js";
import {
  type BasicBlock,
  type FrameSlot,
  type Procedure,
  parameterTypeFor,
  reachedProcedures,
  type Snapshot,
  type Value,
} from "../../ir/procedure.js";
import { Int64, isInteger, Void } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { hasFormatBody, SET_DEOPT_FLAG } from "../answers.js";
import { LATE_SHARE, PLAIN_FORM, type SourceForm } from "../forms.js";
import { variablesOf } from "../further-results.js";
import { type ExitBlocks, leaveByBlocks } from "../leave-by-blocks.js";
import { type LinkedProgram, mustNotInline } from "../linked-program.js";
import {
  EVENT,
  EXIT,
  eventParts,
  eventRecordBytes,
  exitParts,
  exitRecordBytes,
  RETURN,
  type RecordPart,
  returnRecordBytes,
} from "../observation.js";
import { addressSlots, NO_SLOT } from "../slots.js";
import { ENDED, OOPS } from "../status.js";
import { FactText, type MetadataNodes, PLAIN_ADDRESSING } from "./fact-text.js";
import { FunctionText } from "./function-text.js";
import { LLVM_TYPES, literal, NARROW, rowOf } from "./opcode-rows.js";
import { type HeldValue, PhiMerge, readPhis } from "./phis.js";

/** @param proc an expanded procedure, which is changed in place */
export function writeProcedure(
  proc: Procedure,
  linked: LinkedProgram,
  metadata: MetadataNodes,
  form: SourceForm,
): string {
  const facts = linked.factsOf(proc);
  const texts = facts === null ? null : new FactText(facts, metadata);
  const writer = new ProcedureWriter(proc, linked, linked.isFlagged, texts, form);
  const attribute = form.has("inline-calls")
    ? "inlinehint "
    : form.has("noinline-calls")
      ? "noinline "
      : "";
  const text = writer.write(() => {}, attribute);
  const linkage = form.has("extern-calls") ? text.replace("define internal", "define") : text;
  return [...writer.lateConstants.values(), linkage].join("");
}

export function writeHost(host: HostFunction, proc: Procedure, linked: LinkedProgram): string {
  const attribute = mustNotInline(proc) ? "noinline " : "";
  return new ProcedureWriter(proc, linked, false, null, PLAIN_FORM).write((text) => {
    if (isObservable(host)) recordEvent(text, host, proc);
    if (hasFormatBody(host)) writeOwnCall(text, host, proc);
  }, attribute);
}

const FLAG = "%flag";
const FENCE_LINES = {
  loads: "fence acquire",
  stores: "fence release",
  all: "fence seq_cst",
} as const;

class ProcedureWriter {
  private readonly proc: Procedure;
  private readonly linked: LinkedProgram;
  private readonly isFlagged: boolean;
  private readonly exits: ExitBlocks;
  private readonly slotOfAddress: Int32Array;
  private readonly held: ReadonlyMap<Value, HeldValue>;
  private readonly merges: ReadonlyMap<BasicBlock, readonly PhiMerge[]>;
  private readonly text = new FunctionText();
  private readonly facts: FactText | null;
  private readonly form: SourceForm;
  /** The definitions of constants in variables, by name. */
  readonly lateConstants = new Map<string, string>();

  /**
   * @param isFlagged see LinkedProgram
   * @param facts the stated facts; null for none
   */
  constructor(
    proc: Procedure,
    linked: LinkedProgram,
    isFlagged: boolean,
    facts: FactText | null,
    form: SourceForm,
  ) {
    this.facts = facts;
    this.form = form;
    this.proc = proc;
    this.linked = linked;
    this.isFlagged = isFlagged;
    this.exits = leaveByBlocks(proc, linked.setsDeoptFlag(proc));
    this.slotOfAddress = addressSlots(proc);
    const { held, merges } = readPhis(proc);
    this.held = held;
    this.merges = merges;
  }

  /**
   * Returns the text of the function.
   * @param before writes the first instructions
   * @param attributes attributes of the function, each followed by a space
   */
  write(before: (text: FunctionText) => void, attributes = ""): string {
    const { proc, text } = this;
    const gives = this.facts?.ofResult(proc) ?? "";
    const takes = proc.parameters.map((parameter) => {
      const { id, type } = parameter;
      return `${LLVM_TYPES[type]}${this.facts?.ofParameter(parameter) ?? ""} %v${id}`;
    });
    if (this.isFlagged) takes.push(`i32 ${FLAG}`);
    for (const { id, size } of proc.slots) {
      text.line(`%slot${id} = alloca [${size} x i8], align 8`);
      // LLVM would split a store of the whole array into one store per byte.
      text.line(`call void @llvm.memset.p0.i64(ptr %slot${id}, i8 0, i64 ${size}, i1 false)`);
    }
    before(text);
    text.line(`br label ${labelOf(proc.blocks[0])}`);
    for (const block of proc.blocks) this.writeBlock(block);
    const name = this.linked.functionOf(proc);
    const body = `entry:\n${text.lines.join("\n")}\n`;
    const head = `${gives}${LLVM_TYPES[proc.result]} @${name}(${takes.join(", ")})`;
    const stated = this.facts?.attributes ?? "";
    return `define internal ${head} ${attributes}${stated}{\n${body}}\n`;
  }

  private writeBlock(block: BasicBlock): void {
    this.text.label(`L${block.id}`);
    for (const merge of this.merges.get(block) ?? []) this.writeMerge(merge);
    this.facts?.beginBlock(this.text, block);
    for (const value of block.values) if (value !== block.last) this.writeValue(value);
    this.writeLast(block);
  }

  private writeMerge(merge: PhiMerge): void {
    const { type } = merge.phi;
    const operands = merge.operands.map(({ from, held }) => {
      const label = from === "entry" ? "%entry" : labelOf(from);
      return `[ ${this.nameOfHeld(held, merge.phi)}, ${label} ]`;
    });
    this.text.line(`${nameOfMerge(merge)} = phi ${LLVM_TYPES[type]} ${operands.join(", ")}`);
  }

  private writeValue(value: Value): void {
    const { opcode, id, type, a } = value;
    const effects = EFFECTS[opcode];
    if (opcode === Op.Nop || opcode === Op.Identity || (effects & CONSTANT) !== 0) return;
    if (opcode === Op.Upsilon) return; // see phis.ts
    if (opcode === Op.Phi) this.facts?.assume(this.text, value, this.operand(value));
    else if ((effects & WRITES_MEMORY) !== 0) this.writeStore(value);
    else if ((effects & READS_MEMORY) !== 0) this.writeLoad(value);
    else if (opcode === Op.Fence) this.text.line(FENCE_LINES[FENCES[value.fenceKind].name]);
    else if (opcode === Op.CopyBytes || opcode === Op.FillBytes) this.writeBulk(value);
    else if (opcode === Op.CCall || opcode === Op.CallIndirect) {
      const call = this.call(value);
      this.text.line(type === Void ? call : `%v${id} = ${call}${this.facts?.ofCall(value) ?? ""}`);
    } else {
      const operands = [a, value.b, value.c].flatMap((operand) =>
        operand === null ? [] : [this.lateConstant(operand) ?? this.operand(operand)],
      );
      const row = rowOf(opcode, a?.type ?? Void, type);
      this.text.steps(`%v${id}`, this.facts?.stepsOf(value, row) ?? row, operands);
      this.facts?.assumeSame(this.text, value);
    }
  }

  private operand(value: Value): string {
    const { opcode, type, procedure, a } = value;
    if (opcode === Op.Identity && a !== null) return this.operand(a);
    const held = this.held.get(value);
    if (held !== undefined) return this.nameOfHeld(held, value);
    if ((EFFECTS[opcode] & CONSTANT) === 0) return `%v${value.id}`;
    if (opcode === Op.SlotBase) return "0";
    if (opcode === Op.FunctionAddress && procedure !== null) {
      return `ptrtoint (ptr @${this.linked.functionOf(procedure)} to i64)`;
    }
    return literal(type, value.constantLow, value.constantHigh);
  }

  /** Loads an operand that the form puts into a variable; null for other operands. */
  private lateConstant(value: Value): string | null {
    const { isConstant, type, id } = value;
    if (!this.form.has("late-constants") || !isConstant || !isInteger(type)) return null;
    if (id % LATE_SHARE !== 0) return null;
    const name = `@${this.linked.functionOf(this.proc)}_k${id}`;
    const constant = literal(type, value.constantLow, value.constantHigh);
    const variable = `${name} = internal global ${LLVM_TYPES[type]} ${constant}\n`;
    this.lateConstants.set(name, variable);
    return this.text.named(`load ${LLVM_TYPES[type]}, ptr ${name}`);
  }

  /** Returns the operand with its type. */
  private typed(value: Value): string {
    return `${LLVM_TYPES[value.type]} ${this.operand(value)}`;
  }

  private nameOfHeld(held: HeldValue, phi: Value): string {
    // A Phi is never executed before an Upsilon writes its variable.
    if (held === "unwritten") return literal(phi.type, 0, 0);
    return held instanceof PhiMerge ? nameOfMerge(held) : this.operand(held);
  }

  private writeLoad(value: Value): void {
    const { opcode, type, id } = value;
    const at = this.address(value);
    const narrow = NARROW[nameOfOpcode(opcode)];
    if (narrow === undefined) {
      const range = this.facts?.ofLoad(value) ?? "";
      this.text.line(
        `%v${id} = load ${LLVM_TYPES[type]}, ptr ${at}, ${this.accessAttributes(value)}${range}`,
      );
      return;
    }
    const [memory, extend] = narrow;
    const loaded = this.text.named(`load ${memory}, ptr ${at}, ${this.accessAttributes(value)}`);
    this.text.line(`%v${id} = ${extend} ${memory} ${loaded} to ${LLVM_TYPES[type]}`);
  }

  private writeStore(value: Value): void {
    const { opcode, a } = value;
    assert(a !== null, () => `@${value.id} stores nothing`);
    const at = this.address(value);
    const narrow = NARROW[nameOfOpcode(opcode)];
    if (narrow === undefined) {
      this.text.line(`store ${this.typed(a)}, ptr ${at}, ${this.accessAttributes(value)}`);
      return;
    }
    const [memory, extend] = narrow;
    const stored = this.text.named(`${extend} ${this.typed(a)} to ${memory}`);
    this.text.line(`store ${memory} ${stored}, ptr ${at}, ${this.accessAttributes(value)}`);
  }

  /** Returns the alignment of an access and the other facts about it. */
  private accessAttributes(access: Value): string {
    return this.facts?.ofAccess(access) ?? "align 1";
  }

  private writeBulk({ id, opcode, a, b, c }: Value): void {
    assert(a !== null && b !== null && c !== null, () => `@${id} lacks an operand`);
    const size = `i64 ${this.operand(c)}, i1 false`;
    if (opcode === Op.CopyBytes) {
      const [to, from] = [this.heapPlace(a), this.heapPlace(b)];
      this.text.line(`call void @llvm.memmove.p0.p0.i64(ptr ${to}, ptr ${from}, ${size})`);
      return;
    }
    const byte = this.text.named(`trunc ${this.typed(a)} to i8`);
    this.text.line(`call void @llvm.memset.p0.i64(ptr ${this.heapPlace(b)}, i8 ${byte}, ${size})`);
  }

  private heapPlace(address: Value): string {
    const distance = this.text.named(`add i64 ${this.operand(address)}, ${-HEAP_BASE}`);
    return this.text.named(`getelementptr i8, ptr @${this.linked.heap}, i64 ${distance}`);
  }

  private address({ address, offset: lo, id }: Value): string {
    const slot = this.slotOfAddress[address.id];
    const [base, start] =
      slot === NO_SLOT
        ? [`@${this.linked.heap}`, HEAP_BASE]
        : [`%slot${this.proc.slots[slot].id}`, 0n];
    assert(address.type === Int64, () => `@${id}: its address is no Int64`);
    const { add, index } = this.facts?.addressing ?? PLAIN_ADDRESSING;
    const distance = this.text.named(`${add} i64 ${this.operand(address)}, ${BigInt(lo) - start}`);
    return this.text.named(`${index} i8, ptr ${base}, i64 ${distance}`);
  }

  /** Returns the address of a byte in a slot, in the form that host functions keep. */
  private keptAddress(address: Value): string {
    const { id } = this.proc.slots[this.slotOfAddress[address.id]];
    const start = this.text.named(`ptrtoint ptr %slot${id} to i64`);
    return `i64 ${this.text.named(`add i64 ${start}, ${this.operand(address)}`)}`;
  }

  private call(call: Value): string {
    const { host, procedure, rest, a, type } = call;
    const args = (rest ?? []).map((arg, i) =>
      host?.kept === "takes" && i === TAKEN_ADDRESS ? this.keptAddress(arg) : this.typed(arg),
    );
    const result = LLVM_TYPES[type];
    if (host !== null) {
      return `call ${result} @${this.linked.hostFunction(host)}(${args.join(", ")})`;
    }
    if (this.isFlagged) args.push("i32 1");
    const called = procedure ?? reachedProcedures(call)[0];
    const gives = LLVM_TYPES[called.result];
    if (procedure !== null) {
      return `call ${gives} @${this.linked.functionOf(procedure)}(${args.join(", ")})`;
    }
    assert(a !== null, () => `@${call.id} calls nothing`);
    const target = this.text.named(`inttoptr ${this.typed(a)} to ptr`);
    return `call ${gives} ${target}(${args.join(", ")})`;
  }

  private writeLast(block: BasicBlock): void {
    const { last, successors } = block;
    const { a } = last;
    const snapshot = this.exits.get(block);
    if (snapshot !== undefined) this.writeExit(snapshot);
    else if (last.opcode === Op.Jump) this.text.line(`br label ${labelOf(successors[0])}`);
    else if (last.opcode === Op.Branch && a !== null) {
      const isTaken = this.text.named(`icmp ne ${this.typed(a)}, 0`);
      const [then, otherwise] = successors.map(labelOf);
      const ways = this.facts?.ofBranch(last) ?? "";
      this.text.line(`br i1 ${isTaken}, label ${then}, label ${otherwise}${ways}`);
    } else if (last.opcode === Op.Switch) this.writeSwitch(block);
    else if (last.opcode === Op.Return) {
      this.text.line(a === null ? "ret void" : `ret ${this.typed(a)}`);
    } else finish(this.text, OOPS);
  }

  private writeSwitch({ last, successors }: BasicBlock): void {
    const { cases, a } = last;
    assert(a !== null, () => `@${last.id} has no operand`);
    const keys = cases.lo.map((lo, k) => {
      const key = literal(a.type, lo, cases.hi[k]);
      return `${LLVM_TYPES[a.type]} ${key}, label ${labelOf(successors[k])}`;
    });
    const otherwise = labelOf(successors[cases.count]);
    this.text.line(`switch ${this.typed(a)}, label ${otherwise} [ ${keys.join(" ")} ]`);
  }

  // Exits; see observation.ts.

  private writeExit(snapshot: Snapshot): void {
    const { linked, proc, text } = this;
    const bytes = exitRecordBytes(snapshot);
    const record = reserve(text, bytes + linked.heapSize);
    // The tag of a callee's exit is EXIT + 1.
    const tag = this.isFlagged ? text.named(`add i32 ${EXIT}, ${FLAG}`) : String(EXIT);
    store(text, record, 0, `i32 ${tag}`);
    store(text, record, 4, `i32 ${linked.positionOf(proc)}`);
    store(text, record, 8, `i32 ${proc.snapshots.indexOf(snapshot)}`);
    for (const part of exitParts(snapshot)) this.show(record, part);
    copy(text, record, bytes, `@${linked.heap}`, linked.heapSize);
    this.continueExit(snapshot);
  }

  private show(record: string, part: RecordPart): void {
    if ("value" in part) store(this.text, record, part.at, this.typed(part.value));
    else copy(this.text, record, part.at, `%slot${part.slot.id}`, part.slot.size);
  }

  private continueExit({ exit, frames }: Snapshot): void {
    const { linked, text, proc } = this;
    const continuations = linked.continuationsOf(exit);
    if (continuations.length === 0) {
      finish(text, ENDED);
      return;
    }
    let inner: string | null = null;
    for (const [f, continuation] of continuations.entries()) {
      const args = frames[f].slots.flatMap((slot) => this.argumentFor(slot));
      if (inner !== null) args.push(inner);
      if (f > 0) args.push(...this.furtherOf(continuations[f - 1]));
      const result = callAndRecord(text, linked, continuation, args);
      inner = result === null ? null : `${LLVM_TYPES[continuation.result]} ${result}`;
    }
    // Continuations clear the flag.
    if (linked.setsDeoptFlag(proc))
      text.line(`call void @${linked.hostFunction(SET_DEOPT_FLAG)}(i32 0)`);
    text.line(inner === null ? "ret void" : `ret ${inner}`);
  }

  private furtherOf(proc: Procedure): string[] {
    return variablesOf(proc).map(({ type, take }) => {
      const call = `call ${LLVM_TYPES[type]} @${this.linked.hostFunction(take)}()`;
      return `${LLVM_TYPES[type]} ${this.text.named(call)}`;
    });
  }

  /** Returns the argument that a continuation takes for the slot, or none. */
  private argumentFor(slot: FrameSlot): string[] {
    if (parameterTypeFor(slot) === Void) return [];
    if (slot.kind === "value") return [this.typed(slot.value)];
    if (slot.kind !== "constant") return [];
    return [`${LLVM_TYPES[slot.type]} ${literal(slot.type, slot.lo, slot.hi)}`];
  }
}

/**
 * Calls a procedure as an exit or the driver does, and records its return. Returns the result; null
 * if there is none.
 */
export function callAndRecord(
  text: FunctionText,
  linked: LinkedProgram,
  proc: Procedure,
  args: readonly string[],
): string | null {
  const given = linked.isFlagged ? [...args, "i32 0"] : args;
  const type = LLVM_TYPES[proc.result];
  const call = `call ${type} @${linked.functionOf(proc)}(${given.join(", ")})`;
  let result: string | null = null;
  if (proc.result === Void) text.line(call);
  else result = text.named(call);
  const bytes = returnRecordBytes(proc.result);
  const record = reserve(text, bytes + linked.heapSize);
  store(text, record, 0, `i32 ${RETURN}`);
  store(text, record, 4, `i32 ${linked.positionOf(proc)}`);
  if (result !== null) store(text, record, 8, `${type} ${result}`);
  copy(text, record, bytes, `@${linked.heap}`, linked.heapSize);
  return result;
}

/** Calls the function of the main program and returns its result, if any. */
function writeOwnCall(
  text: FunctionText,
  { name, result }: HostFunction,
  { parameters }: Procedure,
): void {
  const args = parameters.map(({ id, type }) => `${LLVM_TYPES[type]} %v${id}`);
  const call = `call ${LLVM_TYPES[result]} @t_${name}(${args.join(", ")})`;
  if (result === Void) {
    text.line(call);
    return;
  }
  text.line(`ret ${LLVM_TYPES[result]} ${text.named(call)}`);
  text.label("unreached");
}

function recordEvent(text: FunctionText, host: HostFunction, { parameters }: Procedure): void {
  const record = reserve(text, eventRecordBytes(parameters));
  store(text, record, 0, `i32 ${EVENT}`);
  store(text, record, 4, `i32 ${host.index}`);
  for (const part of eventParts(parameters)) {
    if (!("value" in part)) continue;
    const { id, type } = part.value;
    const isTaken = host.kept === "takes" && part.value === parameters[TAKEN_ADDRESS];
    store(text, record, part.at, `${LLVM_TYPES[type]} ${isTaken ? "0" : `%v${id}`}`);
  }
}

const reserve = (text: FunctionText, size: number): string =>
  text.named(`call ptr @t_reserve(i32 ${size})`);

function store(text: FunctionText, record: string, at: number, typed: string): void {
  const place = text.named(`getelementptr i8, ptr ${record}, i64 ${at}`);
  text.line(`store ${typed}, ptr ${place}, align 1`);
}

function copy(text: FunctionText, to: string, at: number, from: string, size: number): void {
  const place = text.named(`getelementptr i8, ptr ${to}, i64 ${at}`);
  text.line(`call void @llvm.memcpy.p0.p0.i64(ptr ${place}, ptr ${from}, i64 ${size}, i1 false)`);
}

function finish(text: FunctionText, status: number): void {
  text.line(`call void @t_finish(i32 ${status})`);
  text.line("unreachable");
}

const labelOf = ({ id }: BasicBlock): string => `%L${id}`;
/** Returns the name of a merge. A merge in the Phi's own block has the name of the Phi. */
const nameOfMerge = ({ phi, block }: PhiMerge): string =>
  phi.block === block ? `%v${phi.id}` : `%v${phi.id}.L${block.id}`;
