// Defines the records that an exported program writes to memory, and decodes them. All formats use
// the same records.
//
// Records are consecutive 32-bit words in little endian. A 64-bit value is two words, low word
// first.
//
//   event   EVENT, the index of the host function; the arguments
//   exit    EXIT, or EXIT_OF_CALLEE if the program called the activation; the index of the procedure;
//           the position of the snapshot; the contents of each slot; the heap
//   return  RETURN, the index of the procedure; the result; the heap
//
// A slot with a value contributes its bits, `contents` its bytes (rounded up to words), `fields`
// the bits of each field. Constants and dead slots contribute nothing. The entry and continuations
// record their return; a callee does not. The records of an exit's continuations follow the record
// of the exit. If the outermost continuation returns, the records of the caller follow. The module
// thus defines a grammar of the records.
//
// Input:  a module, and bytes from an engine, which may be arbitrary.
// Output: an Outcome, or a description of the error in the bytes.

import { HOST_FUNCTIONS, isObservable } from "../ir/host-functions.js";
import {
  type CalleeExit,
  type Ending,
  type FrameState,
  type HostEvent,
  type MemoryImage,
  type ObservedBits,
  type Outcome,
  returnOf,
  type SlotBits,
} from "../ir/outcome.js";
import type { FrameSlot, Module, Procedure, Snapshot, StackSlot, Value } from "../ir/procedure.js";
import { isWide, sizeOf, type Type, Void } from "../ir/types.js";

export const EVENT = 1;
export const EXIT = 2;
const EXIT_OF_CALLEE = 3;
export const RETURN = 4;

const EVENT_HEAD_BYTES = 2 * 4;
const EXIT_HEAD_BYTES = 3 * 4;

/** Returns the number of bytes that a slot contributes. */
function shownBytes(slot: FrameSlot): number {
  if (slot.kind === "value") return sizeOf(slot.value.type);
  if (slot.kind === "contents") return (slot.slot.size + 3) & ~3;
  if (slot.kind !== "fields") return 0;
  return slot.fields.reduce((sum, { value }) => sum + sizeOf(value.type), 0);
}

/** Returns the size in bytes of an exit's record before the heap. */
export const exitRecordBytes = ({ frames }: Snapshot): number =>
  frames.reduce(
    (sum, { slots }) => slots.reduce((bytes, slot) => bytes + shownBytes(slot), sum),
    EXIT_HEAD_BYTES,
  );

/** A value or slot of a record, with its offset from the record's start. */
export type RecordPart =
  | { readonly at: number; readonly value: Value }
  | { readonly at: number; readonly slot: StackSlot };

/** Returns the parts of an exit's record, which follow its three words. */
export function exitParts({ frames }: Snapshot): RecordPart[] {
  const parts: RecordPart[] = [];
  let at = EXIT_HEAD_BYTES;
  for (const { slots } of frames) {
    for (const slot of slots) {
      if (slot.kind === "value") parts.push({ at, value: slot.value });
      else if (slot.kind === "contents") parts.push({ at, slot: slot.slot });
      else if (slot.kind === "fields") {
        const values = slot.fields.map(({ value }) => value);
        parts.push(...valueParts(values, at));
      }
      at += shownBytes(slot);
    }
  }
  return parts;
}

/** Returns the parts of an event's record, which follow its two words. */
export const eventParts = (args: readonly Value[]): RecordPart[] =>
  valueParts(args, EVENT_HEAD_BYTES);

export const eventRecordBytes = (args: readonly Value[]): number =>
  args.reduce((sum, { type }) => sum + sizeOf(type), EVENT_HEAD_BYTES);

function valueParts(values: readonly Value[], start: number): RecordPart[] {
  let at = start;
  return values.map((value) => {
    at += sizeOf(value.type);
    return { at: at - sizeOf(value.type), value };
  });
}

/** Returns the size in bytes of a return's record before the heap. */
export const returnRecordBytes = (result: Type): number => 2 * 4 + sizeOf(result);

type DecodedObservation =
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  | { readonly kind: "garbage"; readonly detail: string };

class MalformedRecords extends Error {}

/** Decodes the records of one execution. */
export function decodeObservation(module: Module, bytes: Uint8Array): DecodedObservation {
  const reader = new RecordReader(module, bytes);
  try {
    const outcome = reader.outcome();
    reader.end();
    return { kind: "outcome", outcome };
  } catch (error) {
    if (error instanceof MalformedRecords) return { kind: "garbage", detail: error.message };
    throw error;
  }
}

class RecordReader {
  private readonly module: Module;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;

  constructor(module: Module, bytes: Uint8Array) {
    this.module = module;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Decodes the outcome of the entry or of a continuation. */
  outcome(): Outcome {
    const events: HostEvent[] = [];
    const calleeExits: CalleeExit[] = [];
    for (;;) {
      const tag = this.word("a record");
      if (tag === EVENT) {
        events.push(this.event());
        continue;
      }
      const ending = tag === RETURN ? this.returned() : this.exit(tag);
      if (tag === EXIT_OF_CALLEE && returnOf(ending) !== null && ending.kind === "exit") {
        calleeExits.push({ after: events.length, ending });
        continue;
      }
      // If an activation exits and its continuations return, its caller records that result again.
      if (tag === EXIT && returnOf(ending) !== null) this.checkRepeatedReturn(ending);
      return { events, ending, ...(calleeExits.length === 0 ? {} : { calleeExits }) };
    }
  }

  end(): void {
    if (this.at !== this.bytes.length) {
      this.fail(`${this.bytes.length - this.at} bytes after the last record`);
    }
  }

  private event(): HostEvent {
    const index = this.word("a host function");
    const host = HOST_FUNCTIONS[index];
    if (host === undefined || !isObservable(host))
      return this.fail(`no event is numbered ${index}`);
    return { name: host.name, args: host.parameters.map((type) => this.bits(type)) };
  }

  private returned(): Ending {
    const { result } = this.procedure();
    const bits = result === Void ? null : this.bits(result);
    return { kind: "return", result: bits, heap: this.heap() };
  }

  private checkRepeatedReturn(ending: Ending): void {
    const tag = this.word("a record");
    if (tag !== RETURN)
      this.fail(`record ${tag} where the return of an activation that exited is expected`);
    const again = this.returned();
    const result = again.kind === "return" ? again.result : null;
    const expected = returnOf(ending)?.result ?? null;
    if (result?.lo !== expected?.lo || result?.hi !== expected?.hi) {
      this.fail("an activation that exited returns another result than its outermost continuation");
    }
  }

  private exit(tag: number): Ending {
    if (tag !== EXIT && tag !== EXIT_OF_CALLEE) return this.fail(`no record is tagged ${tag}`);
    const { snapshots, name } = this.procedure();
    const position = this.word("a snapshot");
    const snapshot = snapshots[position];
    if (snapshot === undefined) return this.fail(`${name} has no snapshot at position ${position}`);
    const frames = snapshot.frames.map(
      (frame): FrameState => ({
        name: frame.name,
        point: frame.point,
        slots: frame.slots.map((slot) => this.slot(slot)),
      }),
    );
    const heap = this.heap();
    const resumed: Outcome[] = [];
    const continuations = this.module.continuations.get(snapshot.exit) ?? [];
    for (let c = 0; c < continuations.length; c++) {
      const outcome = this.outcome();
      resumed.push(outcome);
      if (returnOf(outcome.ending) === null) break;
    }
    return { kind: "exit", exit: snapshot.exit, frames, heap, resumed };
  }

  private slot(slot: FrameSlot): SlotBits {
    if (slot.kind === "value") return this.bits(slot.value.type);
    if (slot.kind === "constant") {
      const { type, lo, hi } = slot;
      return { type, lo, hi: isWide(type) ? hi : 0, anyNaN: false };
    }
    if (slot.kind === "contents") {
      const bytes = this.take(shownBytes(slot)).subarray(0, slot.slot.size);
      return imageOf(bytes);
    }
    if (slot.kind !== "fields") return null;
    const bytes = new Uint8Array(slot.size);
    for (const { offset, value } of slot.fields) bytes.set(this.take(sizeOf(value.type)), offset);
    return imageOf(bytes);
  }

  private heap(): MemoryImage {
    return imageOf(this.take(this.module.heapSize));
  }

  private procedure(): Procedure {
    const index = this.word("a procedure");
    const procedure = this.module.procedures[index];
    return procedure ?? this.fail(`no procedure is numbered ${index}`);
  }

  private bits(type: Type): ObservedBits {
    const lo = this.word("a value") | 0;
    const hi = isWide(type) ? this.word("a value") | 0 : 0;
    return { type, lo, hi, anyNaN: false };
  }

  private word(what: string): number {
    if (this.at + 4 > this.bytes.length) this.fail(`the records end where ${what} is expected`);
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  private take(count: number): Uint8Array {
    if (this.at + count > this.bytes.length) this.fail(`the records end within ${count} bytes`);
    this.at += count;
    return this.bytes.slice(this.at - count, this.at);
  }

  private fail(detail: string): never {
    throw new MalformedRecords(`observation, byte ${this.at}: ${detail}`);
  }
}

const imageOf = (bytes: Uint8Array): MemoryImage => ({ bytes, anyNaN: [], masked: [] });
