// Judges each pass of LLVM: the function before it and after it run on the same calls, and the later behavior must be
// one that the earlier code allows. No machine code runs, so a difference is the pass's.

import { SeedSource } from "../support/source.js";
import { drawCall } from "./inputs.js";
import { type GlobalSizes, type LlvmCall, LlvmInterpreter } from "./interpret.js";
import { LlvmError } from "./llvm-error.js";
import type { LlvmFunction, LlvmModule } from "./module.js";
import { type LlvmOutcome, refines } from "./outcome.js";
import { parseLlvm } from "./parse.js";
import type { PassLog } from "./pass-dumps.js";

export interface WrongPass {
  readonly pass: string;
  readonly unit: string;
  readonly call: LlvmCall;
  readonly detail: string;
  /** The function before the pass, and after it. */
  readonly before: string;
  readonly after: string;
}

export interface FunctionVerdicts {
  readonly name: string;
  /** Passes that changed the function or one that it calls. */
  readonly passes: number;
  readonly equal: number;
  /** Executions that are undefined or depend on an open choice. */
  readonly open: number;
  /** Passes whose result cannot be interpreted, with the reason; the next one is compared with the one before. */
  readonly outside: readonly { readonly pass: string; readonly why: string }[];
  /** The reason why the function itself cannot be interpreted; null if it can. */
  readonly refused: string | null;
  readonly wrong: WrongPass | null;
}

interface JudgeOptions {
  readonly seed?: bigint;
  /** Calls of each function. */
  readonly calls?: number;
  /** Reports the number of dumps that were judged. */
  readonly onProgress?: (dumps: number, of: number) => void;
}

const CALLS = 40;
/** Draws for each call that is judged: many calls of a function are undefined. */
const DRAWS_PER_CALL = 4;
/** Steps of the code after a pass, for each of the code before: what takes more is endless. */
const STEPS_FACTOR = 64;
const STEPS_MORE = 20_000;

/** The last version of a function that could be interpreted, with its executions. */
interface FunctionVersion {
  readonly module: LlvmModule;
  readonly outcomes: readonly LlvmOutcome[];
}

interface FunctionState {
  readonly name: string;
  readonly calls: readonly LlvmCall[];
  version: FunctionVersion;
  passes: number;
  equal: number;
  open: number;
  readonly outside: { pass: string; why: string }[];
  wrong: WrongPass | null;
}

/** @throws LlvmError if the first text is malformed */
export function judgePasses(
  { first, dumps }: PassLog,
  options: JudgeOptions = {},
): FunctionVerdicts[] {
  const judge = new PassJudge(parseLlvm(first), options);
  dumps.forEach(({ pass, unit, text }, i) => {
    judge.take(pass, unit, text);
    options.onProgress?.(i + 1, dumps.length);
  });
  return judge.result;
}

class PassJudge {
  private module: LlvmModule;
  private readonly book: GlobalSizes = new Map();
  private readonly states: FunctionState[] = [];
  private readonly refused: FunctionVerdicts[] = [];

  constructor(module: LlvmModule, { seed = 1n, calls = CALLS }: JudgeOptions) {
    this.module = module;
    for (const called of module.functions.values()) {
      if (called.blocks === null || !called.isExternal) continue;
      const why = refusalOf(called);
      const state = why ?? this.begin(called, seed, calls);
      if (typeof state === "string")
        this.refused.push({ ...NOTHING, name: called.name, refused: state });
      else this.states.push(state);
    }
  }

  get result(): FunctionVerdicts[] {
    const judged = this.states.map(({ name, passes, equal, open, outside, wrong }) => {
      return { name, passes, equal, open, outside, wrong, refused: null };
    });
    return [...judged, ...this.refused];
  }

  /** Draws calls that the first text defines. Without one, returns the reason. */
  private begin(called: LlvmFunction, seed: bigint, count: number): FunctionState | string {
    const source = new SeedSource(seed, called.name);
    const calls: LlvmCall[] = [];
    const outcomes: LlvmOutcome[] = [];
    let left = count * DRAWS_PER_CALL;
    let reason = "no call was drawn";
    for (; calls.length < count && left > 0; left--) {
      const call = drawCall(called, source, left);
      const outcome = this.runBefore(this.module, called.name, call);
      if (outcome.ending === "undefined" || outcome.ending === "unjudged") {
        reason = outcome.reason ?? outcome.ending;
        continue;
      }
      calls.push(call);
      outcomes.push(outcome);
    }
    if (calls.length === 0) return `no drawn call is defined: ${reason}`;
    const version = { module: this.module, outcomes };
    const counts = { passes: 0, equal: 0, open: 0, outside: [], wrong: null };
    return { name: called.name, calls, version, ...counts };
  }

  private runBefore(module: LlvmModule, name: string, call: LlvmCall): LlvmOutcome {
    return new LlvmInterpreter(module, "before", this.book).run(name, call);
  }

  take(pass: string, unit: string, text: string): void {
    const previous = this.module;
    try {
      this.module = parseLlvm(text, previous);
    } catch (error) {
      if (!(error instanceof LlvmError)) throw error;
      const why = `line ${error.line} of the dump: ${error.message}`;
      for (const state of this.states) state.outside.push({ pass, why });
      return;
    }
    const changed = changedIn(previous, this.module);
    for (const state of this.states) {
      if (state.wrong !== null || !reaches(this.module, state.name, changed)) continue;
      this.judge(state, pass, unit);
    }
  }

  private judge(state: FunctionState, pass: string, unit: string): void {
    const { name, version, calls } = state;
    const called = this.module.functions.get(name);
    const why = called === undefined ? "the function was removed" : refusalOf(called);
    if (why !== null) {
      state.outside.push({ pass, why });
      return;
    }
    state.passes++;
    for (const [i, call] of calls.entries()) {
      const before = version.outcomes[i];
      const stepsMax = STEPS_FACTOR * before.steps + STEPS_MORE;
      const after = new LlvmInterpreter(this.module, "after", this.book, stepsMax).run(name, call);
      const verdict = refines(before, after);
      if (verdict.kind === "equal") state.equal++;
      else if (verdict.kind === "open") state.open++;
      else {
        const texts = [version.module, this.module].map(
          (module) => module.functions.get(name)?.text ?? "",
        );
        const [beforeText, afterText] = texts;
        const { detail } = verdict;
        state.wrong = { pass, unit, call, detail, before: beforeText, after: afterText };
        return;
      }
    }
    const outcomes = calls.map((call) => this.runBefore(this.module, name, call));
    state.version = { module: this.module, outcomes };
  }
}

const NOTHING = { passes: 0, equal: 0, open: 0, outside: [], wrong: null };

function refusalOf({ outside, isVariadic, parameters, type }: LlvmFunction): string | null {
  if (outside !== null) return outside;
  if (isVariadic) return "the function is variadic";
  const types = [type, ...parameters.map((each) => each.type)];
  return types.some(({ kind }) => kind === "struct" || kind === "array")
    ? "a parameter or the result is an aggregate"
    : null;
}

function changedIn(previous: LlvmModule, now: LlvmModule): Set<string> {
  const changed = new Set<string>();
  for (const [name, { text }] of now.functions) {
    if (previous.functions.get(name)?.text !== text) changed.add(name);
  }
  return changed;
}

/** Whether the function is one of those, or calls one, directly or not. */
function reaches(module: LlvmModule, name: string, names: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  const worklist = [name];
  for (let next = worklist.pop(); next !== undefined; next = worklist.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (names.has(next)) return true;
    for (const { instructions } of module.functions.get(next)?.blocks ?? []) {
      for (const { opcode, operands } of instructions) {
        const [callee] = operands;
        if (opcode === "call" && callee.operand.kind === "global")
          worklist.push(callee.operand.name);
      }
    }
  }
  return false;
}
