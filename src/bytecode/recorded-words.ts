// Records a bytecode interpreter by the bytecode that it interprets. A trace begins at an edge: a
// word to which a loop or a call jumps.

import type { Machine } from "../oracle/fast/machine.js";
import type { ProgramFacts } from "../record/program-facts.js";
import type { ProgramPoint } from "../record/recorded-trace.js";
import {
  type Beginning,
  OwnInstructions,
  type Recordable,
  type Recorder,
  type RecorderOptions,
} from "../record/recorder.js";
import { codeOf } from "./interpreter-module.js";
import { InterpreterState } from "./interpreter-state.js";
import { WordRecorder } from "./word-recorder.js";

/** Returns the recordable program: the bytecode if the module is an interpreter of bytecode. */
export function recordableOf(facts: ProgramFacts): Recordable {
  const code = codeOf(facts.module);
  if (code === null) return new OwnInstructions(facts);
  return new RecordedWords(new InterpreterState(facts, code));
}

class RecordedWords implements Recordable {
  private readonly state: InterpreterState;

  constructor(state: InterpreterState) {
    this.state = state;
  }

  headAt(m: Machine, pc: number): number | null {
    return pc === this.state.edgePc ? this.state.lowOf(m, "ip") : null;
  }

  placeAt(m: Machine, pc: number): ProgramPoint {
    return this.state.placeOf(pc, this.state.lowOf(m, "ip"));
  }

  newRecorder(options: RecorderOptions, beginning: Beginning): Recorder {
    return new WordRecorder(this.state, options, beginning);
  }
}
