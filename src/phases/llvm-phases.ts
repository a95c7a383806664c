// Judges the passes of LLVM on each function of a log.

import { type ImportedLlvm, importLlvm } from "../import/llvm/import-llvm.js";
import type { LlvmLayout } from "../import/llvm/layout.js";
import { endingOf, isComparable, leavesNoPoison, refines } from "../import/llvm/refinement.js";
import { LLVM_WRITES, type LlvmSubject, layoutFor, subjectOf } from "../import/llvm/subject.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { LlvmError } from "../llvm/llvm-error.js";
import type { LlvmFunction, LlvmModule } from "../llvm/module.js";
import type { CompiledText } from "../llvm/pass-dumps.js";
import { isWholeModule, type PassText, type PassTexts } from "../llvm/pass-texts.js";
import { runCompiled } from "../llvm/run-compiled.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { SeedSource } from "../support/source.js";
import { decidingAmong } from "./decisions.js";
import { judgePhases, type PhaseVerdicts, type WrongPhase } from "./judge-phases.js";
import { LlvmInputs, printLlvmInput } from "./llvm-inputs.js";
import { driverOf, isCallable, type MachineCase, machineDifference } from "./llvm-machine.js";
import { type InputSpace, phaseInputs } from "./phase-inputs.js";
import type { PhaseComparison, PhaseProgram, PhaseSubject } from "./phase-subject.js";

export interface FunctionVerdicts extends PhaseVerdicts {
  readonly name: string;
  /** The reason why the function cannot be imported; null if it can. */
  readonly refused: string | null;
  /** The arguments that show the wrong pass; empty without one. */
  readonly call: string;
  /** True if the first text is defined in all given calls, and leaves no poison. */
  readonly isExact: boolean;
  /** The module before the wrong pass, with which the pass can run alone; null without one. */
  readonly repeatable: RepeatablePass | null;
}

/** A wrong pass that can run again, alone. */
export interface RepeatablePass {
  /** The module before the pass. */
  readonly text: string;
  /**
   * Runs the function before and after the pass with the arguments that show the difference, and returns the difference;
   * null if there is none.
   * @throws LlvmError if a module cannot be imported
   */
  readonly difference: (before: LlvmModule, after: LlvmModule) => string | null;
}

/** The limits of executed values of a function, in addition to its preparation. */
const STEPS_MAX = 20_000;
const SEARCH_STEPS = 4000;
const AIM_STEPS = 1500;
/** The factors of these limits, in order; the second is used if no call ends within the first. */
const STEP_SCALES = [1, 16];
/** An execution that takes this many times its steps after a pass counts as endless. */
const STEPS_FACTOR = 64;
/** The least number of inputs that the search of one text keeps. */
const SEARCHED_MIN = 12;
const INPUTS_PER_SIDE = 3;
const INPUTS_MAX = 60;
/** With fewer defined inputs, the first text is searched too. */
const INPUTS_FEW = 12;
/** The limit of steps of a given call grows by this factor. */
const CALL_SCALE = 100;

/** Returns the names of the functions that a module defines for other modules. */
export const judgedFunctions = ({ functions }: LlvmModule): readonly string[] =>
  [...functions.values()].flatMap(({ name, blocks, isExternal }) =>
    blocks === null || !isExternal ? [] : [name],
  );

const NO_VERDICTS = {
  ...{ judged: 0, unchanged: 0, equal: 0, open: 0, outside: [], wrong: null, call: "" },
  ...{ isExact: false, repeatable: null },
};

/**
 * Judges the passes on one function.
 * @param calls the calls of a function that takes their number and a pointer, by the seeds of the bytes to which the
 * pointer refers; null to search for inputs
 */
export function judgeFunction(
  texts: PassTexts,
  name: string,
  calls: readonly number[] | null = null,
): FunctionVerdicts {
  try {
    const subject = new LlvmPhaseSubject(texts, name, calls);
    const passes = judgePhases(subject);
    const verdicts = passes.wrong === null ? subject.withMachineCode(passes) : passes;
    if (!subject.hasInputs)
      return {
        ...NO_VERDICTS,
        name,
        refused: `no drawn call is defined: ${subject.reasonWithoutInputs()}`,
      };
    const { wrong } = verdicts;
    const call = wrong === null ? "" : subject.print(wrong.input);
    const repeatable = wrong === null ? null : subject.repeatablePass(wrong);
    return {
      ...verdicts,
      name,
      refused: null,
      call,
      repeatable,
      isExact: subject.exactCount === calls?.length,
    };
  } catch (error) {
    if (!(error instanceof LlvmError)) throw error;
    return { ...NO_VERDICTS, name, refused: `line ${error.line}: ${error.message}` };
  }
}

/** A text, and the programs into which it was imported. */
interface ImportedText {
  readonly llvm: LlvmModule;
  readonly program: PhaseProgram;
}

class LlvmPhaseSubject implements PhaseSubject {
  /** The factor of the limits of steps. */
  private scale = 1;
  /** The inputs for which the first text is defined. */
  private kept: readonly Input[] = [];
  private readonly texts: PassTexts;
  private readonly subject: LlvmSubject;
  private readonly layout: LlvmLayout;
  private readonly space: LlvmInputs;
  private readonly line: number;
  /** The preparation of a program takes a unit of fuel for each state of a byte. */
  private readonly preparationFuel: number;
  private readonly imported = new WeakMap<PhaseProgram, ImportedText>();
  private readonly calls: readonly number[] | null;
  /** The number of given calls that are defined and leave no poison. */
  exactCount = 0;

  constructor(texts: PassTexts, name: string, calls: readonly number[] | null) {
    const { first, passes } = texts;
    const last = passes.findLast(({ module }) => module !== null)?.module ?? first.module;
    this.texts = texts;
    this.calls = calls;
    this.line = first.module.functions.get(name)?.line ?? 1;
    const late = last.functions.has(name) ? last : first.module;
    const writes = calls === null ? LLVM_WRITES : [];
    this.subject = subjectOf(first.module, name, late, writes, calls !== null);
    this.layout = layoutFor(this.subject, this.line);
    this.space = new LlvmInputs(this.subject, this.layout);
    this.preparationFuel = 2 * this.layout.states;
  }

  get fuelMax(): number {
    return this.preparationFuel + this.scale * STEPS_MAX;
  }

  get hasInputs(): boolean {
    return this.kept.length > 0;
  }

  fuelAfter(used: number): number {
    return this.fuelMax + STEPS_FACTOR * Math.max(0, used - this.layout.states);
  }

  isJudged = isComparable;

  compare(expected: Outcome, actual: Outcome): PhaseComparison {
    return refines(this.subject, this.layout, expected, actual);
  }

  inputs(): readonly Input[] {
    const { first, passes } = this.texts;
    if (this.calls !== null) {
      this.scale = CALL_SCALE;
      this.kept = this.definedInputs(first.module, this.space.calls(this.calls));
      return this.kept;
    }
    const modules = [
      first.module,
      ...passes.flatMap(({ module }) => (module === null ? [] : [module])),
    ];
    const middle = modules[Math.min(EARLY_TEXT, modules.length >> 1)];
    for (const scale of STEP_SCALES) {
      this.scale = scale;
      const found = this.searchInputs(new Set([modules[modules.length - 1], middle]));
      this.kept = this.definedInputs(first.module, found);
      if (this.kept.length < INPUTS_FEW) {
        const more = this.searchInputs(new Set([first.module]));
        this.kept = this.definedInputs(first.module, [...this.kept, ...more]);
      }
      if (this.hasInputs) break;
    }
    return this.kept;
  }

  /** Returns how the first drawn call ends, if no drawn call is defined. */
  reasonWithoutInputs(): string {
    const { module } = this.texts.first;
    const program = decodeLazily(importLlvm(module, this.subject, this.layout, "before").module);
    const input = this.space.draw(new SeedSource(1n));
    const ending = endingOf(new Oracle().run(program, input, this.fuelMax));
    return "rule" in ending ? `${ending.rule}, line ${ending.line}` : "too many steps";
  }

  /** Returns the inputs that the search finds for each of these texts, alternating between the texts. */
  private searchInputs(modules: ReadonlySet<LlvmModule>): readonly Input[] {
    const lists = [...modules].map((module) => {
      const imported = this.tryImport(module);
      return imported === null ? [] : phaseInputs(imported.module, this.spaceOf(imported));
    });
    const length = Math.max(0, ...lists.map((list) => list.length));
    return Array.from({ length }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
  }

  /** Returns the inputs, without repetition, for which the first text is defined. */
  private definedInputs(module: LlvmModule, inputs: readonly Input[]): readonly Input[] {
    const program = decodeLazily(importLlvm(module, this.subject, this.layout, "before").module);
    const oracle = new Oracle();
    const seen = new Set<string>();
    const kept = inputs.filter((input) => {
      const key = `${input.words.join()} ${input.heapSeed}`;
      if (seen.has(key)) return false;
      seen.add(key);
      const outcome = oracle.run(program, input, this.fuelMax);
      if (leavesNoPoison(this.subject, this.layout, outcome)) this.exactCount++;
      return isComparable(outcome);
    });
    return kept.slice(0, INPUTS_MAX);
  }

  private tryImport(module: LlvmModule): ImportedLlvm | null {
    if (!module.functions.has(this.subject.name)) return null;
    try {
      return importLlvm(module, this.subject, this.layout, "before");
    } catch (error) {
      if (error instanceof LlvmError) return null;
      throw error;
    }
  }

  private spaceOf({ module, contents, decisions }: ImportedLlvm): InputSpace {
    const { space, preparationFuel, scale } = this;
    return {
      draw: (source) => space.draw(source),
      withInitialWrite: (input, location) => space.withInitialWrite(input, location),
      changeLowBits: (source, input) => space.changeLowBits(source, input),
      withPreparation: (moved, original) => space.withPreparation(moved, original),
      deciding: decidingAmong(decisions),
      inputsMin: SEARCHED_MIN,
      inputsPerSide: INPUTS_PER_SIDE,
      isComparable: isComparable,
      isSearchable: ({ ending }) => ending.kind === "out-of-fuel" || ending.kind === "exit",
      fuel: preparationFuel + scale * SEARCH_STEPS,
      aimFuel: preparationFuel + scale * AIM_STEPS,
      preparation: module.procedures.indexOf(contents),
    };
  }

  *programs(): Iterable<PhaseProgram> {
    const { first, passes } = this.texts;
    let previous: LlvmModule | null = null;
    for (const text of [first, ...passes]) {
      const program = this.programOf(text, previous);
      if (text.module !== null && !program.isSame)
        this.imported.set(program, { llvm: text.module, program });
      previous = text.module ?? previous;
      yield program;
    }
  }

  private programOf(
    { pass, line, module, refusal }: PassText,
    previous: LlvmModule | null,
  ): PhaseProgram {
    const { name } = this.subject;
    const text = module?.functions.get(name)?.text ?? "";
    const about = { name: pass, line, text, violation: null };
    if (module === null) return { ...about, isSame: false, modules: null, refusal };
    if (previous !== null && !reachesChange(previous, module, name))
      return { ...about, isSame: true, modules: null, refusal: "" };
    try {
      if (!module.functions.has(name)) throw new LlvmError(line, "the function was removed");
      const [before, after] = (["before", "after"] as const).map(
        (side): Module => importLlvm(module, this.subject, this.layout, side).module,
      );
      return { ...about, isSame: false, modules: { before, after }, refusal: "" };
    } catch (error) {
      if (!(error instanceof LlvmError)) throw error;
      return {
        ...about,
        isSame: false,
        modules: null,
        refusal: `line ${error.line}: ${error.message}`,
      };
    }
  }

  /**
   * Runs both texts with objects at other distances. A difference that depends on the distance is no fault: the earlier
   * text accesses an object by the address of another one.
   */
  reasonToDiscard(before: PhaseProgram, after: PhaseProgram, input: Input): string | null {
    const [earlier, later] = [this.imported.get(before)?.llvm, this.imported.get(after)?.llvm];
    if (earlier === undefined || later === undefined) return "the texts are gone";
    for (const gap of OTHER_GAPS) {
      if (this.differenceAt(gap, earlier, later, input) === null)
        return `not with a distance of ${gap} bytes between objects`;
    }
    return null;
  }

  /** Runs two modules with that distance between objects; returns null if they do not differ. */
  private differenceAt(
    gap: number,
    earlier: LlvmModule,
    later: LlvmModule,
    input: Input,
  ): string | null {
    const layout = layoutFor(this.subject, this.line, gap);
    const moved = this.space.relocated(input, layout);
    const fuel = 2 * layout.states + this.scale * STEPS_MAX * STEPS_FACTOR;
    const run = (llvm: LlvmModule, side: "before" | "after"): Outcome => {
      const { module } = importLlvm(llvm, this.subject, layout, side);
      return new Oracle().run(decodeLazily(module), moved, fuel);
    };
    const verdict = refines(this.subject, layout, run(earlier, "before"), run(later, "after"));
    return verdict.kind === "different" ? verdict.difference : null;
  }

  /** Returns the wrong pass to run alone; null for machine code, or if the text is not a whole module. */
  repeatablePass({ line, name, input }: WrongPhase): RepeatablePass | null {
    const { first, passes } = this.texts;
    const at = passes.findIndex((each) => each.line === line && each.pass === name);
    if (at < 0) return null;
    const before = [first, ...passes.slice(0, at)].findLast(({ module }) => module !== null);
    if (before === undefined || (before !== first && !isWholeModule(before.text))) return null;
    const { text } = before;
    return {
      text,
      difference: (earlier, later) => {
        const [found, ...others] = [this.layout.gap, ...OTHER_GAPS].map((gap) =>
          this.differenceAt(gap, earlier, later, input),
        );
        return others.includes(null) ? null : found;
      },
    };
  }

  /** Adds the comparison of the last text with its machine code, or the reason why there is none. */
  withMachineCode(verdicts: PhaseVerdicts): PhaseVerdicts {
    const { final } = this.texts;
    if (final === null || !this.hasInputs) return verdicts;
    const machine = this.judgeMachine(final);
    if (typeof machine === "number") return { ...verdicts, equal: verdicts.equal + machine };
    if (typeof machine !== "string") return { ...verdicts, wrong: machine };
    return { ...verdicts, outside: [...verdicts.outside, { phase: MACHINE_CODE, why: machine }] };
  }

  /** Returns a difference, the number of equal executions, or the reason why there are none. */
  private judgeMachine(compiled: CompiledText): WrongPhase | number | string {
    const { passes, first } = this.texts;
    const llvm = passes.findLast(({ module }) => module !== null)?.module ?? first.module;
    const called = llvm.functions.get(this.subject.name);
    const imported = this.tryImport(llvm);
    if (called === undefined || imported === null) return "the last text cannot be imported";
    const last = { llvm, called, compiled };
    const differences = this.machineDifferences(last, this.layout, this.kept);
    if (typeof differences === "string") return differences;
    for (const { input, expected, difference } of differences) {
      if (difference === null || !this.differsAtOtherGaps(last, input, difference)) continue;
      return {
        name: MACHINE_CODE,
        line: called.line,
        texts: { before: called.text, after: called.text },
        modules: { before: imported.module, after: imported.module },
        ...{ input, expected, difference },
      };
    }
    return differences.length;
  }

  /**
   * Whether the machine code differs in the same way if objects have other distances. It does not if the text accesses
   * an object by the address of another one.
   */
  private differsAtOtherGaps(last: LastText, input: Input, difference: string): boolean {
    return OTHER_GAPS.every((gap) => {
      const layout = layoutFor(this.subject, this.line, gap);
      const found = this.machineDifferences(last, layout, [this.space.relocated(input, layout)]);
      return typeof found !== "string" && found.some((other) => other.difference === difference);
    });
  }

  /** Compares the machine code on inputs for which the last text returns, or returns the reason why there are none. */
  private machineDifferences(
    { llvm, called, compiled }: LastText,
    layout: LlvmLayout,
    inputs: readonly Input[],
  ): readonly MachineVerdict[] | string {
    const cases = this.machineCases(called, llvm, layout, inputs);
    if (cases.length === 0)
      return "it calls other modules, has volatile accesses, or returns several scalars";
    const driver = driverOf(called, this.subject, layout, cases);
    if (driver === null) return "its parameters or its result have other types";
    const renamed = compiled.text.replaceAll(/@main\b/g, "@original_main");
    const printed = runCompiled(renamed, driver, compiled.compiler, compiled.flags)?.split("\n");
    if (printed === undefined) return "it cannot be compiled and run on this machine";
    // The last part is empty; the driver may have made fewer calls.
    return cases.slice(0, printed.length - 1).map((each, i) => ({
      input: each.input,
      expected: each.expected,
      difference: machineDifference(printed[i] ?? "", called, layout, each),
    }));
  }

  private machineCases(
    called: LlvmFunction,
    llvm: LlvmModule,
    layout: LlvmLayout,
    inputs: readonly Input[],
  ): MachineCase[] {
    const { module } = importLlvm(llvm, this.subject, layout, "before");
    const program = decodeLazily(module);
    const oracle = new Oracle();
    const contentsOf = this.contentsReader(llvm, called, layout);
    return inputs.flatMap((input) => {
      const objects = contentsOf(input);
      const expected = oracle.run(program, input, this.fuelMax);
      return isCallable(expected) ? [{ input, expected, objects }] : [];
    });
  }

  /** Returns a function that returns the contents of the objects before the call. */
  private contentsReader(
    llvm: LlvmModule,
    called: LlvmFunction,
    layout: LlvmLayout,
  ): (input: Input) => readonly Uint8Array[] {
    // The function without its body ends with these contents.
    const [block] = called.blocks ?? [];
    const end = { ...block.instructions[0], result: null, opcode: "unreachable", labels: [] };
    const empty = { ...called, blocks: [{ name: block.name, instructions: [end] }] };
    const functions = new Map(llvm.functions).set(called.name, empty);
    const { module } = importLlvm({ ...llvm, functions }, this.subject, layout, "before");
    const program = decodeLazily(module);
    return (input) => {
      const { ending } = new Oracle().run(program, input, this.fuelMax);
      const bytes = "heap" in ending ? ending.heap.bytes : new Uint8Array(layout.heapBytes);
      return layout.objects.map(({ at, size }) => bytes.slice(at, at + size));
    };
  }

  print(input: Input): string {
    const { module } = this.texts.first;
    const { subject, layout } = this;
    const called = module.functions.get(subject.name);
    const contents = called === undefined ? [] : this.contentsReader(module, called, layout)(input);
    return printLlvmInput(subject, layout, input, contents);
  }
}

/** The last text of a function, and the module that becomes machine code. */
interface LastText {
  readonly llvm: LlvmModule;
  readonly called: LlvmFunction;
  readonly compiled: CompiledText;
}

/** The verdict on one execution of the machine code. */
interface MachineVerdict {
  readonly input: Input;
  readonly expected: Outcome;
  /** The difference; null if the execution is equal. */
  readonly difference: string | null;
}

/** The name of the last phase: the back end. */
const MACHINE_CODE = "machine code";
/** The index of a text after the first passes, in which most variables are no longer in memory. */
const EARLY_TEXT = 6;
const OTHER_GAPS = [192, 1088];

const CODE_OF_FUNCTION = new WeakMap<LlvmFunction, string>();

/** Returns the text and the attributes of a function, without the numbers of groups of the module. */
function codeOf(called: LlvmFunction): string {
  const known = CODE_OF_FUNCTION.get(called);
  if (known !== undefined) return known;
  const text = called.text.replace(/ #\d+|(?:,| ) !\w[\w.]* !\d+/g, "");
  const code = [
    text,
    ...[...called.attributes].filter((each) => !/^\d+$/.test(each)).sort(),
  ].join();
  CODE_OF_FUNCTION.set(called, code);
  return code;
}

/** Whether the function, or one that it calls, changed. */
function reachesChange(previous: LlvmModule, now: LlvmModule, name: string): boolean {
  const seen = new Set<string>();
  const worklist = [name];
  for (let next = worklist.pop(); next !== undefined; next = worklist.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const [called, before] = [now, previous].map(({ functions }) => functions.get(next));
    if (called !== before) {
      if (called === undefined || before === undefined || codeOf(called) !== codeOf(before))
        return true;
    }
    for (const { instructions } of called?.blocks ?? []) {
      for (const { opcode, operands } of instructions) {
        const [callee] = operands;
        if (opcode === "call" && callee.operand.kind === "global")
          worklist.push(callee.operand.name);
      }
    }
  }
  return false;
}
