// Compiles an optimized module to an image of machine code.
//
// The stages are optimize (pipeline.ts: once per level, and a few phases again per target), lower,
// allocate and emit.

import { Op } from "../src/ir/opcodes.js";
import { type Module, type Procedure, reachedProcedures } from "../src/ir/procedure.js";
import { assert, InternalError } from "../src/support/assert.js";
import { zeroedWords } from "../src/support/program-arrays.js";
import { AllocationArenas } from "./allocate.js";
import { CodeBuffer } from "./emit/code-buffer.js";
import { EmitArenas, type EmitTools, emitProcedure } from "./emit/emit.js";
import { EmitContext } from "./emit/emit-context.js";
import type { ExternalAddresses } from "./emit/environment.js";
import { ProcedureFrame } from "./emit/frame.js";
import { type FramedBlocks, placeFrameAtEntry } from "./emit/framed-blocks.js";
import { type CodeOrigins, CodePart, NO_PROCEDURE } from "./emit/origins.js";
import type { Level } from "./levels.js";
import { Lir, NOWHERE, OperandRole, roleOf, vregOf } from "./lir/lir.js";
import { locationName } from "./lir/text/text-form.js";
import { verifyLir } from "./lir/text/verify-lir.js";
import { HALF_FORMS, halvesOf } from "./lower/half-forms.js";
import { lower } from "./lower/lower.js";
import { reachedFrom } from "./optimize/analysis/call-order.js";
import { type CompilerParts, PARTS } from "./parts.js";
import { LEVEL_ALLOCATORS } from "./pipeline.js";
import { Allocation } from "./regalloc/allocation.js";
import type { AllocatorName } from "./regalloc/allocator-names.js";
import { EVENT, EVENTS, eventsOf } from "./regalloc/events.js";
import { applyPressure, type PressureSettings } from "./regalloc/pressure.js";
import type { AllocationDecision } from "./regalloc/trace.js";
import type { ExitRecord } from "./snapshot/exit-record.js";
import { generateLink } from "./snapshot/link-exit.js";
import { recordSafepoint, type Safepoint, safepointsOf } from "./snapshot/record-safepoints.js";
import { describeSlot, recordSlots, type SlotLocation } from "./snapshot/record-slots.js";
import { EmissionCounts, emittedOf } from "./target/emitted.js";
import type { LoweringPlan } from "./target/plan.js";
import type { TargetName } from "./target/target.js";

export interface CodeImage {
  /**
   * The code of all procedures that the root reaches: the root first, exit stubs last. The image
   * owns it.
   */
  readonly code: Uint8Array;
  /** The index in the module of the procedure that the image starts with. */
  readonly root: number;
  /** The exit table (snapshot/encode-exits.ts). */
  readonly exits: Uint8Array;
  /**
   * The contents of the exit table, and the offset of each exit's stub in the code. Both are used
   * to link exits.
   */
  readonly records: readonly ExitRecord[];
  readonly stubs: readonly number[];
  /** Safepoints of calls (snapshot/record-safepoints.ts), in the order of the code. */
  readonly safepoints: readonly Safepoint[];
  /**
   * Returns the locations of the program's stack slots (snapshot/record-slots.ts). Some slots share
   * bytes. It is a function because few callers need the result.
   */
  readonly slotPlaces: () => readonly SlotLocation[];
  /**
   * The maximum number of bytes of stack, below the root's frame pointer, in an execution that the
   * oracle judges.
   */
  readonly stackSize: number;
  /** The number of instructions in the code, for statistics. */
  readonly instructions: number;
  readonly spillUnits: number;
  readonly moves: number;
  /** The number of branches and code addresses that took their long form of two instructions. */
  readonly longBranches: number;
  /** The number of split 64-bit values in each form, by row of HALF_FORMS. */
  readonly halves: Int32Array;
  /**
   * The events of the compile, by name: `<allocator>: <event>` (regalloc/events.ts), `halves:
   * <form>` (lower/half-forms.ts), `<target> row: <row>` and `<target> operand: <form>`
   * (target/emitted.ts), `<target> safepoint: <form>` (snapshot/record-safepoints.ts).
   */
  readonly events: readonly string[];
  readonly listing: readonly string[];
}

export interface GenerateOptions {
  readonly environment: ExternalAddresses;
  readonly level: Level;
  /** The register allocator; by default that of the level. */
  readonly allocator?: AllocatorName | undefined;
  /** The procedure with which the image starts; by default the entry. */
  readonly root?: Procedure;
  /** Carries 64-bit values in two registers where possible (lower/halves.ts). */
  readonly halves?: boolean | undefined;
  /**
   * Verifies the LIR after lowering (lir/text/verify-lir.ts) and its allocation
   * (regalloc/check/check.ts). A fault throws an InternalError with a description.
   */
  readonly checkAllocation: boolean;
  /**
   * Bytes that branches may span before they take a long form. Default: the limit of the target.
   */
  readonly branchReach?: number | undefined;
  /** Constraints that make allocation difficult. Default: none. */
  readonly pressure?: PressureSettings | undefined;
  /** Keeps a listing of the code, with the value that each instruction comes from. */
  readonly listing: boolean;
  /** The index of the first exit, for images that share an exit table. Default: 0. */
  readonly firstExit?: number;
  /** If present, the compiler records here the origin of each byte of code. */
  readonly origins?: CodeOrigins;
  /**
   * Called with the LIR before and after allocation, its procedure and that procedure's index in
   * the module. Dumps and the LIR interpreter use it.
   */
  readonly onLir?: (
    stage: "lower" | "allocate",
    lir: Lir,
    allocation: Allocation,
    plan: LoweringPlan,
    proc: Procedure,
    index: number,
  ) => void;
  /** If present, called with each decision of the allocator (regalloc/trace.ts). */
  readonly onDecision?: (decision: AllocationDecision, proc: Procedure) => void;
}

/**
 * Compiles one module after another. A compiler keeps and resets its large data structures. Two
 * compilers share nothing: one may run while the other is in the middle of a compile.
 */
export class Compiler {
  private readonly parts: CompilerParts;
  private readonly lir = new Lir();
  private readonly allocation = new Allocation();
  private readonly code = new CodeBuffer();
  private readonly allocations: AllocationArenas;
  private readonly emission = new EmitArenas();

  constructor(parts: CompilerParts = PARTS) {
    this.parts = parts;
    this.allocations = new AllocationArenas(parts);
  }

  /**
   * Returns machine code for an optimized module, and does not change the module. The image
   * contains the procedures that the root reaches by calls. A continuation needs an image of its
   * own. Throws CompileError if the module exceeds a limit of the target.
   */
  generate(module: Module, target: TargetName, options: GenerateOptions): CodeImage {
    const { parts, code } = this;
    const plan = parts.plans[target];
    const asm = plan.target.assembler(code);
    code.reset();
    if (options.listing) code.listing = [];
    options.origins?.reset();
    const root = options.root ?? module.entry;
    const reached = reachedFrom(root);
    const image: PartialImage = {
      plan,
      flagTested: flagTestedAmong(reached),
      asm,
      options,
      indices: new Map(module.procedures.map((proc, index) => [proc, index])),
      procedureLabels: module.procedures.map(() => code.newLabel()),
      stubs: [],
      records: [],
      safepoints: [],
      slotPlaces: [],
      frameSize: 0,
      instructions: 0,
      spillUnits: 0,
      moves: 0,
      events: zeroedWords(EVENTS.length),
      halves: zeroedWords(HALF_FORMS.length),
      emitted: new EmissionCounts(plan.rows.length),
    };
    for (const proc of reached) this.generateProcedure(proc, image);
    emitStubs(plan.target.writer, asm, code, image.stubs, options);
    const longBranches = code.resolve(options.branchReach);
    options.origins?.resolve(code);
    const safepoints = image.safepoints.map((safepoint) => ({
      ...safepoint,
      offset: code.offsetOf(safepoint.offset),
    }));
    const { records, frameSize, instructions, spillUnits, moves, halves } = image;
    return {
      code: code.bytes.slice(0, code.size),
      root: image.indices.get(root) ?? NOT_IN_MODULE,
      exits: parts.encodeExits(records),
      records,
      stubs: image.stubs.map(({ label }) => code.offsetOf(label)),
      safepoints,
      slotPlaces: () => image.slotPlaces.flatMap((places) => places()),
      stackSize: reached.length === 1 ? frameSize : DEPTH_MAX * (frameSize + LINK_SIZE),
      instructions,
      spillUnits,
      moves,
      longBranches,
      halves,
      events: eventsOf(options.allocator ?? LEVEL_ALLOCATORS[options.level], image.events).concat(
        halvesOf(halves),
        emittedOf(image.emitted, plan.emittedNames),
        safepointsOf(safepoints, target),
      ),
      listing: code.listing ?? [],
    };
  }

  /**
   * Returns code to which the stub of `exit` may jump, placed `distance` bytes before the code of
   * `to`. Requires `canLink`.
   */
  generateLink(target: TargetName, exit: ExitRecord, to: Procedure, distance: number): Uint8Array {
    const { plans, sequentialize } = this.parts;
    return generateLink(plans[target].target, sequentialize, exit, to.parameters, distance);
  }

  private generateProcedure(proc: Procedure, image: PartialImage): void {
    const { parts, lir, allocation, code } = this;
    const { plan, asm, options, indices, procedureLabels } = image;
    const index = indices.get(proc) ?? NOT_IN_MODULE;
    assert(index !== NOT_IN_MODULE, () => `procedure ${proc.name} is not in the compiled module`);
    lir.reset();
    const selects = selectsAt(options.level);
    const halves = lower(proc, plan, lir, {
      selects,
      halves: options.halves ?? false,
      indexOf: (callee) => indices.get(callee) ?? NOT_IN_MODULE,
      returnsDeoptimizationFlag: image.flagTested.has(proc),
    });
    for (let f = 0; f < halves.length; f++) image.halves[f] += halves[f];
    image.emitted.add(lir);
    options.onLir?.("lower", lir, allocation, plan, proc, index);
    if (options.checkAllocation) rejectFaults("lower: wrong LIR", proc, verifyLir(lir, plan));
    let { registers } = plan.target;
    const { pressure, onDecision } = options;
    if (pressure !== undefined) {
      registers = applyPressure(lir, plan.rows, registers, pressure, proc.name);
    }
    const allocator = options.allocator ?? LEVEL_ALLOCATORS[options.level];
    allocation.trace = onDecision === undefined ? null : (decision) => onDecision(decision, proc);
    const faults = this.allocations.allocate(
      allocator,
      { lir, rows: plan.rows, registers, allocation },
      { cleansUp: selects, checks: options.checkAllocation },
    );
    options.onLir?.("allocate", lir, allocation, plan, proc, index);
    rejectFaults(`${allocator}: ${WRONG_ALLOCATION}`, proc, faults);
    const frame = new ProcedureFrame();
    frame.layOut(plan.target.calleeSaved, lir, allocation);
    const { isShared } = lir.slotPlaces;
    const register = locationName(plan.target.name, plan.target.framePointer);
    const places = (): SlotLocation[] => recordSlots(index, proc.slots, frame, isShared, register);
    image.slotPlaces.push(places);
    if (code.listing !== null) {
      for (const place of places()) code.listing.push(`      ${describeSlot(place)}`);
    }
    if (isShared) image.events[EVENT["stack-slots-packed"]]++;
    const { environment } = options;
    const { flags } = this.emission;
    const context = new EmitContext(
      lir,
      frame,
      code,
      environment,
      index,
      procedureLabels,
      flags,
      (at) => plan.target.writer.epilogue(asm, at),
    );
    const tools: EmitTools<unknown> = {
      target: plan.target,
      asm,
      code,
      sequentialize: parts.sequentialize,
      arenas: this.emission,
      arranges: selects,
      placeFrame: selects ? parts.placeFrame : placeFrameAtEntry,
      onPart: this.onPart(plan, index, options),
    };
    code.bind(procedureLabels[index]);
    emitProcedure(tools, context, allocation);
    countFrame(this.emission.framed, image.events);
    this.addExits(context, frame, image);
    for (let s = 0; s < context.safepoints.length; s++) {
      const label = context.safepointLabels[s];
      image.safepoints.push(recordSafepoint(index, lir, frame, context.safepoints[s], label));
    }
    image.frameSize = Math.max(image.frameSize, frame.size);
    image.instructions += lir.instructionCount;
    image.spillUnits += allocation.spillUnits;
    image.moves += allocation.moveCount;
    for (let e = 0; e < EVENTS.length; e++) image.events[e] += allocation.events[e];
  }

  private addExits(
    { lir, procedure, stubLabels, isBare }: EmitContext,
    frame: ProcedureFrame,
    { stubs, records }: PartialImage,
  ): void {
    for (let g = 0; g < lir.guards.length; g++) {
      stubs.push({ label: stubLabels[g], isBare: isBare[g] });
    }
    // Push the records one by one, because there may be more exits than arguments of one call.
    for (const record of this.parts.recordExits(procedure, lir, frame, isBare))
      records.push(record);
  }

  private onPart(
    plan: LoweringPlan,
    procedure: number,
    { listing, origins }: GenerateOptions,
  ): EmitTools<unknown>["onPart"] {
    const { code, lir } = this;
    if (!listing && origins === undefined) return null;
    return (part, i, step) => {
      if (listing) code.listing?.push(`      ${headingOf(part, plan, lir, i)}`);
      origins?.mark(code, part, procedure, i, step);
    };
  }
}

/** True at levels that fold during lowering and clean up moves and jumps. */
export const selectsAt = (level: Level): boolean => level !== "O0";

/**
 * The words that identify the InternalError for a wrong allocation; the allocator's name precedes
 * them.
 */
export const WRONG_ALLOCATION = "wrong allocation";

function rejectFaults(what: string, { name }: Procedure, faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new InternalError(`${what} of ${name}: ${faults.join("; ")}`, { what });
}

/** The maximum number of activations at one time in an execution that the oracle judges. */
const DEPTH_MAX = 64;
/** Bytes of a return address and a saved frame pointer. */
const LINK_SIZE = 16;
const NOT_IN_MODULE = -1;

/** The stub of an exit: the code that saves registers and leaves the procedure. */
interface ExitStub {
  /** The label of the stub's start; after emission, the label at which a link may begin. */
  label: number;
  /** True if the exit is taken where the procedure has no frame. */
  readonly isBare: boolean;
}

/** An image under construction. */
interface PartialImage {
  readonly plan: LoweringPlan;
  /** Procedures whose deoptimization flag some caller tests. */
  readonly flagTested: ReadonlySet<Procedure>;
  readonly asm: unknown;
  readonly options: GenerateOptions;
  readonly indices: ReadonlyMap<Procedure, number>;
  readonly procedureLabels: readonly number[];
  /**
   * The stubs of all exits, in the order of their records. A stub's position is the index of its
   * exit.
   */
  readonly stubs: ExitStub[];
  readonly records: ExitRecord[];
  /** The safepoints of all calls. Their offsets are labels until the code is final. */
  readonly safepoints: Safepoint[];
  /** For each procedure: a function that returns the locations of its stack slots. */
  readonly slotPlaces: (() => SlotLocation[])[];
  frameSize: number;
  instructions: number;
  spillUnits: number;
  moves: number;
  /** The number of occurrences of each event, by index in EVENTS. */
  readonly events: Int32Array;
  /** The number of split 64-bit values in each form, by index in HALF_FORMS. */
  readonly halves: Int32Array;
  readonly emitted: EmissionCounts;
}

/** Returns the procedures that a CallCheck in one of `procedures` may call. */
function flagTestedAmong(procedures: readonly Procedure[]): ReadonlySet<Procedure> {
  const flagTested = new Set<Procedure>();
  for (const { blocks } of procedures) {
    for (let b = 0; b < blocks.length; b++) {
      const { values } = blocks[b];
      for (let i = 0; i < values.length; i++) {
        if (values[i].opcode !== Op.CallCheck) continue;
        for (const proc of reachedProcedures(values[i])) flagTested.add(proc);
      }
    }
  }
  return flagTested;
}

function countFrame(framed: FramedBlocks, events: Int32Array): void {
  if (framed.places === 0) events[EVENT["no-frame"]]++;
  else if (!framed.isMadeAtStartOf(0)) events[EVENT["frame-made-later"]]++;
}

function emitStubs(
  writer: LoweringPlan["target"]["writer"],
  asm: unknown,
  code: CodeBuffer,
  stubs: readonly ExitStub[],
  { environment, origins, firstExit = 0 }: GenerateOptions,
): void {
  if (stubs.length === 0) return;
  const common = code.newLabel();
  for (let g = 0; g < stubs.length; g++) {
    const stub = stubs[g];
    code.bind(stub.label);
    origins?.mark(code, CodePart.Stub, NO_PROCEDURE, g, 0);
    if (stub.isBare) {
      writer.prologue(asm, { frame: ProcedureFrame.EMPTY });
      // A link requires a frame, as with any other exit, so it begins after the prologue.
      stub.label = code.newLabel();
      code.bind(stub.label);
    }
    writer.exitStub(asm, firstExit + g, common);
  }
  code.bind(common);
  origins?.mark(code, CodePart.CommonStub, NO_PROCEDURE, 0, 0);
  writer.commonStub(asm, environment);
}

/**
 * Returns the heading of a part in a listing. For an instruction it names the values defined and
 * used, with their locations.
 */
function headingOf(part: CodePart, plan: LoweringPlan, lir: Lir, i: number): string {
  if (part !== CodePart.Instruction) return HEADINGS[part];
  const { name } = plan.target;
  const locationsOf = (role: (role: OperandRole) => boolean): string[] => {
    const places: string[] = [];
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const value = lir.vregValue[vregOf(lir.operand[o])];
      if (value < 0 || !role(roleOf(lir.operand[o])) || lir.location[o] === NOWHERE) continue;
      places.push(`@${value} in ${locationName(name, lir.location[o])}`);
    }
    return places;
  };
  const defined = locationsOf((role) => role === OperandRole.Definition);
  const used = locationsOf((role) => role <= OperandRole.Use);
  const origin = lir.origin[i] < 0 ? [] : [`@${lir.origin[i]}`];
  const results = defined.length > 0 ? defined : origin;
  const of = used.length === 0 ? "" : ` of ${used.join(", ")}`;
  const row = plan.rows[lir.opcode[i]].name;
  return results.length + used.length === 0 ? row : `${row} ; ${results.join(", ")}${of}`;
}

/** The headings of a listing, by part of the code; stubs have none. */
const HEADINGS: readonly string[] = ["prologue", "move", "", "constants"];
