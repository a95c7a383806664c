// Reads the events that the trace driver writes (src/engine/luajit): a line of JSON each.

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

/** A state that was captured. After a new trace, or at an exit of machine code. */
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

/** Events may come from another version of the driver, so each field is checked. */
class EventReader {
  private readonly line: number;
  private readonly fields: Readonly<Record<string, unknown>>;

  constructor(line: number, value: unknown) {
    this.line = line;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw this.fault("expected an object");
    this.fields = { ...value };
  }

  fault(why: string): ImportError {
    return new ImportError(`line ${this.line} of the recorded traces: ${why}`);
  }

  text(name: string): string {
    const value = this.fields[name];
    if (typeof value !== "string") throw this.fault(`expected a text '${name}'`);
    return value;
  }

  number(name: string): number {
    return this.integer(name, this.fields[name]);
  }

  maybe(name: string): number | null {
    const value = this.fields[name];
    return value === null ? null : this.integer(name, value);
  }

  hex(name: string): bigint {
    const text = this.text(name);
    if (!/^[0-9a-f]{1,16}$/.test(text)) throw this.fault(`expected hexadecimal digits '${name}'`);
    return BigInt(`0x${text}`);
  }

  list(name: string): readonly unknown[] {
    const value = this.fields[name];
    // An empty table of Lua is an empty list.
    if (!Array.isArray(value)) throw this.fault(`expected a list '${name}'`);
    return value;
  }

  texts(name: string): string[] {
    return this.list(name).map((value) => {
      if (typeof value !== "string") throw this.fault(`expected texts in '${name}'`);
      return value;
    });
  }

  numbers(name: string): number[] {
    return this.list(name).map((value) => this.integer(name, value));
  }

  readers(name: string): EventReader[] {
    return this.list(name).map((value) => new EventReader(this.line, value));
  }

  instructions(): TraceInstruction[] {
    return this.list("instructions").map((value) => {
      if (!Array.isArray(value) || typeof value[0] !== "string")
        throw this.fault("expected an instruction with opcode, type and operands");
      const [opcode, ...rest] = value;
      const [type, op1, op2] = rest.map((each) => this.integer("instructions", each));
      if (op2 === undefined) throw this.fault("expected two operands of an instruction");
      return { opcode, type: type & 31, isGuard: (type & 128) !== 0, op1, op2 };
    });
  }

  private integer(name: string, value: unknown): number {
    if (typeof value !== "number" || !Number.isSafeInteger(value))
      throw this.fault(`expected an integer '${name}'`);
    return value;
  }
}

/** @throws ImportError with the line of a malformed event */
export function readEvents(text: string): RecordedTraces {
  const traces: RecordedTrace[] = [];
  const states: {
    state: number;
    trace: number;
    exit: number | null;
    left: CapturedState["left"];
  }[] = [];
  let about: Pick<RecordedTraces, "fields" | "calls" | "bytecodes" | "nilNode" | "memmove"> | null =
    null;
  let error: string | null = "it ended too early";
  for (const [i, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const event = new EventReader(i + 1, parsed(line));
    const kind = event.text("event");
    if (kind === "start") {
      const nilNode = Number(event.hex("nil"));
      const [fields, calls] = [event.texts("fields"), event.texts("calls")];
      about = {
        fields,
        calls,
        bytecodes: event.texts("bytecodes"),
        nilNode,
        memmove: event.hex("memmove"),
      };
    } else if (kind === "trace") traces.push(traceOf(event));
    else if (kind === "state") {
      const state = event.maybe("state");
      if (state !== null)
        states.push({ state, trace: event.number("trace"), exit: event.maybe("exit"), left: null });
    } else if (kind === "exit") {
      const state = event.number("state");
      const found = states.find((each) => each.state === state);
      if (found === undefined) throw event.fault(`there is no state ${state}`);
      found.left = { trace: event.number("trace"), exit: event.number("exit") };
    } else if (kind === "end") error = event.number("failed") === 0 ? null : event.text("error");
    else throw event.fault(`unknown event '${kind}'`);
  }
  if (about === null) throw new ImportError("the recorded traces have no first event");
  return { ...about, traces, states, error };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function traceOf(event: EventReader): RecordedTrace {
  const [parent, exit] = [event.maybe("parent"), event.maybe("exit")];
  return {
    number: event.number("trace"),
    // The exit is -1 for a trace that continues after a call of C.
    from: parent === null || exit === null || exit < 0 ? null : { trace: parent, exit },
    at: event.text("at"),
    link: event.number("link"),
    linkType: event.text("linkType"),
    path: event.number("path"),
    instructions: event.instructions(),
    constants: event.readers("constants").map((constant) => ({
      type: constant.number("type") & 31,
      bits: constant.hex("bits"),
      slot: constant.maybe("slot"),
    })),
    snapshots: event.readers("snapshots").map((snapshot) => ({
      ref: snapshot.number("ref"),
      entries: snapshot.numbers("entries"),
      pc: Number(snapshot.hex("pc")),
      base: snapshot.number("base"),
    })),
  };
}
