// Reads the events that the trace driver writes (src/engine/luajit): a line of JSON each.

import { z } from "zod";
import { ImportError } from "../import-error.js";

/** An instruction; references are positive for instructions, negative for constants, 0 for BASE. */
export interface TraceInstruction {
  readonly opcode: string;
  /** The number of an IR type: TYPES in values.ts. */
  readonly type: number;
  readonly isGuard: boolean;
  readonly op1: number;
  readonly op2: number;
}

interface TraceConstant {
  readonly type: number;
  /** An integer, the bits of a number, or an address. */
  readonly bits: bigint;
  /** The slot of the hash part at which a key is expected; null for other constants. */
  readonly slot: number | null;
}

interface TraceSnapshot {
  /** The first instruction that leaves with this snapshot. */
  readonly ref: number;
  /** Each with slot, flags and reference, as LuaJIT packs them. */
  readonly entries: readonly number[];
  /** The address of the bytecode instruction at which the interpreter continues. */
  readonly pc: number;
  /** The slots from the base of the outermost frame to that of the innermost. */
  readonly base: number;
}

export interface RecordedTrace {
  readonly number: number;
  /** The exit that a side trace continues; null for a root trace. */
  readonly from: { readonly trace: number; readonly exit: number } | null;
  /** The location in the source. */
  readonly at: string;
  readonly link: number;
  readonly linkType: string;
  /** The number of bytecode instructions that were recorded. */
  readonly path: number;
  readonly instructions: readonly TraceInstruction[];
  readonly constants: readonly TraceConstant[];
  readonly snapshots: readonly TraceSnapshot[];
}

/** A state that was captured after a new trace, or at an exit of machine code. */
interface CapturedState {
  readonly state: number;
  readonly trace: number;
  readonly exit: number | null;
  /** The next exit of machine code; null if there is none. */
  readonly left: { readonly trace: number; readonly exit: number } | null;
}

export interface RecordedTraces {
  /** Names of fields, of C functions and of bytecode instructions, by number. */
  readonly fields: readonly string[];
  readonly calls: readonly string[];
  readonly bytecodes: readonly string[];
  /** The address of the node of tables without a hash part. */
  readonly nilNode: number;
  /** The address of the function of C. */
  readonly memmove: bigint;
  readonly traces: readonly RecordedTrace[];
  readonly states: readonly CapturedState[];
  /** The error with which the program ended; null if there was none. */
  readonly error: string | null;
}

const INTEGER = z.int();
const HEX = z
  .string()
  .regex(/^[0-9a-f]{1,16}$/, "expected hexadecimal digits")
  .transform((text) => BigInt(`0x${text}`));
const TEXTS = z.array(z.string());
/** The low bits of a type. Others are flags. */
const TYPE_BITS = 31;
const GUARD_BIT = 128;

const START = z.object({
  event: z.literal("start"),
  ...{ fields: TEXTS, calls: TEXTS, bytecodes: TEXTS },
  nil: HEX.transform(Number),
  memmove: HEX,
});
const TRACE = z.object({
  event: z.literal("trace"),
  ...{ trace: INTEGER, parent: INTEGER.nullable(), exit: INTEGER.nullable() },
  ...{ at: z.string(), link: INTEGER, linkType: z.string(), path: INTEGER },
  instructions: z.array(
    z.tuple([z.string(), INTEGER, INTEGER, INTEGER], INTEGER).transform(
      ([opcode, type, op1, op2]): TraceInstruction => ({
        ...{ opcode, type: type & TYPE_BITS, isGuard: (type & GUARD_BIT) !== 0, op1, op2 },
      }),
    ),
  ),
  constants: z.array(
    z.object({
      type: INTEGER.transform((type) => type & TYPE_BITS),
      bits: HEX,
      slot: INTEGER.nullable(),
    }),
  ),
  snapshots: z.array(
    z.object({
      ...{ ref: INTEGER, entries: z.array(INTEGER), pc: HEX.transform(Number), base: INTEGER },
    }),
  ),
});
const STATE = z.object({
  event: z.literal("state"),
  ...{ state: INTEGER.nullable(), trace: INTEGER, exit: INTEGER.nullable() },
});
const EXIT = z.object({
  event: z.literal("exit"),
  ...{ state: INTEGER, trace: INTEGER, exit: INTEGER },
});
const END = z.object({
  event: z.literal("end"),
  failed: INTEGER,
  error: z.string(),
});
/** Events may come from another version of the driver, so each field is checked. */
const EVENT = z.discriminatedUnion("event", [START, TRACE, STATE, EXIT, END]);

/** @throws ImportError with the line of a malformed event */
export function readEvents(text: string): RecordedTraces {
  const traces: RecordedTrace[] = [];
  const states: { -readonly [K in keyof CapturedState]: CapturedState[K] }[] = [];
  let start: z.infer<typeof START> | null = null;
  let error: string | null = "it ended too early";
  for (const [i, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const fault = (why: string): ImportError =>
      new ImportError(`line ${i + 1} of the recorded traces: ${why}`);
    const read = EVENT.safeParse(parsed(line));
    if (!read.success) {
      const [{ path, message }] = read.error.issues;
      throw fault([...path, message].join(": "));
    }
    const event = read.data;
    switch (event.event) {
      case "start":
        start = event;
        break;
      case "trace":
        traces.push(traceOf(event));
        break;
      case "state": {
        const { state, trace, exit } = event;
        if (state !== null) states.push({ state, trace, exit, left: null });
        break;
      }
      case "exit": {
        const { state, trace, exit } = event;
        const found = states.find((each) => each.state === state);
        if (found === undefined) throw fault(`there is no state ${state}`);
        found.left = { trace, exit };
        break;
      }
      case "end":
        error = event.failed === 0 ? null : event.error;
        break;
    }
  }
  if (start === null) throw new ImportError("the recorded traces have no first event");
  const { fields, calls, bytecodes, nil: nilNode, memmove } = start;
  return { fields, calls, bytecodes, nilNode, memmove, traces, states, error };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function traceOf({ trace, parent, exit, ...rest }: z.infer<typeof TRACE>): RecordedTrace {
  // The exit is -1 for a trace that continues after a call of C.
  const isSide = parent !== null && exit !== null && exit >= 0;
  const { at, link, linkType, path, instructions, constants, snapshots } = rest;
  return {
    number: trace,
    from: isSide ? { trace: parent, exit } : null,
    ...{ at, link, linkType, path, instructions, constants, snapshots },
  };
}
