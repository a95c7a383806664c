// Writes a procedure as a fragment.
//
// Blocks follow those that dominate them, since a value is defined before its uses. A Phi is a location on the stack.
// An argument of a call is in a record, whose address is the only argument that lirasm passes; the record begins with
// the distance between the heap in memory and its address in the language. A value that is used in another block of a
// procedure with loops is kept alive to the end of the fragment, as Nanojit demands.

import { analyzeControlFlow } from "../../ir/control-flow.js";
import {
  CONSTANT,
  EFFECTS,
  nameOfOpcode,
  Op,
  type Opcode,
  PARTIAL,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import { heapContents, type Input } from "../../ir/outcome.js";
import {
  type BasicBlock,
  isMemoryAccess,
  type Module,
  type Procedure,
  type Snapshot,
  type StackSlot,
  type Value,
} from "../../ir/procedure.js";
import { Double, Int32, Int64, type Type, Void } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";
import { ExportRefusal } from "../refusal.js";
import { addressSlots, NO_SLOT } from "../slots.js";
import { isZero, type LineWriter, letterOf, purified, writeOperation } from "./operations.js";

export interface ExportedProgram {
  readonly module: Module;
  readonly input: Input;
  /** The size of the heap; 0 if the program does not access it. */
  readonly heapBytes: number;
  readonly heapBase: bigint;
  readonly names: ReadonlyMap<Procedure, string>;
}

/** The kinds of endings, as they are printed. */
export const RETURNED = 1;
export const LEFT = 2;
/** The hash of the heap: the factor of what precedes a word. */
export const HASH_FACTOR = 31;

export class FragmentWriter implements LineWriter {
  private readonly program: ExportedProgram;
  private readonly proc: Procedure;
  private readonly isEntry: boolean;
  private readonly lines: string[] = [];
  private readonly slotOf: Int32Array;
  private readonly phis = new Map<Value, string>();
  private readonly slots = new Map<StackSlot, string>();
  private readonly records = new Map<Value, string>();
  private readonly exits = new Map<Snapshot, string>();
  private readonly names = new Map<Value, string>();
  /** Values that depend on constants alone. */
  private readonly constants = new Set<Value>();
  private temporaries = 0;
  /** A location of eight bytes, which no value keeps. */
  private scratch = "";
  /** The names of the address of the heap's bytes, and of the distance from its address in the language. */
  private heap = "";
  private distance = "";

  constructor(program: ExportedProgram, proc: Procedure) {
    this.program = program;
    this.proc = proc;
    this.isEntry = proc === program.module.entry;
    this.slotOf = addressSlots(proc);
  }

  write(): string {
    const { order, position } = analyzeControlFlow(this.proc);
    this.lines.push(`.begin ${this.program.names.get(this.proc) ?? ""}`);
    this.reserve(order);
    if (this.isEntry) this.prepareEntry();
    else this.readRecord();
    for (const block of order) this.writeBlock(block, order[position[block.index] + 1] ?? null);
    for (const [snapshot, label] of this.exits) this.writeExit(snapshot, label);
    const hasLoop = order.some(({ index, successors }) =>
      successors.some((to) => position[to.index] <= position[index]),
    );
    if (hasLoop) this.keepAlive(order);
    this.lines.push(".end", "");
    return this.lines.join("\n");
  }

  // The methods of LineWriter.

  line = (instruction: string, ...operands: readonly string[]): string => {
    const name = `t${this.temporaries++}`;
    this.lines.push(`${name} = ${[instruction, ...operands].join(" ")}`);
    return name;
  };

  int = (number: number): string => this.line("immi", `${number | 0}`);
  quad = (bits: bigint): string => this.line("immq", `${BigInt.asUintN(64, bits)}`);
  double = (number: number): string => this.line("immd", `${number}`);

  private act(instruction: string, ...operands: readonly string[]): void {
    this.lines.push([instruction, ...operands].join(" "));
  }

  /** Reserves the locations on the stack. */
  private reserve(order: readonly BasicBlock[]): void {
    this.scratch = this.line("allocp", "8");
    for (const slot of this.proc.slots) this.slots.set(slot, this.line("allocp", `${slot.size}`));
    for (const value of order.flatMap(({ values }) => values)) {
      if (value.opcode === Op.Phi) this.phis.set(value, this.line("allocp", "8"));
      if (value.procedure !== null && value.rest !== null)
        this.records.set(value, this.line("allocp", `${8 * (value.rest.length + 1)}`));
    }
  }

  private prepareEntry(): void {
    const { program, proc } = this;
    const { heapBytes, input } = program;
    if (heapBytes > 0) {
      this.heap = this.line("callq", "malloc", "cdecl", this.quad(BigInt(heapBytes)));
      this.distance = this.line("subq", this.heap, this.quad(program.heapBase));
      const bytes = new Uint8Array(heapBytes);
      heapContents(bytes, input.heapSeed);
      const view = new DataView(bytes.buffer);
      for (let at = 0; at < heapBytes; at += 8)
        this.act("stq", this.quad(view.getBigUint64(at, true)), this.heap, `${at}`);
    }
    proc.parameters.forEach((parameter, p) => {
      const [lo, hi] = input.words.subarray(2 * p, 2 * p + 2);
      this.names.set(parameter, this.hidden(this.constant(parameter.type, lo, hi), parameter.type));
    });
  }

  private readRecord(): void {
    const record = this.line("paramp", "0", "0");
    if (this.program.heapBytes > 0) this.distance = this.line("ldq", record, "0");
    this.proc.parameters.forEach((parameter, p) => {
      const load = `ld${letterOf(parameter.type)}`;
      this.names.set(parameter, this.line(load, record, `${8 * (p + 1)}`));
    });
  }

  private constant(type: Type, lo: number, hi: number): string {
    if (letterOf(type) === "i") return this.int(lo);
    const bits = this.quad(wideBits(lo, hi));
    return type === Double ? this.line("qasd", bits) : bits;
  }

  private name(value: Value | null): string {
    const name = value === null ? undefined : this.names.get(value);
    if (name === undefined) throw new ExportRefusal("a value without a name");
    return name;
  }

  private writeBlock(block: BasicBlock, next: BasicBlock | null): void {
    this.lines.push(`b${block.id} = label`);
    for (const value of block.values) this.writeValue(value, block, next);
  }

  private writeValue(value: Value, block: BasicBlock, next: BasicBlock | null): void {
    if (this.isFromConstants(value)) this.constants.add(value);
    const special = SPECIAL.get(value.opcode);
    if (special !== undefined) {
      const name = special(this, value, block, next);
      if (name !== null) this.names.set(value, name);
    } else if (isMemoryAccess(value)) this.access(value);
    else if (this.slotOf[value.id] === NO_SLOT) {
      const operands = [value.a, value.b, value.c].filter((operand) => operand !== null);
      const names = operands.map((operand) => this.name(operand));
      const isDivision = [Op.Div, Op.Mod].includes(value.opcode) && value.type === Int32;
      // With a constant operand, Nanojit's simplifier fails.
      const written = isDivision ? names.map((name) => this.hidden(name)) : names;
      this.names.set(value, writeOperation(this, value, written));
    }
  }

  /** Returns a value from memory, so that Nanojit does not compute with a constant. */
  private hidden(name: string, type: Type = Int32): string {
    const letter = letterOf(type);
    this.act(`st${letter}`, name, this.scratch, "0");
    return this.line(`ld${letter}`, this.scratch, "0");
  }

  /**
   * Returns the comparison of a value with zero. Nanojit folds one of a constant, and its assembler then has no jump
   * to give a target.
   */
  private isZero(value: Value | null): string {
    const name = this.name(value);
    const type = value?.type ?? Int32;
    const isFolded = value !== null && this.isFromConstants(value);
    return isZero(this, isFolded ? this.hidden(name, type) : name, type);
  }

  private isFromConstants({ opcode, block, a, b, c }: Value): boolean {
    if (EFFECTS[opcode] === CONSTANT) return true;
    const operands = [a, b, c].filter((operand) => operand !== null);
    const isOperation = block !== null && (EFFECTS[opcode] & ~PARTIAL) === 0;
    return isOperation && operands.every((operand) => this.constants.has(operand));
  }

  // The methods that SPECIAL uses.

  constantOf({ type, constantLow, constantHigh }: Value): string {
    return this.constant(type, constantLow, constantHigh);
  }

  private access(value: Value): void {
    const { opcode, type, a } = value;
    const isStore = (EFFECTS[opcode] & WRITES_MEMORY) !== 0;
    const [base, offset] = this.address(value);
    const stored = isStore && a !== null ? a.type : type;
    const name = ACCESSES.get(opcode) ?? `${isStore ? "st" : "ld"}${letterOf(stored)}`;
    if (isStore) this.act(name, this.name(a), base, `${offset}`);
    else this.names.set(value, this.line(name, base, `${offset}`));
  }

  /** Returns the name of a base and an offset that is not negative. */
  private address({ address, offset }: Value): readonly [base: string, offset: number] {
    const slot = this.slotOf[address.id];
    if (slot !== NO_SLOT) {
      const base = this.slots.get(this.proc.slots[slot]) ?? "";
      const inside = this.distanceInSlot(address);
      return inside === "" && offset >= 0
        ? [base, offset]
        : [
            this.sum(
              base,
              inside === ""
                ? this.quad(BigInt(offset))
                : this.sum(inside, this.quad(BigInt(offset))),
            ),
            0,
          ];
    }
    const place = this.sum(this.name(address), this.distance);
    return offset >= 0 ? [place, offset] : [this.sum(place, this.quad(BigInt(offset))), 0];
  }

  private sum = (x: string, y: string): string => this.line("addq", x, y);

  /** Returns the sum of what an address adds to the base of its slot; empty if it adds nothing. */
  private distanceInSlot(address: Value): string {
    let sum = "";
    for (let at: Value | null = address; at !== null && at.opcode !== Op.SlotBase; ) {
      const { opcode, a, b }: Value = at;
      if (opcode !== Op.Add || a === null || b === null) at = a;
      else {
        const isFirst: boolean = this.slotOf[a.id] !== NO_SLOT;
        const added = this.name(isFirst ? b : a);
        sum = sum === "" ? added : this.sum(sum, added);
        at = isFirst ? a : b;
      }
    }
    return sum;
  }

  readPhi(value: Value): string {
    return this.line(`ld${letterOf(value.type)}`, this.phis.get(value) ?? "", "0");
  }

  writePhi({ a, phi }: Value): null {
    // No reachable block reads a Phi without a location.
    const location = this.phis.get(phi);
    if (location !== undefined && a !== null)
      this.act(`st${letterOf(a.type)}`, this.name(a), location, "0");
    return null;
  }

  goTo(to: BasicBlock, next: BasicBlock | null): null {
    if (to !== next) this.act("j", `b${to.id}`);
    return null;
  }

  branch(
    { a }: Value,
    { successors: [then, otherwise] }: BasicBlock,
    next: BasicBlock | null,
  ): null {
    this.act("jf", this.isZero(a), `b${then.id}`);
    return this.goTo(otherwise, next);
  }

  switchOn({ a, cases }: Value, { successors }: BasicBlock, next: BasicBlock | null): null {
    const isWide = a?.type === Int64;
    cases.lo.forEach((lo, k) => {
      const key = isWide ? this.quad(wideBits(lo, cases.hi[k])) : this.int(lo);
      this.act("jt", this.line(isWide ? "eqq" : "eqi", this.name(a), key), `b${successors[k].id}`);
    });
    return this.goTo(successors[cases.count], next);
  }

  check({ a, snapshot }: Value): null {
    this.act("jf", this.isZero(a), this.exitLabel(snapshot));
    return null;
  }

  /** Writes an operation that leaves on overflow. */
  checkOverflow({ opcode, type, a, b, snapshot }: Value): string {
    const name = OVERFLOWS.get(opcode) ?? "";
    if (type === Int64 && opcode === Op.CheckMul) throw new ExportRefusal("CheckMul of Int64");
    return this.jumpOnOverflow(name, type, [a, b], this.exitLabel(snapshot));
  }

  /** Nanojit folds constant operands, and then its assembler has no jump to give a target. */
  private jumpOnOverflow(
    name: string,
    type: Type,
    operands: readonly (Value | null)[],
    label: string,
  ): string {
    const names = operands.map((operand) => {
      const isFolded = operand !== null && this.constants.has(operand);
      return isFolded ? this.hidden(this.name(operand), type) : this.name(operand);
    });
    const letter = letterOf(type);
    const result = this.line(`${name}${letter}`, ...names, label);
    // Without a use of the result on the path that does not jump, Nanojit leaves out the operation, but not the jump.
    this.act(`st${letter}`, result, this.scratch, "0");
    return result;
  }

  /** Writes whether an operation overflows: a jump over a store. */
  overflows({ opcode, a, b }: Value): string {
    const type = a?.type ?? Int32;
    if (type === Int64 && opcode === Op.MulOverflows)
      throw new ExportRefusal("MulOverflows of Int64");
    const location = this.line("allocp", "4");
    const label = `o${this.temporaries}`;
    this.act("sti", this.int(1), location, "0");
    this.jumpOnOverflow(OVERFLOWS.get(opcode) ?? "", type, [a, b], label);
    this.act("sti", this.int(0), location, "0");
    this.lines.push(`${label} = label`);
    return this.line("ldi", location, "0");
  }

  private exitLabel(snapshot: Snapshot): string {
    if (!this.isEntry) throw new ExportRefusal("a guard of a called procedure");
    const label = this.exits.get(snapshot) ?? `x${this.exits.size}`;
    this.exits.set(snapshot, label);
    return label;
  }

  call(value: Value): string | null {
    const { host, procedure, rest, type } = value;
    const args = rest ?? [];
    if (host !== null) return this.callHost(host.name, args);
    const name = procedure === null ? undefined : this.program.names.get(procedure);
    const record = this.records.get(value);
    if (name === undefined || record === undefined)
      throw new ExportRefusal(nameOfOpcode(value.opcode));
    if (procedure !== null && procedure.further.length > 0)
      throw new ExportRefusal("further results");
    if (this.program.heapBytes > 0) this.act("stq", this.distance, record, "0");
    args.forEach((arg, i) =>
      this.act(`st${letterOf(arg.type)}`, this.name(arg), record, `${8 * (i + 1)}`),
    );
    const letter = type === Void ? "i" : letterOf(type);
    return this.line(`call${letter}`, name, "fastcall", record);
  }

  private callHost(name: string, [arg]: readonly Value[]): null {
    if (name !== "logInt") throw new ExportRefusal(`the host function ${name}`);
    this.print(this.name(arg));
    return null;
  }

  private print(name: string): void {
    this.act("callv", "printi", "cdecl", name);
  }

  return({ a, b }: Value): null {
    if (b !== null) throw new ExportRefusal("further results");
    if (!this.isEntry) {
      this.act(
        a === null ? "reti" : `ret${letterOf(a.type)}`,
        a === null ? this.int(0) : this.name(a),
      );
      return null;
    }
    this.print(this.int(RETURNED));
    const words = a === null ? [this.int(0)] : this.words(this.name(a), a.type);
    for (const word of words.slice(0, -1)) this.print(word);
    this.printHeap();
    this.act("reti", words[words.length - 1]);
    return null;
  }

  /** Returns the words of a value, the high one first. */
  private words(name: string, type: Type): readonly string[] {
    if (type === Int32) return [name];
    const bits = letterOf(type) === "d" ? this.line("dasq", purified(this, name)) : name;
    return [this.line("q2i", this.line("rshuq", bits, this.int(32))), this.line("q2i", bits)];
  }

  private printHeap(): void {
    const { heapBytes, heapBase } = this.program;
    if (heapBytes === 0) return;
    const base = this.sum(this.quad(heapBase), this.distance);
    const factor = this.int(HASH_FACTOR);
    let hash = this.int(0);
    for (let at = 0; at < heapBytes; at += 4)
      hash = this.line("xori", this.line("muli", hash, factor), this.line("ldi", base, `${at}`));
    this.print(hash);
  }

  private writeExit(snapshot: Snapshot, label: string): void {
    this.lines.push(`${label} = label`);
    const outside = this.proc.blocks[0];
    for (const value of snapshot.values) this.writeValue(value, outside, null);
    this.print(this.int(LEFT));
    for (const slot of snapshot.frames.flatMap(({ slots }) => slots)) {
      if (slot.kind === "dead") continue;
      if (slot.kind !== "value" && slot.kind !== "constant")
        throw new ExportRefusal(`a frame with ${slot.kind}`);
      const [name, type] =
        slot.kind === "value"
          ? [this.name(slot.value), slot.value.type]
          : [this.constant(slot.type, slot.lo, slot.hi), slot.type];
      for (const word of this.words(name, type)) this.print(word);
    }
    this.printHeap();
    this.act("reti", this.int(snapshot.exit));
  }

  private keepAlive(order: readonly BasicBlock[]): void {
    const kept = new Map<string, Type>();
    const keep = (value: Value | null, user: BasicBlock | null): void => {
      const name = value === null ? undefined : this.names.get(value);
      if (value !== null && name !== undefined && value.block !== user) kept.set(name, value.type);
    };
    for (const block of order) {
      for (const value of block.values) {
        for (const operand of [value.a, value.b, value.c, ...(value.rest ?? [])])
          keep(operand, block);
      }
    }
    for (const { values, frames } of this.exits.keys()) {
      for (const { a, b, c } of values) for (const operand of [a, b, c]) keep(operand, null);
      for (const slot of frames.flatMap(({ slots }) => slots))
        if (slot.kind === "value") keep(slot.value, null);
    }
    if (this.distance !== "") kept.set(this.distance, Int64);
    for (const location of [...this.phis, ...this.slots, ...this.records])
      kept.set(location[1], Int64);
    for (const [name, type] of kept) this.act(`live${letterOf(type)}`, name);
  }
}

const OVERFLOWS: ReadonlyMap<Opcode, string> = new Map([
  [Op.CheckAdd, "addjov"],
  [Op.CheckSub, "subjov"],
  [Op.CheckMul, "muljov"],
  [Op.AddOverflows, "addjov"],
  [Op.SubOverflows, "subjov"],
  [Op.MulOverflows, "muljov"],
]);

/** The instructions of accesses to a part of a value, by opcode. */
const ACCESSES: ReadonlyMap<Opcode, string> = new Map([
  [Op.Load8Z, "lduc2ui"],
  [Op.Load8S, "ldc2i"],
  [Op.Load16Z, "ldus2ui"],
  [Op.Load16S, "lds2i"],
  [Op.Store8, "sti2c"],
  [Op.Store16, "sti2s"],
]);

type ValueWriter = (
  writer: FragmentWriter,
  value: Value,
  block: BasicBlock,
  next: BasicBlock | null,
) => string | null;

const refuse: ValueWriter = (_, { opcode }) => {
  throw new ExportRefusal(nameOfOpcode(opcode));
};
const constant: ValueWriter = (w, value) => w.constantOf(value);
const checked: ValueWriter = (w, value) => w.checkOverflow(value);
const overflow: ValueWriter = (w, value) => w.overflows(value);
const nothing: ValueWriter = () => null;

/** Writes a value that is no operation, and returns its name. */
const SPECIAL: ReadonlyMap<Opcode, ValueWriter> = new Map<Opcode, ValueWriter>([
  [Op.Const32, constant],
  [Op.Const64, constant],
  [Op.ConstDouble, constant],
  [Op.Nop, nothing],
  [Op.SlotBase, nothing],
  [Op.Phi, (w, value) => w.readPhi(value)],
  [Op.Upsilon, (w, value) => w.writePhi(value)],
  [Op.Jump, (w, _, { successors: [to] }, next) => w.goTo(to, next)],
  [Op.Branch, (w, value, block, next) => w.branch(value, block, next)],
  [Op.Switch, (w, value, block, next) => w.switchOn(value, block, next)],
  [Op.Check, (w, value) => w.check(value)],
  [Op.CheckAdd, checked],
  [Op.CheckSub, checked],
  [Op.CheckMul, checked],
  [Op.AddOverflows, overflow],
  [Op.SubOverflows, overflow],
  [Op.MulOverflows, overflow],
  [Op.CCall, (w, value) => w.call(value)],
  [Op.Return, (w, value) => w.return(value)],
  [Op.ReturnDeopt, (w, value) => w.return(value)],
  [Op.Oops, nothing],
  [Op.Fence, nothing],
  [Op.CallCheck, refuse],
  [Op.CallIndirect, refuse],
  [Op.FunctionAddress, refuse],
]);
