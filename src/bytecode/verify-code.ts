// Verifies bytecode, so that memory above the tops of the stacks is never read:
//
// 1. Each word is a primitive. Procedures begin with ENTER; the first one takes the arguments, and
// is at word 0.
// 2. The depths of both stacks at a word are the same on every path. A procedure pops and reads
// only its arguments and words that it has pushed.
// 3. At an EXIT the operand stack has the depth that the ENTER states, and the return address is on
// top of the return stack.
// 4. Jumps stay within their procedure, in the direction of the primitive. A superinstruction comes
// after its uses, so none contains itself.
// 5. A procedure pushes no more than its callers make room for.

import {
  ARGUMENTS,
  type BytecodeWords,
  immediateOf,
  primitiveNumber,
  primitiveOf,
  signatureOf,
  WORDS_MAX,
} from "./code.js";
import { ROOM_CELLS, ROOM_WORDS } from "./layout.js";
import { type CellKind, PRIMITIVES, type PrimitiveSteps } from "./primitives.js";

/** Ends the verification; internal. */
class BytecodeFault extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Returns the first fault with its word; null if there is none. */
export function faultOf(
  code: BytecodeWords,
): { readonly at: number; readonly message: string } | null {
  try {
    new BytecodeVerifier(code).verify();
    return null;
  } catch (error) {
    if (error instanceof BytecodeFault) return { at: error.at, message: error.message };
    throw error;
  }
}

/** The depths of a procedure's stacks: cells that it may pop, words above its return address. */
interface StackDepths {
  readonly cells: number;
  readonly words: number;
}

/** The maximum that a procedure pushes. */
interface StackGrowth {
  cells: number;
  words: number;
}

class BytecodeVerifier {
  private readonly words: readonly number[];
  /** By procedure; later procedures are computed first. */
  private readonly growths = new Map<number, StackGrowth>();

  constructor({ words }: BytecodeWords) {
    this.words = words;
  }

  verify(): void {
    const { words } = this;
    if (words.length > WORDS_MAX) fail(WORDS_MAX, `the program has more than ${WORDS_MAX} words`);
    words.forEach((word, at) => {
      if (PRIMITIVES[primitiveNumber(word)] === undefined) fail(at, "the word is not a primitive");
    });
    const starts = words.flatMap((word, at) => (primitiveOf(word).name === "ENTER" ? [at] : []));
    if (starts[0] !== 0) fail(0, "expected ENTER");
    if (signatureOf(words[0]).takes !== ARGUMENTS) fail(0, `expected ENTER of ${ARGUMENTS} cells`);
    for (let i = starts.length - 1; i >= 0; i--) {
      const end = starts[i + 1] ?? words.length;
      this.growths.set(starts[i], this.verifyProcedure(starts[i], end));
    }
  }

  private verifyProcedure(start: number, end: number): StackGrowth {
    const { words } = this;
    const { takes, gives } = signatureOf(words[start]);
    const growth: StackGrowth = { cells: 0, words: 0 };
    const depths = new Map<number, StackDepths>([[start, { cells: takes, words: 0 }]]);
    const pending = [start];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const depth = depths.get(at);
      if (depth === undefined) continue;
      const steps = new DepthSimulator(at, words[at], depth);
      primitiveOf(words[at]).applyTo(steps);
      this.applyCall(steps, start);
      growth.cells = Math.max(growth.cells, steps.peak.cells - takes);
      growth.words = Math.max(growth.words, steps.peak.words);
      if (steps.returns && (steps.cells !== gives || steps.words !== 0))
        fail(at, "the depth of a stack at EXIT is not that of the ENTER");
      for (const next of steps.targets()) {
        if (next <= start || next >= end) fail(at, `word ${next} is not in the procedure`);
        const known = depths.get(next);
        if (known === undefined) {
          depths.set(next, { cells: steps.cells, words: steps.words });
          pending.push(next);
        } else if (known.cells !== steps.cells || known.words !== steps.words) {
          fail(next, "two paths reach this word with different stack depths");
        }
      }
    }
    if (growth.cells > ROOM_CELLS || growth.words > ROOM_WORDS)
      fail(start, "the procedure pushes more cells than the stacks hold");
    return growth;
  }

  /** Checks the callee of a call, and sets the depths after the call. */
  private applyCall(steps: DepthSimulator, start: number): void {
    const { at, word } = steps;
    const { name, immediate } = primitiveOf(word);
    if (immediate !== "procedure") return;
    const target = immediateOf(word);
    const enter = this.words[target];
    if (enter === undefined || primitiveOf(enter).name !== "ENTER" || target === 0) {
      fail(at, `word ${target} is not the ENTER of a procedure`);
    }
    if (name === "SUPER") {
      const growth = this.growths.get(target);
      if (target <= start || growth === undefined)
        fail(at, "expected the superinstruction after the word that uses it");
      steps.raisePeak(growth);
    }
    const { takes, gives } = signatureOf(enter);
    steps.applyReturn(takes, gives);
  }
}

/** Applies a primitive to the depths. */
class DepthSimulator implements PrimitiveSteps<null> {
  readonly at: number;
  readonly word: number;
  cells: number;
  words: number;
  readonly peak: StackGrowth;
  returns = false;
  private fallsThrough = true;
  private jumps = false;

  constructor(at: number, word: number, { cells, words }: StackDepths) {
    this.at = at;
    this.word = word;
    this.cells = cells;
    this.words = words;
    this.peak = { cells, words };
  }

  targets(): readonly number[] {
    const { immediate } = primitiveOf(this.word);
    const next = this.fallsThrough ? [this.at + 1] : [];
    if (!this.jumps || immediate === "procedure") return next;
    const target = immediateOf(this.word);
    const isForward = target > this.at;
    if (isForward !== (immediate === "forward"))
      fail(this.at, `word ${target} is not a ${immediate} target of the jump`);
    return [...next, target];
  }

  raisePeak({ cells, words }: StackGrowth): void {
    this.peak.cells = Math.max(this.peak.cells, this.cells + cells);
    this.peak.words = Math.max(this.peak.words, this.words + words);
  }

  applyReturn(takes: number, gives: number): void {
    if (this.cells < takes) fail(this.at, `the callee expects ${takes} cells on the operand stack`);
    this.cells += gives - takes;
    this.words--;
    this.fallsThrough = true;
    this.raisePeak({ cells: 0, words: 0 });
  }

  immediate(): null {
    return null;
  }

  nextAddress(): null {
    return null;
  }

  pop(_kind: CellKind): null {
    if (this.cells === 0) fail(this.at, "the operand stack is empty");
    this.cells--;
    return null;
  }

  push(): void {
    this.cells++;
    this.raisePeak({ cells: 0, words: 0 });
  }

  popReturn(): null {
    this.words--;
    const isExit = primitiveOf(this.word).name === "EXIT";
    if (this.words < 0 && !isExit) fail(this.at, "the return stack is empty");
    return null;
  }

  pushReturn(): void {
    this.words++;
    this.raisePeak({ cells: 0, words: 0 });
  }

  local(): null {
    const index = immediateOf(this.word);
    if (index < 0 || index >= this.words) fail(this.at, `no word lies ${index} below the top`);
    return null;
  }

  setLocal(): void {
    const index = immediateOf(this.word);
    if (index < 0 || index >= this.words) fail(this.at, `no word lies ${index} below the top`);
  }

  load(): null {
    return null;
  }

  store(): void {}

  compute(): null {
    return null;
  }

  log(): void {}

  box(): null {
    return null;
  }

  tagOf(): null {
    return null;
  }

  payloadOf(): null {
    return null;
  }

  checkTag(): void {
    if (this.cells === 0) fail(this.at, "the operand stack is empty");
  }

  truthOf(): null {
    return null;
  }

  checkRoom(): void {}

  jump(): void {
    this.jumps = true;
    this.fallsThrough = false;
  }

  jumpIf(): void {
    this.jumps = true;
  }

  /** The return address was popped. */
  jumpTo(): void {
    this.words++;
    this.returns = true;
    this.fallsThrough = false;
  }

  halt(): void {
    this.fallsThrough = false;
  }
}

function fail(at: number, message: string): never {
  throw new BytecodeFault(at, message);
}
