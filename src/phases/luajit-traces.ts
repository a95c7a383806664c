// Judges the traces of LuaJIT. The oracle runs each trace from recorded states to its exit. There its
// slots must equal those of LuaJIT's interpreter, and those of the machine code.

import { deadSlots } from "../import/luajit/dead-slots.js";
import { MISSING, NEW_OBJECTS, NEW_SIZE } from "../import/luajit/helpers.js";
import {
  type CopiedBytes,
  HEAD_BYTES,
  type ImportedTrace,
  programOf,
} from "../import/luajit/import-luajit.js";
import type { RecordedTrace, RecordedTraces } from "../import/luajit/recorded-trace.js";
import type { CopiedMemory, StackState } from "../import/luajit/stack-log.js";
import {
  CUT as CUT_EXIT,
  END as END_EXIT,
  LIMIT as LIMIT_EXIT,
  type ShownSlot,
} from "../import/luajit/trace-writer.js";
import {
  FIRST_TAGGED,
  isTagged,
  PAYLOAD,
  primitive,
  TYPES,
  tagOf,
} from "../import/luajit/values.js";
import { HEAP_BASE, type Input, type Outcome, type SlotBits } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { wideBits, wideWords } from "../ir/words.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";

/** The execution of a trace in the oracle, from one state. */
export interface TraceRun {
  readonly module: Module;
  readonly input: Input;
  readonly outcome: Outcome;
  /** The memory that it accessed, in the order in which the heap holds it. */
  readonly copied: readonly CopiedBytes[];
  /** The exit that the trace took; null if the execution is open. */
  readonly exit: TraceExit | null;
  /** The reason why the execution is open. */
  readonly open: string | null;
}

type ExitKind = "guard" | "cut" | "limit" | "end";
/** The first exit number of each kind, in descending order. */
const EXIT_KINDS: readonly (readonly [first: number, kind: ExitKind])[] = [
  [END_EXIT, "end"],
  [LIMIT_EXIT, "limit"],
  [CUT_EXIT, "cut"],
  [0, "guard"],
];

interface TraceExit {
  readonly snapshot: number;
  /** Why the execution ended there. */
  readonly kind: ExitKind;
  /** Complete iterations before the one that left. */
  readonly iteration: number;
  /** The offset in the stack of the first slot of the outermost function. */
  readonly base: number;
  /** The values of the shown slots whose type has more than one value, in the order of the snapshot. */
  readonly values: readonly SlotBits[];
}

const FUEL = 20_000_000;
const BLOCK_BYTES = 256;
const ROUNDS_MAX = 400;
const BYTES_MAX = 1 << 22;

/**
 * Runs a trace from a state, and copies each part of the memory that it accesses. Returns null if the state does not show
 * a value of an allocation that the parent left out.
 */
export function runTrace(
  imported: ImportedTrace,
  state: StackState,
  memory: CopiedMemory,
  iterations: number,
): TraceRun | null {
  const input = inputOf(imported, state, memory, iterations);
  if (input === null) return null;
  const blocks = new Map<number, CopiedBytes>();
  let size = 0;
  let last = 0;
  let step = BLOCK_BYTES;
  for (let round = 0; ; round++) {
    const copied = mergeAdjacent([...blocks.values()].sort((a, b) => a.start - b.start));
    const module = programOf(imported, copied);
    const outcome = new Oracle().run(decodeModule(module), input, FUEL);
    const open = (why: string): TraceRun => ({
      ...{ module, input, outcome, copied, exit: null, open: why },
    });
    const { ending } = outcome;
    if (ending.kind !== "exit")
      return open(ending.kind === "undefined" ? ending.rule : ending.kind);
    if (ending.exit !== MISSING) {
      const exit = exitOf(ending.exit, ending.frames[0]?.slots ?? [], state.stack);
      return { module, input, outcome, copied, exit, open: null };
    }
    const address = numberOf(ending.frames[0]?.slots[0] ?? null);
    if (address >= NEW_OBJECTS && address < NEW_OBJECTS * 2) return open("too many new objects");
    const start = address - (address % BLOCK_BYTES);
    // Further parts of an array follow.
    step = start === last ? Math.min(step * 2, 1 << 16) : BLOCK_BYTES;
    let added = 0;
    while (added < step) {
      const bytes = memory.read(start + added, BLOCK_BYTES);
      if (bytes === null || blocks.has(start + added)) break;
      blocks.set(start + added, { start: start + added, bytes });
      added += BLOCK_BYTES;
    }
    last = start + added;
    size += added;
    if (added === 0)
      return open(`an access at 0x${address.toString(16)}, outside of the copied memory`);
    if (size > BYTES_MAX || round === ROUNDS_MAX) return open("it accesses too much memory");
  }
}

function mergeAdjacent(blocks: readonly CopiedBytes[]): CopiedBytes[] {
  const result: { start: number; parts: Uint8Array[]; size: number }[] = [];
  for (const { start, bytes } of blocks) {
    const before = result.at(-1);
    if (before !== undefined && before.start + before.size === start) {
      before.parts.push(bytes);
      before.size += bytes.length;
    } else result.push({ start, parts: [bytes], size: bytes.length });
  }
  return result.map(({ start, parts }) => ({ start, bytes: Buffer.concat(parts) }));
}

function inputOf(
  { slots, trace, writer }: ImportedTrace,
  state: StackState,
  memory: CopiedMemory,
  iterations: number,
): Input | null {
  // A side trace may begin in a function that its parent called.
  const base = state.base - 8 * (trace.snapshots[0]?.base ?? 0);
  const args = [HEAP_BASE, BigInt(iterations), BigInt(state.stack + base)];
  for (const slot of slots) args.push(state.slot(base + 8 * (slot - 2)) ?? 0n);
  const slotOf = (slot: number): bigint | null => state.slot(base + 8 * (slot - 2));
  for (const ref of writer.parentValues) {
    const value = parentValue(writer.recorded, trace, ref, slotOf, memory);
    if (value === null) return null;
    args.push(value);
  }
  const words = args.flatMap((bits) => wideWords(BigInt.asIntN(64, bits)));
  return { words: Int32Array.from(words), heapSeed: 0 };
}

const CDATA_BYTES = 16;

/**
 * Returns a value that the parent of a side trace stored in a cdata only. The exit has allocated the cdata. Returns
 * null if it is in another object.
 */
function parentValue(
  { traces }: RecordedTraces,
  { from, instructions }: RecordedTrace,
  ref: number,
  slot: (number: number) => bigint | null,
  memory: CopiedMemory,
): bigint | null {
  const parent = traces.findLast(({ number }) => number === from?.trace);
  const wantedRef = instructions[ref - 1].op1;
  for (const entry of parent?.snapshots[from?.exit ?? -1]?.entries ?? []) {
    const { opcode, op2 } = parent?.instructions[(entry & 0xffff) - 0x8000 - 1] ?? {};
    const bits = slot(entry >>> 24);
    if (opcode !== "CNEWI" || op2 !== wantedRef || bits === null) continue;
    const bytes = memory.read(Number(bits & PAYLOAD) + CDATA_BYTES, 8);
    if (bytes !== null) return Buffer.from(bytes).readBigInt64LE();
  }
  return null;
}

function exitOf(
  exit: number,
  [iteration, base, ...values]: readonly SlotBits[],
  stack: number,
): TraceExit {
  const [first, kind] = EXIT_KINDS.find(([least]) => exit >= least) ?? [0, "guard"];
  return {
    ...{ snapshot: exit - first, kind, values },
    ...{ iteration: numberOf(iteration), base: numberOf(base) - stack },
  };
}

const numberOf = (slot: SlotBits): number =>
  slot === null || !("lo" in slot) ? 0 : Number(slot.type === undefined ? 0 : bitsOf(slot));

const bitsOf = (slot: { readonly lo: number; readonly hi: number }): bigint =>
  wideBits(slot.lo, slot.hi);

/** Returns the first slot in which the exit differs from a stack; null if there is none. */
function slotsDifference(
  shown: readonly ShownSlot[],
  { base, values }: TraceExit,
  outcome: Outcome,
  stack: StackState,
  isDead: (offset: number) => boolean,
): string | null {
  let next = 0;
  for (const { slot, type } of shown) {
    const value = TYPES[type] === null ? null : values[next++];
    const offset = base + 8 * (slot - 2);
    const found = stack.slot(offset);
    if (found === null || isDead(offset)) continue;
    const expected = expectedSlot(type, value ?? null);
    if (expected === null || isSame(expected, found)) continue;
    if (isTagged(type) && isNewObject(expected) && expected >> 47n === found >> 47n) {
      const difference = objectDifference(expected, outcome, stack.object(Number(found & PAYLOAD)));
      if (difference === null) continue;
      return `slot ${slot} is ${difference}`;
    }
    return `slot ${slot} is ${describe(found)}, and ${describe(expected)} in the IR`;
  }
  return null;
}

function expectedSlot(type: ShownSlot["type"], value: SlotBits): bigint | null {
  if (TYPES[type] === null) return BigInt.asUintN(64, primitive(type));
  if (value === null || !("lo" in value)) return null;
  const bits = BigInt.asUintN(64, bitsOf(value));
  return isTagged(type) ? BigInt.asUintN(64, (tagOf(type) << 47n) | bits) : bits;
}

const isNumber = (bits: bigint): boolean => bits < FIRST_TAGGED;
const isNaNBits = (bits: bigint): boolean =>
  (bits & 0x7fff_ffff_ffff_ffffn) > 0x7ff0_0000_0000_0000n;

function isSame(expected: bigint, found: bigint): boolean {
  if (expected === found) return true;
  return isNumber(expected) && isNumber(found) && isNaNBits(expected) && isNaNBits(found);
}

const isNewObject = (bits: bigint): boolean => {
  const address = Number(bits & PAYLOAD);
  return address >= NEW_OBJECTS && address < NEW_OBJECTS * 2;
};

/** Compares the type and the contents of cdata; other new objects by their type alone. */
function objectDifference(
  expected: bigint,
  { ending }: Outcome,
  found: Uint8Array | null,
): string | null {
  if (ending.kind !== "exit" || found === null) return null;
  const { bytes } = ending.heap;
  const at = bytes.length - NEW_SIZE + Number(expected & PAYLOAD) - NEW_OBJECTS;
  const [got, wanted] = [found, bytes.subarray(at, at + found.length)].map(describeObject);
  return got === wanted ? null : `${got}, and ${wanted} in the IR`;
}

function describeObject(object: Uint8Array): string {
  const view = new DataView(object.buffer, object.byteOffset, object.length);
  return `cdata 0x${view.getBigUint64(16, true).toString(16)} of type ${view.getUint16(10, true)}`;
}

const words = new DataView(new ArrayBuffer(8));
function describe(bits: bigint): string {
  if (!isNumber(bits)) return `0x${bits.toString(16)}`;
  words.setBigUint64(0, bits);
  return Object.is(words.getFloat64(0), -0) ? "-0" : String(words.getFloat64(0));
}

export type TraceVerdict =
  | { readonly kind: "equal" }
  | { readonly kind: "open"; readonly reason: string }
  | { readonly kind: "different"; readonly difference: string };

const BYTECODE_BYTES = 4;

const open = (reason: string): TraceVerdict => ({ kind: "open", reason });
const different = (difference: string): TraceVerdict => ({ kind: "different", difference });

/**
 * Returns a test whether the interpreter overwrites the slot at an offset before it reads it.
 * @param pc the instruction at which it continues
 */
function deadSlotTest(
  names: readonly string[],
  memory: CopiedMemory,
  pc: number,
  stack: StackState,
): (offset: number) => boolean {
  const found = new Set<number>();
  let [base, at, count] = [stack.base, pc, SLOTS_MAX];
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    for (const slot of deadSlots(memory, names, at, count)) found.add(base + 8 * slot);
    // A frame of a Lua function has the address to which it returns.
    const link = Number(stack.slot(base - 8) ?? 1n);
    const called = link % 4 === 0 ? memory.read(link - 4, 4) : null;
    if (called === null) break;
    count = called[1];
    base -= 8 * (2 + count);
    at = link;
  }
  return (offset) => found.has(offset);
}
const SLOTS_MAX = 256;
const DEPTH_MAX = 16;

/** @param stacks the interpreter's, from the state at which the trace began */
export function compareInterpreter(
  { trace, shown, writer }: ImportedTrace,
  run: TraceRun,
  stacks: readonly StackState[],
  memory: CopiedMemory,
): TraceVerdict {
  const { exit } = run;
  if (exit === null) return open(run.open ?? "it did not end");
  const { iteration, snapshot, base, kind } = exit;
  if (kind === "end" && trace.linkType === "stitch") return open("it ends in a call of C");
  if (kind === "guard" && snapshot === 0 && iteration === 0) return open("it left at its start");
  const { pc, base: depth } = trace.snapshots[snapshot];
  const [first, last] = [iteration * trace.path, (iteration + 1) * trace.path];
  const inner = base + 8 * depth;
  const [opcode] = memory.read(pc, 1) ?? [];
  // Functions of C have opcodes of their own.
  const name = writer.recorded.bytecodes[opcode ?? -1] ?? "FUNCC";
  if (name.startsWith("FUNCC")) return open("it ends in a call of C");
  if (kind === "end" && /ITERL$/.test(name)) return open("it ends within ITERN");
  if (/FUNCV$/.test(name)) return open("it ends before a function makes its frame");
  // The interpreter's hook does not see the first instruction of a function, its header.
  const hookPc = /FUNCF$/.test(name) ? pc + BYTECODE_BYTES : pc;
  const candidates = stacks
    .slice(first, last + 1)
    .filter((each) => each.pc === hookPc && each.base === inner);
  const differences = candidates.map((stack) =>
    slotsDifference(
      shown[snapshot],
      exit,
      run.outcome,
      stack,
      deadSlotTest(writer.recorded.bytecodes, memory, pc, stack),
    ),
  );
  if (differences.includes(null)) return { kind: "equal" };
  if (stacks.length <= last) return open("the interpreter was stopped");
  const [difference] = differences;
  const where = `exit ${snapshot}, iteration ${iteration}`;
  return different(
    difference === undefined || difference === null
      ? `${where}: the interpreter does not go there`
      : `${where}: ${difference}`,
  );
}

/**
 * Returns the first word that the trace changed, and that differs from the memory of the interpreter after the same
 * iterations; null if there is none.
 */
export function memoryDifference(
  { outcome: { ending }, copied }: TraceRun,
  memory: CopiedMemory,
): string | null {
  if (ending.kind !== "exit") return null;
  let offset = HEAD_BYTES;
  for (const { start, bytes } of copied) {
    const after = ending.heap.bytes.subarray(offset, offset + bytes.length);
    offset += bytes.length;
    const found = memory.read(start, bytes.length);
    if (found === null) continue;
    const [before, own, expected] = [bytes, after, found].map(
      (each) => new DataView(each.buffer, each.byteOffset, each.length),
    );
    for (let at = 0; at < bytes.length; at += 8) {
      const word = own.getBigUint64(at, true);
      if (word === before.getBigUint64(at, true) || isNewObject(word)) continue;
      const wanted = expected.getBigUint64(at, true);
      if (!isSame(word, wanted))
        return `the word at 0x${(start + at).toString(16)} is ${describe(wanted)}, and ${describe(word)} in the IR`;
    }
  }
  return null;
}

/** Compares the exit that machine code took from the same state. */
export function compareMachine(
  { trace, shown, writer }: ImportedTrace,
  run: TraceRun,
  machineExit: { readonly trace: number; readonly exit: number },
  stack: StackState,
  memory: CopiedMemory,
): TraceVerdict {
  if (run.exit === null) return open(run.open ?? "it did not end");
  if (run.exit.kind !== "guard") return open("it ended before an exit");
  if (machineExit.trace !== trace.number) return open("the machine code went on in another trace");
  const { snapshot } = run.exit;
  if (machineExit.exit !== snapshot)
    return different(`the machine code took exit ${machineExit.exit}, and the IR exit ${snapshot}`);
  const isDead = deadSlotTest(
    writer.recorded.bytecodes,
    memory,
    trace.snapshots[snapshot].pc,
    stack,
  );
  const difference = slotsDifference(shown[snapshot], run.exit, run.outcome, stack, isDead);
  return difference === null ? { kind: "equal" } : different(`exit ${snapshot}: ${difference}`);
}
