// Bytecode while it is made: words at the end, and what the procedure has on its stacks there.

import { assert } from "../support/assert.js";
import { type Signature, signatureWord, wordOf } from "./code.js";
import { type Kind, PRIMITIVES, primitiveNamed } from "./primitives.js";

/** What a cell holds; of `any` only the word behind it tells. */
export type Held = Kind;

/** A procedure, or a superinstruction: where it begins is known when it is made. */
export interface Callee {
  readonly takes: readonly Held[];
  readonly gives: readonly Held[];
  at: number | null;
}

export class CodeMaker {
  readonly words: number[] = [];
  /** Cells of the procedure, the top last, and words on the return stack above its return address. */
  cells: Held[] = [];
  kept = 0;
  /** Words that name a callee. */
  private readonly calls: {
    readonly at: number;
    readonly name: string;
    readonly callee: Callee;
  }[] = [];

  begin(callee: Callee): void {
    callee.at = this.words.length;
    this.cells = [...callee.takes];
    this.kept = 0;
    const signature: Signature = { takes: callee.takes.length, gives: callee.gives.length };
    this.words.push(signatureWord(signature));
  }

  top(depth = 0): Held | undefined {
    return this.cells.at(-1 - depth);
  }

  /** A word that only computes or moves: its effect is known by its name. */
  emit(name: string, immediate = 0): void {
    this.words.push(wordOf(name, immediate));
    const number = primitiveNamed(name);
    assert(number !== null, () => `no primitive is named ${name}`);
    PRIMITIVES[number].does(this.effects);
  }

  call(name: "CALL" | "SUPER", callee: Callee): void {
    this.calls.push({ at: this.words.length, name, callee });
    this.words.push(0);
    this.cells.splice(this.cells.length - callee.takes.length);
    this.cells.push(...callee.gives);
  }

  /** A jump forward, whose target `land` says. */
  jump(name: "JUMP" | "JZ" | "JNZ"): { readonly at: number; readonly name: string } {
    if (name !== "JUMP") this.cells.pop();
    this.words.push(0);
    return { at: this.words.length - 1, name };
  }

  land({ at, name }: { readonly at: number; readonly name: string }): void {
    this.words[at] = wordOf(name, this.words.length);
  }

  /** All callees are made. */
  finish(): readonly number[] {
    for (const { at, name, callee } of this.calls) {
      assert(callee.at !== null, () => `the callee of word ${at} was not made`);
      this.words[at] = wordOf(name, callee.at);
    }
    return this.words;
  }

  /** The steps of a primitive, done to what the cells hold. */
  private readonly effects = {
    immediate: (): Held => "int",
    nextAddress: (): Held => "int",
    pop: (): Held => {
      const held = this.cells.pop();
      assert(held !== undefined, () => `word ${this.words.length - 1} finds no cell`);
      return held;
    },
    push: (kind: Held, held: Held): void => {
      this.cells.push(kind === "any" ? held : kind);
    },
    popReturn: (): Held => {
      this.kept--;
      return "int";
    },
    pushReturn: (): void => {
      this.kept++;
    },
    local: (): Held => "int",
    setLocal: (): void => {},
    load: (): Held => "int",
    store: (): void => {},
    compute: (_opcode: string, _operands: readonly Held[], _takes: Held, gives: Held): Held =>
      gives,
    log: (): void => {},
    box: (): Held => "box",
    tagOf: (): Held => "int",
    payloadOf: (): Held => "int",
    checkTag: (): void => {},
    truthOf: (): Held => "int",
    checkRoom: (): void => {},
    jump: (): void => {},
    jumpIf: (): void => {},
    /** To the return address, which is not counted. */
    jumpTo: (): void => {
      this.kept++;
    },
    halt: (): void => {},
  };
}
