// Calls host functions and patchpoints: docs/language.md, section 6. interpret.ts calls procedures.

import {
  ASKED,
  type HostFunction,
  KEPT_BYTES,
  type KeptAddresses,
  purifyWords,
  TAKEN_ADDRESS,
} from "../ir/host-functions.js";
import type { PatchpointKind } from "../ir/patchpoints.js";
import { Int64, isFloating, Void } from "../ir/types.js";
import type { OperandMemory } from "../ir/user-patchpoints.js";
import { wideBits, wideWords } from "../ir/words.js";
import { checkNotCut, checkWritable, lookAtBytes, rangeAt } from "./accesses.js";
import { lookAtIntegers, type ValueResult } from "./computing.js";
import {
  type ByteRange,
  bitsAsNumber,
  datumOf,
  readBytes,
  type StoredBits,
  show,
  writeBytes,
} from "./memory.js";
import { meaningOf } from "./patchpoints.js";
import { endIfNaNBits, endIfUndefined, type ProcedureRun } from "./state.js";

/** The results of a call, and whether the callee requests that its caller leave. */
export interface CallResult {
  readonly results: readonly StoredBits[];
  readonly asks: boolean;
}

/** Calls a host function (language.md, section 6). */
export function callHost(
  run: ProcedureRun,
  host: HostFunction,
  args: readonly StoredBits[],
): CallResult {
  const { heap } = run;
  lookAtIntegers(run, args);
  const isWhole = host.class === "read" || host.class === "write";
  endIfUndefined(run, isWhole && heap.objects.length > 1, "byte of an object");
  if (isWhole) lookAtBytes(run, { memory: heap, at: 0, size: heap.bytes.length });
  const words = new Int32Array(2 * Math.max(1, args.length));
  for (const [i, { type, lo, hi }] of args.entries()) {
    words.set([lo, hi], 2 * i);
    if (isFloating(type)) purifyWords(words, 2 * i, type);
  }
  const before = host.class === "write" ? heap.bytes.slice() : heap.bytes;
  host.apply(words, heap.bytes, keptSlots(run, args));
  const isChanged = before.some((byte, at) => byte !== heap.bytes[at] && heap.invariant[at] === 1);
  endIfUndefined(run, isChanged, "invariant byte written");
  if (host.class !== "pure" && host.class !== "read") {
    const isHidden = (i: number): boolean => host.kept === "takes" && i === TAKEN_ADDRESS;
    const seen = args.map((each, i) => (isHidden(i) ? datumOf(Int64, 0n) : each));
    run.events.push({ name: host.name, args: seen });
    show(heap, args);
  }
  if (isFloating(host.result)) purifyWords(words, 0, host.result);
  const results = host.result === Void ? [] : [datumOf(host.result, wideBits(words[0], words[1]))];
  return { results, asks: host.asks && words[ASKED] !== 0 };
}

/** Returns the host's places, as host functions use them (language.md, section 6). */
function keptSlots(run: ProcedureRun, args: readonly StoredBits[]): KeptAddresses {
  const keepAt = (place: number, address: StoredBits | null): void => {
    run.execution.kept[place] = { address, by: run };
  };
  return {
    keep: (place) => keepAt(place, args[TAKEN_ADDRESS]),
    drop: (place) => keepAt(place, null),
    read: (place, words) => {
      const found = keptRange(run, place);
      if (found !== null) lookAtBytes(run, found);
      words.set(wideWords(found === null ? 0n : readBytes(found)));
    },
    write: (place, lo, hi) => {
      const found = keptRange(run, place);
      if (found === null) return;
      checkNotCut(run, found);
      writeBytes(found, datumOf(Int64, wideBits(lo, hi)));
    },
  };
}

/**
 * Returns the bytes at the address that the place keeps, or null if it keeps none. Using an address whose frame is gone
 * is undefined (language.md, section 6).
 */
function keptRange(run: ProcedureRun, place: number): ByteRange | null {
  const { address = null, by = run } = run.execution.kept[place] ?? {};
  if (address === null && !by.isOver) return null;
  const isGone = by !== run || address?.slot?.isGone !== false;
  endIfUndefined(run, isGone, "slot of a frame that is gone");
  return address === null ? null : rangeAt(run, address, 0, KEPT_BYTES);
}

/** Executes a patchpoint of the kind, and returns its result (language.md, section 6, Patchpoints). */
export function patchpoint(
  run: ProcedureRun,
  kind: PatchpointKind,
  args: readonly StoredBits[],
): ValueResult {
  const looksAt = (i: number): boolean => kind.parameters[i].place !== "keepAlive";
  endIfNaNBits(
    run,
    args.some(({ anyNaN }, i) => anyNaN && looksAt(i)),
  );
  const windows = kind.bytes === 0 ? [] : [windowAt(run, args[0], kind)];
  const result = meaningOf(kind)(...args.map(bitsAsNumber), ...windows);
  if (result === null) return "exits";
  return result === undefined ? null : datumOf(kind.result, BigInt(result));
}

/** Returns the bytes that a patchpoint reads or writes (language.md, section 6, Patchpoints). */
function windowAt(
  run: ProcedureRun,
  address: StoredBits,
  { bytes, effect }: PatchpointKind,
): OperandMemory {
  const range = rangeAt(run, address, 0, bytes);
  lookAtBytes(run, range);
  if (effect === "write") checkWritable(run, range);
  return {
    read: () => BigInt.asIntN(8 * bytes, readBytes(range)),
    write: (bits): undefined => {
      writeBytes(range, datumOf(Int64, bits));
    },
  };
}
