// Judges the traces of a Lua program, and names the optimization that makes one of them wrong.

import { judgeTraces, type TraceVerdicts } from "../../phases/luajit-phases.js";
import { LUAJIT_PASSES } from "./luajit-passes.js";
import { type RecordOptions, TraceRecording } from "./record-traces.js";

interface JudgedProgram {
  readonly traces: readonly TraceVerdicts[];
  /** The error with which the program ended; null if there was none. */
  readonly error: string | null;
}

/** @throws LuajitError, ImportError */
export function judgeLuaProgram(file: string, options: RecordOptions): JudgedProgram {
  const recording = new TraceRecording(file, options);
  try {
    return { traces: judgeTraces(recording), error: recording.recorded.error };
  } finally {
    recording.close();
  }
}

/** Returns whether the IR of a trace is wrong, as opposed to its machine code. */
export const hasWrongIr = ({ wrong }: TraceVerdicts): boolean =>
  wrong !== null && !wrong.isMachineCode;

/**
 * Returns the optimizations without which the IR of all traces is right. The choice of traces differs between runs, so
 * the program runs twice without each of them.
 */
export function causesOf(file: string, options: RecordOptions): string[] {
  return LUAJIT_PASSES.filter((name) => {
    if (options.flags.includes(`-O-${name}`)) return false;
    const flags = [...options.flags, `-O-${name}`];
    return [1, 2].every(() => {
      const { traces } = judgeLuaProgram(file, { ...options, flags });
      return traces.some(({ equal }) => equal > 0) && !traces.some(hasWrongIr);
    });
  });
}
