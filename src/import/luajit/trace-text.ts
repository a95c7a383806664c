// Collects the text of the procedure of a trace: constants first, snapshots, then blocks.

import type { TypeName } from "../../ir/types.js";

export interface TextValue {
  readonly type: TypeName;
  readonly id: string;
}

export class TraceText {
  private readonly constants = new Map<string, TextValue>();
  private readonly constantLines: string[] = [];
  private readonly snapshots: string[] = [];
  private readonly lines: string[] = [];
  private next: number;

  /** @param parameters the number of parameters, whose ids come first */
  constructor(parameters: number) {
    this.next = parameters;
  }

  newId = (): string => `@${this.next++}`;

  emit(type: TypeName, text: string): TextValue {
    const id = this.newId();
    this.lines.push(`  ${type} ${id} = ${text}`);
    return { type, id };
  }

  /** Writes the definition of an id that is used before. */
  define(type: TypeName, id: string, text: string): void {
    this.lines.push(`  ${type} ${id} = ${text}`);
  }

  op = (type: TypeName, opcode: string, ...operands: readonly TextValue[]): TextValue =>
    this.emit(type, `${opcode}(${operands.map(({ id }) => id).join(", ")})`);

  load = (type: TypeName, address: TextValue, opcode = "Load"): TextValue =>
    this.emit(type, `${opcode}(${address.id})`);

  store(value: TextValue, address: TextValue, offset = 0, opcode = "Store"): void {
    const at = offset === 0 ? "" : `, offset = ${offset}`;
    this.emit("Void", `${opcode}(${value.id}, ${address.id}${at})`);
  }

  call = (type: TypeName, callee: string, ...args: readonly TextValue[]): TextValue =>
    this.emit(type, `CCall(${[callee, ...args.map(({ id }) => id)].join(", ")})`);

  int = (value: number): TextValue => this.constant("Int32", `Const32(${value | 0})`);
  long = (value: bigint | number): TextValue =>
    this.constant("Int64", `Const64(${BigInt.asIntN(64, BigInt(value))})`);
  double = (bits: bigint): TextValue => {
    const value = this.long(bits);
    return this.constant("Double", `BitwiseCast(${value.id})`);
  };

  private constant(type: TypeName, text: string): TextValue {
    const known = this.constants.get(text);
    if (known !== undefined) return known;
    const value = { type, id: this.newId() };
    this.constants.set(text, value);
    this.constantLines.push(`  ${type} ${value.id} = ${text}`);
    return value;
  }

  /** @param exit the number of the exit @returns the name */
  snapshot(exit: number, block: readonly string[], frame: string): string {
    const name = `s${this.snapshots.length}`;
    const shown = block.length === 0 ? "" : ` block {\n${block.join("\n")}\n}`;
    this.snapshots.push(`snapshot ${name} = exit ${exit}${shown} frames [${frame}]`);
    return name;
  }

  startBlock(number: number): void {
    this.lines.push(`#${number}:`);
  }

  /** @param head the line `proc ...` @param first lines of the entry, after the constants */
  print = (head: string, first: readonly string[]): string =>
    [head, ...this.snapshots, "#0:", ...this.constantLines, ...first, ...this.lines].join("\n");
}
