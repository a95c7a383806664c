// Implements `fuzz compile --emit iongraph`. It writes the phases of the optimizer and the LIR as
// JSON for the viewer iongraph (version 1 of its schema).
//
// Each pass has the graph of the IR (`mir`); the last two have LIR as well. The viewer reads `ptr`
// as an address: a block or an instruction has one nonzero number in all passes.

import type { Lir } from "../../reference/lir/lir.js";
import { OperandRole, roleOf, vregOf } from "../../reference/lir/lir.js";
import { printInstruction } from "../../reference/lir/text/print.js";
import { analyzeLoops, type LoopForest } from "../../reference/optimize/analysis/loops.js";
import type { Allocation } from "../../reference/regalloc/allocation.js";
import type { LoweringPlan } from "../../reference/target/plan.js";
import { EFFECTS } from "../../src/ir/opcodes.js";
import {
  type BasicBlock,
  forEachOperand,
  type Procedure,
  type Value,
} from "../../src/ir/procedure.js";
import { printValue } from "../../src/ir/text/print.js";
import { nameOfType } from "../../src/ir/types.js";

interface MirInstruction {
  readonly ptr: number;
  readonly id: number;
  readonly opcode: string;
  readonly attributes: readonly string[];
  readonly inputs: readonly number[];
  readonly uses: readonly number[];
  readonly memInputs: readonly number[];
  readonly type: string;
}

interface MirBlock {
  readonly ptr: number;
  readonly id: number;
  readonly loopDepth: number;
  readonly attributes: readonly string[];
  readonly predecessors: readonly number[];
  readonly successors: readonly number[];
  readonly instructions: readonly MirInstruction[];
}

interface LirInstruction {
  readonly ptr: number;
  readonly id: number;
  /** The `ptr` of the source value; null if there is none. */
  readonly mirPtr: number | null;
  readonly opcode: string;
  /** Virtual registers. */
  readonly defs: readonly number[];
}

interface LirBlock {
  readonly ptr: number;
  readonly id: number;
  readonly instructions: readonly LirInstruction[];
}

interface IonGraphPass {
  readonly name: string;
  readonly mir: { readonly blocks: readonly MirBlock[] };
  readonly lir: { readonly blocks: readonly LirBlock[] };
}

interface IonGraph {
  readonly version: 1;
  readonly functions: readonly {
    readonly name: string;
    readonly passes: readonly IonGraphPass[];
  }[];
}

// Blocks, values and instructions of LIR are numbered separately, so their addresses have separate
// ranges.
const blockPtr = (id: number): number => 0x1000_0000 + id;
const valuePtr = (id: number): number => 0x2000_0000 + id;
const instructionPtr = (id: number): number => 0x3000_0000 + id;

/** Collects the passes of one compilation. */
export class IonGraphMaker {
  private readonly passes = new Map<Procedure, IonGraphPass[]>();

  /** Adds a pass. Must be called before the first phase and after each phase. */
  addPhase(name: string, proc: Procedure): void {
    this.add(proc, { name, mir: { blocks: mirBlocks(proc) }, lir: { blocks: [] } });
  }

  /**
   * Adds a pass with LIR.
   * @param allocation null before allocation
   */
  addLir(
    name: string,
    lir: Lir,
    plan: LoweringPlan,
    allocation: Allocation | null,
    proc: Procedure,
  ): void {
    const blocks = lirBlocks(lir, plan, allocation);
    this.add(proc, { name, mir: { blocks: mirBlocks(proc) }, lir: { blocks } });
  }

  private add(proc: Procedure, pass: IonGraphPass): void {
    const passes = this.passes.get(proc) ?? [];
    passes.push(pass);
    this.passes.set(proc, passes);
  }

  end(): IonGraph {
    const functions = [...this.passes].map(([{ name }, passes]) => ({ name, passes }));
    return { version: 1, functions };
  }
}

function mirBlocks(proc: Procedure): MirBlock[] {
  const loops = analyzeLoops(proc);
  const uses = new Map<number, number[]>();
  for (const { values } of proc.blocks) {
    for (const user of values) {
      forEachOperand(user, ({ id }) => void uses.set(id, [...(uses.get(id) ?? []), user.id]));
    }
  }
  return proc.blocks.map((block) => {
    const loop = loops.all[loops.innermost[block.id] - 1];
    return {
      ptr: blockPtr(block.id),
      id: block.id,
      loopDepth: loop?.depth ?? 0,
      attributes: attributesOf(block, loops),
      predecessors: block.predecessors.map(({ id }) => id),
      successors: block.successors.map(({ id }) => id),
      instructions: (block === proc.blocks[0] ? proc.parameters : [])
        .concat(block.values)
        .map((value) => mirInstruction(value, uses.get(value.id) ?? [])),
    };
  });
}

function attributesOf(block: BasicBlock, { all }: LoopForest): string[] {
  const attributes: string[] = [];
  if (all.some(({ header }) => header === block)) attributes.push("loopheader");
  if (all.some(({ latches }) => latches.includes(block))) attributes.push("backedge");
  return attributes;
}

function mirInstruction(value: Value, uses: readonly number[]): MirInstruction {
  const inputs: number[] = [];
  forEachOperand(value, ({ id }) => void inputs.push(id));
  return {
    ptr: valuePtr(value.id),
    id: value.id,
    opcode: printValue(value).replace(/^\w+ @\d+ = /, ""),
    attributes: EFFECTS[value.opcode] === 0 ? ["Movable"] : [],
    inputs,
    uses,
    memInputs: [],
    type: nameOfType(value.type),
  };
}

function lirBlocks(lir: Lir, plan: LoweringPlan, allocation: Allocation | null): LirBlock[] {
  const blocks: LirBlock[] = [];
  for (let b = 0; b < lir.blockCount; b++) {
    const instructions: LirInstruction[] = [];
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      const operands = [...lir.operand.subarray(lir.operandStart[i], lir.operandStart[i + 1])];
      instructions.push({
        ptr: instructionPtr(i),
        id: i,
        mirPtr: lir.origin[i] < 0 ? null : valuePtr(lir.origin[i]),
        opcode: printInstruction(lir, plan, allocation, i),
        defs: operands.filter((word) => roleOf(word) === OperandRole.Definition).map(vregOf),
      });
    }
    blocks.push({ ptr: blockPtr(b), id: b, instructions });
  }
  return blocks;
}
