// Records the bytecode that a module interprets, instead of the interpreter's instructions. A trace
// begins at an edge: a word to which a loop or a call jumps.

import type { OracleMachine } from "../oracle/fast/machine.js";
import type { ProgramFacts } from "../record/program-facts.js";
import type { ProgramPoint } from "../record/recorded-trace.js";
import {
  InstructionLevel,
  type Recorder,
  type RecorderOptions,
  type RecordingLevel,
  type RecordingStart,
} from "../record/recorder.js";
import { codeOf } from "./interpreter-module.js";
import { InterpreterState } from "./interpreter-state.js";
import { WordRecorder } from "./word-recorder.js";

/** Returns the level to record: the bytecode if the module is an interpreter of bytecode. */
export function recordingLevelOf(facts: ProgramFacts): RecordingLevel {
  const code = codeOf(facts.module);
  if (code === null) return new InstructionLevel(facts);
  return new BytecodeLevel(new InterpreterState(facts, code));
}

class BytecodeLevel implements RecordingLevel {
  private readonly state: InterpreterState;

  constructor(state: InterpreterState) {
    this.state = state;
  }

  headAt(m: OracleMachine, pc: number): number | null {
    return pc === this.state.edgePc ? this.state.lowOf(m, "ip") : null;
  }

  pointAt(m: OracleMachine, pc: number): ProgramPoint {
    return this.state.pointOf(pc, this.state.lowOf(m, "ip"));
  }

  newRecorder(options: RecorderOptions, beginning: RecordingStart): Recorder {
    return new WordRecorder(this.state, options, beginning);
  }
}
