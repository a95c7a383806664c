// The compiler as its users call it: a module of the language in, an image of machine code out.
//
// optimize (pipeline.ts, once per level for every target) -> lower -> allocate -> emit.

import type { Module } from "../src/ir/procedure.js";
import { assert } from "../src/support/assert.js";
import { CodeBuffer } from "./lir/code-buffer.js";
import { type EmitTools, emitProcedure } from "./lir/emit.js";
import { EmitContext } from "./lir/emit-context.js";
import { Frame } from "./lir/frame.js";
import { Lir } from "./lir/lir.js";
import { lower } from "./lower/lower.js";
import type { Plan } from "./lower/plan.js";
import type { Environment, TargetName } from "./lower/target.js";
import { PARTS, type Parts } from "./parts.js";
import type { Level } from "./pipeline.js";
import { Allocation } from "./regalloc/allocation.js";
import { checkAllocation } from "./regalloc/check.js";
import { MoveList } from "./regalloc/parallel-moves.js";
import { recordExits } from "./snapshot/record-exits.js";

export interface Image {
  /** Code of the module, entry procedure first, exit stubs last. The image owns it. */
  readonly code: Uint8Array;
  /** The exit table (snapshot/encode-exits.ts). */
  readonly exits: Uint8Array;
  /** Bytes of the largest frame, below the frame pointer. */
  readonly frameSize: number;
  /** Counted for statistics. */
  readonly instructions: number;
  readonly spillUnits: number;
  readonly moves: number;
  readonly listing: readonly string[];
}

export interface GenerateOptions {
  readonly environment: Environment;
  readonly level: Level;
  /** Verify the allocation (regalloc/check.ts); an InternalError says what is wrong. */
  readonly checkAllocation: boolean;
  /** Keep a listing of the code, with the value that each instruction comes from. */
  readonly listing: boolean;
  /** Called with the LIR before and after allocation; for dumps. */
  readonly onLir?: (
    stage: "lower" | "allocate",
    lir: Lir,
    allocation: Allocation,
    plan: Plan,
  ) => void;
}

/** Compiles one module after another; everything big that a compile needs is kept and reset. */
export class Compiler {
  private readonly parts: Parts;
  private readonly lir = new Lir();
  private readonly allocation = new Allocation();
  private readonly code = new CodeBuffer();
  private readonly singles = new MoveList();

  constructor(parts: Parts = PARTS) {
    this.parts = parts;
  }

  /**
   * Machine code for an optimized module; the module is not changed. Only the entry is compiled:
   * continuations run in the interpreter, on both sides alike. Throws CompileError where a limit of
   * the target is exceeded.
   */
  generate(module: Module, target: TargetName, options: GenerateOptions): Image {
    const { parts, lir, allocation, code } = this;
    const plan = parts.plans[target];
    const procedure = 0;
    const proc = module.procedures[procedure];
    code.reset();
    if (options.listing) code.listing = [];
    lir.reset();
    const selects = options.level !== "O0";
    lower(proc, plan, lir, selects);
    options.onLir?.("lower", lir, allocation, plan);
    allocation.reset();
    parts.allocate(lir, plan.rows, plan.target.registers, allocation);
    options.onLir?.("allocate", lir, allocation, plan);
    if (options.checkAllocation) {
      const faults = checkAllocation(lir, plan.rows, plan.target.registers, allocation);
      assert(faults.length === 0, () => `wrong allocation of ${proc.name}: ${faults.join("; ")}`);
    }
    const frame = new Frame();
    frame.layOut(plan.target.calleeSaved, proc.slots, allocation);
    const context = new EmitContext(lir, frame, code, options.environment);
    const { target: machine } = plan;
    const asm = machine.assembler(code);
    const tools: EmitTools<unknown> = {
      target: machine,
      asm,
      code,
      sequentialize: parts.sequentialize,
      singles: this.singles,
      threadsJumps: selects,
      beforeInstruction: options.listing ? (i) => listInstruction(code, plan, lir, i) : null,
    };
    emitProcedure(tools, context, allocation);
    emitStubs(machine.writer, asm, context);
    code.resolve();
    return {
      code: code.bytes.slice(0, code.size),
      exits: parts.encodeExits(recordExits(procedure, lir, frame)),
      frameSize: frame.size,
      instructions: lir.instructionCount,
      spillUnits: allocation.spillUnits,
      moves: allocation.moveCount,
      listing: code.listing ?? [],
    };
  }
}

function emitStubs(writer: Plan["target"]["writer"], asm: unknown, context: EmitContext): void {
  const { code, stubLabels, lir } = context;
  if (lir.guards.length === 0) return;
  const common = code.newLabel();
  for (let g = 0; g < lir.guards.length; g++) {
    code.bind(stubLabels[g]);
    writer.exitStub(asm, g, common);
  }
  code.bind(common);
  writer.commonStub(asm, context.environment);
}

function listInstruction(code: CodeBuffer, plan: Plan, lir: Lir, i: number): void {
  const origin = lir.origin[i] < 0 ? "" : ` ; @${lir.origin[i]}`;
  code.listing?.push(`      ${plan.rows[lir.opcode[i]].name}${origin}`);
}
