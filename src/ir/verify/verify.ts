// Verifies modules: decides which modules are programs. The verifier does not use data that phases maintain
// (predecessors, indices, use counts); it computes what it needs, changes nothing, and collects all faults. It checks:
//
//     Modules
//      1. There is a procedure; names of procedures are distinct.
//      2. The heap is a multiple of 4096 bytes, and not larger than HEAP_SIZE_MAX.
//      3. Continuations are procedures of the module.
//     Procedures
//      4. Parameters have value types and contain their index; there are at most PARAMETERS_MAX.
//      5. Slots have distinct ids and 1 byte or more, together at most FRAME_SIZE_MAX.
//      6. There is a block; blocks have distinct ids below blockIdEnd, and a positive, finite
//         frequency.
//      7. Values have distinct ids below valueIdEnd, and refer to the block that contains them.
//      8. Each block ends in a control value and has no other; it has as many successors as that value
//         requires, all of this procedure, none the entry.
//     Values (verify-rows.ts)
//      9. The operands have the number and the types of the row, and are values of this procedure; the
//         result has the row's type.
//     10. Fields that the row does not use are empty: bits, slot, Phi, callee, snapshot, operands of a call.
//     11. Words of constants are 32-bit integers, and the high word of a 32-bit constant is 0; offsets fit
//         32 bits, classes of memory 8 bits; accesses to slots have no class. Keys of a Switch are such
//         constants, distinct, and at most SWITCH_CASES_MAX.
//     12. A callee is in the registry or a procedure of the module; a call has its result type, and
//         arguments of the types of its parameters; likewise for each procedure that CallIndirect may reach.
//     13. Return has operands of the types of the procedure's results. It has none if the first type is
//         Void; then there are no further results. There are at most FURTHER_MAX further results, and the
//         entry has none. An Extract is in the block of a call of a procedure, and its number is that of a
//         further result; all procedures that a call may reach have the same further results.
//     14. An Upsilon refers to a Phi of this procedure, of its operand's type; a SlotBase to a slot, a guard
//         to a snapshot, a Switch to its cases.
//     15. A definition comes before its uses in the same block, and otherwise dominates them; unreachable
//         blocks may use definitions of any block.
//     16. Every path from the entry to a Phi passes an Upsilon to it.
//     17. Addresses of slots (SlotBase, Identity or Opaque of one, Add of one and of another value) are used
//         only as addresses of loads and stores, and to make such addresses. Addresses of procedures
//         (FunctionAddress, Identity and Select of such) are used only as the first operand of CallIndirect,
//         which takes no other value, and to make such addresses. Kinds of patchpoints take addresses of
//         locked slots as `slot`, and host functions keep them; both take nothing else. Kinds take addresses
//         in the frame (FramePointer) as `frame`; no access uses these.
//     Snapshots (verify-snapshots.ts)
//     18. Ids are distinct and below snapshotIdEnd; there is a frame; exits and points are numbers from 0.
//     19. An exit block has total values, then stores to the heap.
//     20. A value that exit blocks and slots use is a parameter, comes earlier in the exit block, or
//         dominates every reachable guard that uses the snapshot. So a guard's result is not available to
//         its own snapshot, except the result of a call that may request an exit.
//     21. Slots have value types; rule 11 holds for their constants. Contents are those of anonymous slots of
//         the procedure, together at most FRAME_SIZE_MAX bytes. Fields ascend without overlap, within
//         their size, which counts like contents. Dead heap lies within the heap; the address of dead bytes
//         is an Int64, and they are at most as many as the heap has.
//     22. Snapshots of one exit agree in number, names and points of frames, and in numbers of slots.
//     23. Continuations are one per frame. The parameters are the values and constants among the frame's
//         slots, then the result of the frame before unless that is Void. The last returns the result of
//         the procedure with the guard.
//     Patchpoints (verify-patchpoints.ts)
//     24. A kind is in the registry, and belongs to the value's opcode; operands and result have its types,
//         and the operands that it takes as constants are constants. PatchpointReturn returns the procedure's
//         result type. An ArgumentReg refers to an Int64 or Double parameter that every target passes in a
//         register.

import { zeroedBytes, zeroedWords } from "../../support/program-arrays.js";
import {
  ALL_OPCODES,
  ATOMIC,
  CALLS_ADDRESS,
  CONTROL,
  EFFECTS,
  guardsResult,
  hasAttribute,
  isReturn,
  NAMES_KIND,
  Op,
  specOf,
} from "../opcodes.js";
import {
  FURTHER_MAX,
  type Module,
  Procedure,
  returnedValues,
  Snapshot,
  StackSlot,
  SwitchCases,
  Value,
} from "../procedure.js";
import { nameOfType, type Type, Void } from "../types.js";
import { FaultReporter, type ModuleFault } from "./reporter.js";
import {
  analyzeFlow,
  findUnwrittenPhis,
  type NeighborLists,
  type PhiReader,
  type UpsilonPosition,
} from "./verify-flow.js";
import {
  ANONYMOUS_SLOT,
  checkAddress,
  checkArgumentReg,
  FRAME,
  LOCKED_SLOT,
} from "./verify-patchpoints.js";
import { checkCases, checkExtract, checkRow } from "./verify-rows.js";
import {
  checkSnapshots,
  EXIT_BLOCK,
  FRAME_SIZE_MAX,
  GuardPositions,
  isAvailable,
  PARAMETER,
  type ProcedureTables,
} from "./verify-snapshots.js";

export type { ModuleFault };
export { FRAME_SIZE_MAX };

/** The greatest number of parameters of a procedure. */
const PARAMETERS_MAX = 512;
export const HEAP_SIZE_MAX = 16 << 20;
const HEAP_SIZE_UNIT = 4096;

export const isHeapSize = (size: number): boolean =>
  size > 0 && size <= HEAP_SIZE_MAX && size % HEAP_SIZE_UNIT === 0;

/** Describes a fault in one line: the position, then the message. */
export function describeFault({ procedure, block, snapshot, value, message }: ModuleFault): string {
  let place = procedure === "" ? "" : `${procedure}: `;
  if (block !== undefined) place += `#${block}: `;
  if (snapshot !== undefined) place += `s${snapshot}: `;
  if (value !== undefined) place += `@${value}: `;
  return place + message;
}

/** Returns all faults of the module, at most FAULTS_MAX; none if it is a program. */
export function verify(module: Module): ModuleFault[] {
  const reporter = new FaultReporter();
  const { procedures, heapSize } = module;
  if (procedures.length === 0) reporter.fault(null, "the module has no procedure");
  if (!isHeapSize(heapSize)) {
    reporter.fault(null, `the heap has ${heapSize} bytes, expected a multiple of 4096 up to 16 MB`);
  }
  const known = new Set(procedures);
  for (const [exit, continuations] of module.continuations) {
    if (continuations.every((proc) => known.has(proc))) continue;
    reporter.fault(null, `a continuation of exit ${exit} is not a procedure of the module`);
  }
  const names = new Set<string>();
  const shapes = new Map<number, Snapshot>();
  for (const proc of procedures) {
    reporter.procedure = proc.name;
    if (names.has(proc.name)) reporter.fault(null, "another procedure has the same name");
    names.add(proc.name);
    verifyProcedure(module, proc, known, shapes, reporter);
  }
  return reporter.faults;
}

/**
 * Returns the faults of one procedure. A phase changes one procedure at a time, so the time is proportional to the size
 * of that procedure, not of the module.
 * @param known the procedures of the module
 */
export function verifyOne(
  module: Module,
  proc: Procedure,
  known: ReadonlySet<Procedure>,
): ModuleFault[] {
  const reporter = new FaultReporter();
  reporter.procedure = proc.name;
  verifyProcedure(module, proc, known, new Map(), reporter);
  return reporter.faults;
}

function verifyProcedure(
  module: Module,
  proc: Procedure,
  known: ReadonlySet<Procedure>,
  shapes: Map<number, Snapshot>,
  reporter: FaultReporter,
): void {
  checkParameters(proc, reporter);
  if (proc === module.procedures[0] && proc.further.length > 0) {
    reporter.fault(null, "is the entry, and has further results");
  }
  checkStackSlots(proc, reporter);
  if (proc.blocks.length === 0) {
    reporter.fault(null, "has no block");
    return;
  }
  const blockIndex = indexById(proc.blocks, proc.blockIdEnd, "#", reporter);
  const snapshotIndex = indexById(proc.snapshots, proc.snapshotIdEnd, "s", reporter);
  const definitions = collectDefinitions(proc, reporter);
  const flow = analyzeFlow(collectEdges(proc, blockIndex, reporter));
  const tables: ValueTables = {
    proc,
    ...definitions,
    flow,
    guards: new GuardPositions(proc.snapshots.length),
    reporter,
    isSlotAddress: zeroedBytes(proc.valueIdEnd),
    isFunctionAddress: zeroedBytes(proc.valueIdEnd),
    procedures: known,
    snapshotIndex,
    slots: new Set(proc.slots),
    readers: [],
    upsilons: [],
  };
  // Dominators come first, so that a value that derives a slot's address is visited before its uses.
  for (let i = 0; i < flow.order.length; i++) checkBlock(tables, flow.order[i]);
  if (flow.order.length < proc.blocks.length) {
    markUnreachedAddresses(tables);
    for (let b = 0; b < proc.blocks.length; b++) if (flow.first[b] < 0) checkBlock(tables, b);
  }
  checkPhis(tables);
  checkSnapshots(tables, module, shapes);
}

function checkParameters(
  { parameters, result, further }: Procedure,
  reporter: FaultReporter,
): void {
  for (let p = 0; p < parameters.length; p++) {
    const { opcode, type, immediate0: index } = parameters[p];
    if (opcode !== Op.Parameter || index !== p)
      reporter.fault(parameters[p], `is not parameter ${p}`);
    if (type === Void) reporter.fault(parameters[p], "a parameter has type Void");
  }
  if (parameters.length > PARAMETERS_MAX) {
    reporter.fault(null, `has ${parameters.length} parameters, at most ${PARAMETERS_MAX}`);
  }
  if (further.length > FURTHER_MAX) {
    reporter.fault(null, `has ${further.length} further results, at most ${FURTHER_MAX}`);
  }
  if (further.length > 0 && (result === Void || further.includes(Void))) {
    reporter.fault(null, "has further results, and one is Void");
  }
}

function checkStackSlots({ slots }: Procedure, reporter: FaultReporter): void {
  const ids = new Set<number>();
  let total = 0;
  for (const { id, size } of slots) {
    if (ids.has(id)) reporter.fault(null, `stack${id} is declared twice`);
    ids.add(id);
    if (!(Number.isInteger(size) && size >= 1)) {
      reporter.fault(null, `stack${id} has ${size} bytes, expected 1 or more`);
    }
    total += size;
  }
  if (total > FRAME_SIZE_MAX) {
    reporter.fault(null, `the slots have ${total} bytes, at most ${FRAME_SIZE_MAX} together`);
  }
}

/** Returns the index by id; -1 if there is none. */
function indexById(
  parts: readonly { readonly id: number }[],
  idEnd: number,
  prefix: string,
  reporter: FaultReporter,
): Int32Array {
  const index = zeroedWords(idEnd).fill(-1);
  for (let i = 0; i < parts.length; i++) {
    const { id } = parts[i];
    if (!(id >= 0 && id < idEnd))
      reporter.fault(null, `the id ${prefix}${id} is not below ${idEnd}`);
    else if (index[id] >= 0) reporter.fault(null, `two have the id ${prefix}${id}`);
    else index[id] = i;
  }
  return index;
}

type DefinitionTables = Pick<ProcedureTables, "byId" | "place" | "position">;

function collectDefinitions(proc: Procedure, reporter: FaultReporter): DefinitionTables {
  const byId: (Value | undefined)[] = new Array(proc.valueIdEnd);
  const place = zeroedWords(proc.valueIdEnd);
  const position = zeroedWords(proc.valueIdEnd);
  const define = (value: Value, at: number, i: number): void => {
    const { id } = value;
    if (!(id >= 0 && id < proc.valueIdEnd)) {
      reporter.fault(value, `the id is not below ${proc.valueIdEnd}`);
    } else if (byId[id] !== undefined) {
      reporter.fault(value, "another value has the same id");
    } else {
      byId[id] = value;
      place[id] = at;
      position[id] = i;
    }
  };
  for (let p = 0; p < proc.parameters.length; p++) define(proc.parameters[p], PARAMETER, p);
  for (let b = 0; b < proc.blocks.length; b++) {
    const block = proc.blocks[b];
    const { values } = block;
    reporter.block = block.id;
    for (let i = 0; i < values.length; i++) {
      define(values[i], b, i);
      if (values[i].block !== block)
        reporter.fault(values[i], "does not refer to the block that contains it");
    }
  }
  reporter.block = null;
  for (let s = 0; s < proc.snapshots.length; s++) {
    const { values, id } = proc.snapshots[s];
    reporter.snapshot = id;
    for (let i = 0; i < values.length; i++) {
      define(values[i], EXIT_BLOCK - s, i);
      if (values[i].block !== null)
        reporter.fault(values[i], "refers to a block, but is in an exit block");
    }
  }
  reporter.snapshot = null;
  return { byId, place, position };
}

const SUCCESSOR_COUNTS = Uint8Array.from(
  ALL_OPCODES,
  (opcode) => specOf(opcode).args.filter((arg) => arg === "Block").length,
);

const successorCount = ({ opcode, extra }: Value): number =>
  extra instanceof SwitchCases ? extra.count + 1 : SUCCESSOR_COUNTS[opcode];

function collectEdges(
  proc: Procedure,
  blockIndex: Int32Array,
  reporter: FaultReporter,
): NeighborLists {
  const { blocks } = proc;
  const start = zeroedWords(blocks.length + 1);
  let edgeCount = 0;
  for (let b = 0; b < blocks.length; b++) edgeCount += blocks[b].successors.length;
  const target = zeroedWords(edgeCount);
  let at = 0;
  for (let b = 0; b < blocks.length; b++) {
    const { id, values, successors, frequency } = blocks[b];
    reporter.block = id;
    if (!(frequency > 0 && frequency < Infinity)) {
      reporter.fault(null, `the frequency is ${frequency}, expected a positive number`);
    }
    const last = values.length === 0 ? null : values[values.length - 1];
    if (last === null || (EFFECTS[last.opcode] & CONTROL) === 0) {
      reporter.fault(last, "the block does not end in a control value");
    } else if (successors.length !== successorCount(last)) {
      const expected = successorCount(last);
      reporter.fault(last, `the block has ${successors.length} successors, expected ${expected}`);
    }
    for (let s = 0; s < successors.length; s++) {
      const index = blockIndex[successors[s].id] ?? -1;
      if (index < 0 || blocks[index] !== successors[s]) {
        reporter.fault(last, `#${successors[s].id} is not a block of the procedure`);
        continue;
      }
      if (index === 0)
        reporter.fault(last, `#${successors[s].id} is the entry, which may not be a successor`);
      target[at++] = index;
    }
    start[b + 1] = at;
  }
  reporter.block = null;
  return { start, target: target.subarray(0, at) };
}

// Marks addresses in unreachable blocks. These may use values that later blocks define, so the loop runs until it marks
// no new address.
function markUnreachedAddresses(tables: ValueTables): void {
  const { proc, flow, isSlotAddress, isFunctionAddress } = tables;
  const values = proc.blocks.flatMap((block, b) => (flow.first[b] < 0 ? block.values : []));
  for (const value of values) markOwnAddress(tables, value);
  let isNew = true;
  while (isNew) {
    isNew = false;
    for (const { id, opcode, a, b, c } of values) {
      if (isSlotAddress[id] !== 0 || isFunctionAddress[id] !== 0) continue;
      const [first, second] = opcode === Op.Select ? [b, c] : [a, b];
      const isCopy = opcode === Op.Identity || opcode === Op.Opaque;
      for (const from of [first, second]) {
        if (from === null) continue;
        if (isCopy || opcode === Op.Add) isSlotAddress[id] ||= isSlotAddress[from.id];
        if (opcode === Op.Identity || opcode === Op.Select) {
          isFunctionAddress[id] ||= isFunctionAddress[from.id];
        }
      }
      if (isSlotAddress[id] !== 0 || isFunctionAddress[id] !== 0) isNew = true;
    }
  }
}

/** Marks a value that is an address without an address operand. */
function markOwnAddress({ isSlotAddress, isFunctionAddress }: ValueTables, value: Value): void {
  const { id, opcode, extra } = value;
  if (opcode === Op.FunctionAddress) isFunctionAddress[id] = 1;
  else if (opcode === Op.FramePointer) isSlotAddress[id] = FRAME;
  else if (opcode === Op.SlotBase) {
    const isLocked = extra instanceof StackSlot && extra.isLocked;
    isSlotAddress[id] = isLocked ? LOCKED_SLOT : ANONYMOUS_SLOT;
  }
}

interface ValueTables extends ProcedureTables {
  readonly snapshotIndex: Int32Array;
  readonly procedures: ReadonlySet<Procedure>;
  /** Phis and Upsilons of reachable blocks. */
  readonly readers: PhiReader[];
  readonly upsilons: UpsilonWriter[];
}

interface UpsilonWriter extends UpsilonPosition {
  /** The id of the Phi. */
  readonly phi: number;
}

function checkBlock(tables: ValueTables, index: number): void {
  const { proc, byId, reporter } = tables;
  const { id, values } = proc.blocks[index];
  reporter.block = id;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const { opcode, a, b, c, rest } = value;
    if ((EFFECTS[opcode] & CONTROL) !== 0 && i < values.length - 1) {
      reporter.fault(value, "is a control value, but not the last of its block");
    }
    if (opcode === Op.Parameter) reporter.fault(value, "is a parameter, but is in a block");
    if (!checkRow(value, byId, reporter)) continue;
    if (a !== null) checkUse(tables, value, a, 0, index, i);
    if (b !== null) checkUse(tables, value, b, 1, index, i);
    if (c !== null) checkUse(tables, value, c, 2, index, i);
    if (rest !== null) {
      for (let r = 0; r < rest.length; r++) checkUse(tables, value, rest[r], REST + r, index, i);
    }
    if (NAMES[opcode] !== NAMES_NOTHING) checkNamed(tables, value, index, i);
    if (isReturn(opcode)) checkReturn(proc, value, returnedValues(value), reporter);
    if (opcode === Op.Extract) checkExtract(value, reporter);
    if (opcode === Op.TailCall && value.extra !== proc) {
      reporter.fault(value, `calls in tail position, and not ${proc.name} itself`);
    }
    if (opcode === Op.PatchpointReturn) {
      const result = value.patchpoint?.result ?? Void;
      checkReturn(proc, value, result === Void ? [] : [{ type: result }], reporter);
    }
  }
  reporter.block = null;
}

/** The ordinal of the operand that is the address of the access; NO_ADDRESS if there is none. */
const NO_ADDRESS = 3;
/** The ordinal of the first operand in `rest`. */
const REST = 4;
const ADDRESS_OPERAND = Uint8Array.from(ALL_OPCODES, (opcode) => {
  const offset = specOf(opcode).args.indexOf("Offset");
  const isOfHeap = (EFFECTS[opcode] & ATOMIC) !== 0; // never of a slot
  return offset < 0 || isOfHeap ? NO_ADDRESS : offset - 1;
});

function checkUse(
  tables: ValueTables,
  user: Value,
  used: Value,
  ordinal: number,
  block: number,
  position: number,
): void {
  const { isSlotAddress, place, reporter } = tables;
  if (!isAvailable(tables, used, block, position)) {
    const from = place[used.id];
    if (from === block) reporter.fault(user, `@${used.id} is used before its definition`);
    else if (from < 0) reporter.fault(user, `@${used.id} belongs to an exit block`);
    else reporter.fault(user, `@${used.id} does not dominate this use`);
  }
  checkFunctionUse(tables, user, used, ordinal);
  const base = isSlotAddress[used.id];
  if (NAMES_KIND[user.opcode] === 1 || (ordinal >= REST && user.host?.kept === "takes")) {
    checkAddress(user, used, ordinal - REST, base, reporter);
    return;
  }
  if (base === 0) return;
  if (user.opcode === Op.Identity || user.opcode === Op.Opaque || user.opcode === Op.Add) {
    const other = user.opcode === Op.Add && ordinal === 1 ? user.a : null;
    if (other !== null && isSlotAddress[other.id] !== 0) {
      reporter.fault(user, `@${other.id} and @${used.id} are both addresses of slots`);
    }
    isSlotAddress[user.id] = base;
  } else if (base === FRAME) {
    reporter.fault(user, `@${used.id} is an address in the frame; only a patchpoint may use it`);
  } else if (ordinal >= NO_ADDRESS || ADDRESS_OPERAND[user.opcode] !== ordinal) {
    reporter.fault(user, `@${used.id} is the address of a slot; only an address operand may be`);
  } else if (user.memoryClass !== 0) {
    reporter.fault(user, "accesses a slot, which has no classes");
  }
}

function checkFunctionUse(
  { isFunctionAddress, reporter }: ValueTables,
  user: Value,
  used: Value,
  ordinal: number,
): void {
  const calls = CALLS_ADDRESS[user.opcode] === 1 && ordinal === 0;
  if (isFunctionAddress[used.id] === 0) {
    if (calls) reporter.fault(user, `@${used.id} is not the address of a procedure`);
  } else if (user.opcode === Op.Identity || (user.opcode === Op.Select && ordinal > 0)) {
    isFunctionAddress[user.id] = 1;
  } else if (!calls) {
    reporter.fault(user, `@${used.id} is the address of a procedure; only a call may use it`);
  }
}

const NAMES_NOTHING = 0;
const NAMES_SLOT = 1;
const NAMES_PHI = 2;
const NAMES_SNAPSHOT = 3;
const IS_PHI = 4;
const NAMES_CASES = 5;
const NAMES_PROCEDURE = 6;
const NAMES_REGISTER = 7;
const IS_FRAME = 8;
const NAMES = Uint8Array.from(ALL_OPCODES, (opcode) => {
  if (opcode === Op.Phi) return IS_PHI;
  if (opcode === Op.FramePointer) return IS_FRAME;
  if (hasAttribute(opcode, "Register")) return NAMES_REGISTER;
  if (hasAttribute(opcode, "Slot")) return NAMES_SLOT;
  if (hasAttribute(opcode, "Callee") || hasAttribute(opcode, "Function")) return NAMES_PROCEDURE;
  if (hasAttribute(opcode, "Phi")) return NAMES_PHI;
  if (hasAttribute(opcode, "Cases")) return NAMES_CASES;
  return hasAttribute(opcode, "Snapshot") ? NAMES_SNAPSHOT : NAMES_NOTHING;
});

function checkNamed(tables: ValueTables, value: Value, block: number, position: number): void {
  const { proc, byId, reporter, snapshotIndex, guards, flow } = tables;
  const { extra } = value;
  const isReachable = flow.first[block] >= 0;
  switch (NAMES[value.opcode]) {
    case NAMES_SLOT:
      markOwnAddress(tables, value);
      if (!(extra instanceof StackSlot && tables.slots.has(extra))) {
        reporter.fault(value, "names no slot of the procedure");
      }
      break;
    case NAMES_PROCEDURE:
      markOwnAddress(tables, value);
      if (value.host !== null) break;
      if (!(extra instanceof Procedure && tables.procedures.has(extra))) {
        reporter.fault(value, "names no procedure of the module");
      }
      break;
    case NAMES_PHI:
      if (!(extra instanceof Value && byId[extra.id] === extra && extra.opcode === Op.Phi)) {
        reporter.fault(value, "names no Phi of the procedure");
        break;
      }
      if (value.a !== null && value.a.type !== extra.type) {
        const types = `${nameOfType(value.a.type)} to a Phi of type ${nameOfType(extra.type)}`;
        reporter.fault(value, `writes ${types}`);
      }
      if (isReachable) tables.upsilons.push({ phi: extra.id, block, position });
      break;
    case IS_PHI:
      if (isReachable) tables.readers.push({ id: value.id, block, position, writers: [] });
      break;
    case NAMES_REGISTER:
      checkArgumentReg(proc, value, reporter);
      break;
    case IS_FRAME:
      markOwnAddress(tables, value);
      break;
    case NAMES_CASES:
      if (extra instanceof SwitchCases) checkCases(value, extra, reporter);
      else reporter.fault(value, "has no cases");
      break;
    case NAMES_SNAPSHOT: {
      const index = extra instanceof Snapshot ? (snapshotIndex[extra.id] ?? -1) : -1;
      if (index < 0 || proc.snapshots[index] !== extra) {
        reporter.fault(value, "names no snapshot of the procedure");
      } else if (isReachable) {
        // A call that is a guard is tested after its result, so its snapshot may use the result.
        const guardAt = guardsResult(value.opcode) ? position + 1 : position;
        guards.add(index, flow.first[block], guardAt);
      }
      break;
    }
  }
}

function checkReturn(
  { result, further }: Procedure,
  value: Value,
  returned: readonly { readonly type: Type }[],
  reporter: FaultReporter,
): void {
  if (value.a === null && value.b !== null) reporter.fault(value, "has no first result");
  if (value.b === null && value.c !== null) reporter.fault(value, "has no second result");
  const given = returned.map(({ type }) => type);
  const wanted = result === Void ? [] : [result, ...further];
  if (given.length === wanted.length && given.every((type, i) => type === wanted[i])) return;
  const expected = `the procedure gives ${namesOf(wanted)}`;
  reporter.fault(value, `returns ${namesOf(given)}, ${expected}`);
}

const namesOf = (types: readonly Type[]): string =>
  types.length === 0 ? nameOfType(Void) : types.map(nameOfType).join(", ");

function checkPhis({ proc, flow, readers, upsilons, reporter, byId }: ValueTables): void {
  if (readers.length === 0) return;
  const readerIndex = zeroedWords(proc.valueIdEnd).fill(-1);
  for (let r = 0; r < readers.length; r++) readerIndex[readers[r].id] = r;
  for (const { phi, block, position } of upsilons) {
    if (readerIndex[phi] >= 0) readers[readerIndex[phi]].writers.push({ block, position });
  }
  const unwritten = findUnwrittenPhis(flow, readers);
  if (unwritten === null) {
    reporter.fault(null, "too many blocks and Phis to determine whether each Phi is written");
    return;
  }
  for (const id of unwritten) {
    reporter.block = byId[id]?.block?.id ?? null;
    reporter.fault(byId[id] ?? null, "a path from the entry reaches the Phi before any Upsilon");
  }
  reporter.block = null;
}
