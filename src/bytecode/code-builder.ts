// Builds bytecode: appends words, and tracks the contents of the procedure's stacks at the current
// position.

import { assert } from "../support/assert.js";
import { type StackSignature, signatureWord, wordOf } from "./code.js";
import { type CellKind, PRIMITIVES, primitiveNamed } from "./primitives.js";

/** The contents of a cell; for `any`, the next word determines the kind. */
export type CellContents = CellKind;

/** A procedure, or a superinstruction. Its address is known after it is built. */
export interface BytecodeCallee {
  readonly takes: readonly CellContents[];
  readonly gives: readonly CellContents[];
  at: number | null;
}

export class CodeBuilder {
  readonly words: number[] = [];
  /** Cells of the procedure, the top last; the number of words above its return address. */
  cells: CellContents[] = [];
  returnWords = 0;
  /** Words that refer to a callee. */
  private readonly calls: {
    readonly at: number;
    readonly name: string;
    readonly callee: BytecodeCallee;
  }[] = [];

  begin(callee: BytecodeCallee): void {
    callee.at = this.words.length;
    this.cells = [...callee.takes];
    this.returnWords = 0;
    const signature: StackSignature = { takes: callee.takes.length, gives: callee.gives.length };
    this.words.push(signatureWord(signature));
  }

  top(depth = 0): CellContents | undefined {
    return this.cells.at(-1 - depth);
  }

  /** Appends a word that only computes or moves; its primitive determines the effect. */
  emit(name: string, immediate = 0): void {
    this.words.push(wordOf(name, immediate));
    const number = primitiveNamed(name);
    assert(number !== null, () => `no primitive is named ${name}`);
    PRIMITIVES[number].applyTo(this.effects);
  }

  call(name: "CALL" | "SUPER", callee: BytecodeCallee): void {
    this.calls.push({ at: this.words.length, name, callee });
    this.words.push(0);
    this.cells.splice(this.cells.length - callee.takes.length);
    this.cells.push(...callee.gives);
  }

  /** Appends a forward jump, whose target `bind` sets. */
  jump(name: "JUMP" | "JZ" | "JNZ"): { readonly at: number; readonly name: string } {
    if (name !== "JUMP") this.cells.pop();
    this.words.push(0);
    return { at: this.words.length - 1, name };
  }

  bind({ at, name }: { readonly at: number; readonly name: string }): void {
    this.words[at] = wordOf(name, this.words.length);
  }

  /** Sets the addresses of callees; all of them must be built. */
  finish(): readonly number[] {
    for (const { at, name, callee } of this.calls) {
      assert(callee.at !== null, () => `the callee of word ${at} was not made`);
      this.words[at] = wordOf(name, callee.at);
    }
    return this.words;
  }

  /** The steps of a primitive, applied to the contents of cells. */
  private readonly effects = {
    immediate: (): CellContents => "int",
    nextAddress: (): CellContents => "int",
    pop: (): CellContents => {
      const contents = this.cells.pop();
      assert(
        contents !== undefined,
        () => `word ${this.words.length - 1} pops a cell, but the operand stack is empty`,
      );
      return contents;
    },
    push: (kind: CellContents, held: CellContents): void => {
      this.cells.push(kind === "any" ? held : kind);
    },
    popReturn: (): CellContents => {
      this.returnWords--;
      return "int";
    },
    pushReturn: (): void => {
      this.returnWords++;
    },
    local: (): CellContents => "int",
    setLocal: (): void => {},
    load: (): CellContents => "int",
    store: (): void => {},
    compute: (
      _opcode: string,
      _operands: readonly CellContents[],
      _takes: CellContents,
      gives: CellContents,
    ): CellContents => gives,
    log: (): void => {},
    box: (): CellContents => "box",
    tagOf: (): CellContents => "int",
    payloadOf: (): CellContents => "int",
    checkTag: (): void => {},
    truthOf: (): CellContents => "int",
    checkRoom: (): void => {},
    jump: (): void => {},
    jumpIf: (): void => {},
    /** Jumps to the return address, which the counts exclude. */
    jumpTo: (): void => {
      this.returnWords++;
    },
    halt: (): void => {},
  };
}
