// Implements `fuzz compile FILE.ir`, which prints the intermediate forms of a compilation. The
// printed IR is valid input.

import { Compiler, type GenerateOptions } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/compile-error.js";
import type { Level } from "../../reference/levels.js";
import { printLir } from "../../reference/lir/text/print.js";
import { locationName } from "../../reference/lir/text/text-form.js";
import { optimize } from "../../reference/optimize.js";
import type { AllocatorName } from "../../reference/regalloc/allocator-names.js";
import { describeDecision } from "../../reference/regalloc/trace.js";
import type { TargetName } from "../../reference/target/target.js";
import { ENVIRONMENT } from "../../src/execute/machine/environment.js";
import { type BackEndOptions, backEndOptionsOf, chaoticSettings } from "../../src/execute/unit.js";
import type { Module, Procedure } from "../../src/ir/procedure.js";
import { printModule } from "../../src/ir/text/print.js";
import { parseNames } from "../support/arguments.js";
import { STATUS, usageError } from "../support/output.js";
import { type OptimizeArgs, optimizeSettings, readProgram } from "../support/program-file.js";
import { LIR_STAGES, openDumper } from "./dump.js";
import { IonGraphMaker } from "./emit-iongraph.js";
import { CompileOutput } from "./teller.js";

interface CompileArgs extends OptimizeArgs {
  readonly file: string;
  readonly target: TargetName;
  readonly level: Level;
  readonly dump: string | undefined;
  readonly emit: string | undefined;
  readonly procedure: string | undefined;
  readonly allocator: AllocatorName | undefined;
  readonly json: boolean;
}

const FORMS = [
  "ir",
  "lir",
  "asm",
  "bytes",
  "exits",
  "slots",
  "allocation-trace",
  "iongraph",
] as const;
type EmittedForm = (typeof FORMS)[number];

/** The stages that `--dump` accepts besides the phases of the optimizer. */
type LirStage = (typeof LIR_STAGES)[number];

export async function run(args: CompileArgs): Promise<number> {
  const { level, target, dump, chaos, json } = args;
  const forms = formsOf(args);
  const given = optimizeSettings(args);
  const settings = chaos === undefined ? given : chaoticSettings(given);
  const { module, lines } = readProgram(args.file);
  const root = rootOf(module, args.procedure);
  const stage = LIR_STAGES.find((name) => name === dump) ?? null;
  const teller = new CompileOutput(json, forms.length > 1);
  const tell = (says: readonly string[], program: string | null): void =>
    teller.dump(says, program);
  const dumper = stage === null ? openDumper(dump, module, lines, tell) : null;
  const graph = forms.includes("iongraph") ? new IonGraphMaker() : null;
  for (const proc of module.procedures) graph?.addPhase("as given", proc);
  // The graph is one JSON object, which shows the effects of chaos in its passes.
  if (chaos !== undefined && graph === null) teller.chaos(settings);
  optimize(module, {
    ...settings,
    level,
    target,
    afterPhase: (phase, proc, applications) => {
      dumper?.afterPhase(phase, proc, applications);
      graph?.addPhase(phase, proc);
    },
    onApplication: dumper?.onApplication ?? null,
  });
  dumper?.end();
  try {
    const { allocator } = args;
    const options = { level, root, allocator, ...backEndOptionsOf(settings) };
    emitForms(module, target, { forms, dumped: stage, graph, teller }, options);
    teller.end({ target, level });
    return STATUS.nothingFound;
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    teller.error(error.message);
    teller.end({ target, level });
    return STATUS.found;
  }
}

/** Returns the procedure to compile. With --procedure, it may have no caller, as a continuation. */
function rootOf(module: Module, name: string | undefined): Procedure {
  if (name === undefined) return module.entry;
  const root = module.procedures.find((proc) => proc.name === name);
  if (root !== undefined) return root;
  throw usageError(`--procedure ${name}: no procedure has this name`);
}

function formsOf({ emit, dump }: CompileArgs): readonly EmittedForm[] {
  if (emit === undefined) return dump === undefined ? ["asm"] : [];
  return parseNames(emit).map((name) => {
    const form = FORMS.find((known) => known === name);
    if (form !== undefined) return form;
    throw usageError(`--emit ${name}: expected comma-separated names among ${FORMS.join(", ")}`);
  });
}

/** The requested outputs, and the receiver of each. */
interface RequestedOutput {
  readonly forms: readonly EmittedForm[];
  readonly dumped: LirStage | null;
  readonly graph: IonGraphMaker | null;
  readonly teller: CompileOutput;
}

function emitForms(
  module: Module,
  target: TargetName,
  { forms, dumped, graph, teller }: RequestedOutput,
  options: Pick<GenerateOptions, "level" | "root" | "allocator" | keyof BackEndOptions>,
): void {
  if (forms.includes("ir")) teller.ir(printModule(module));
  if (dumped === null && forms.every((form) => form === "ir")) return;
  const decisions: string[] = [];
  const registerName = (register: number): string => locationName(target, register);
  const traced: Pick<GenerateOptions, "onDecision"> = {
    onDecision: (decision, { name }) =>
      void decisions.push(`${name}: ${describeDecision(decision, registerName)}`),
  };
  const image = new Compiler().generate(module, target, {
    ...options,
    environment: ENVIRONMENT,
    checkAllocation: true,
    listing: forms.includes("asm"),
    ...(forms.includes("allocation-trace") ? traced : {}),
    onLir: (stage, lir, allocation, plan, proc) => {
      graph?.addLir(stage, lir, plan, stage === "lower" ? null : allocation, proc);
      if (!forms.includes("lir") && stage !== dumped) return;
      const text = printLir(lir, plan, proc.name, stage === "lower" ? null : allocation);
      teller.lir(stage, proc.name, text, stage === dumped);
    },
  });
  if (forms.includes("asm")) teller.asm(image.listing);
  if (forms.includes("bytes")) teller.bytes(image.code);
  if (forms.includes("exits")) teller.exits(image);
  if (forms.includes("slots")) teller.slots(image, module.procedures);
  if (forms.includes("allocation-trace")) teller.allocationTrace(decisions);
  if (graph !== null) teller.iongraph(graph.end());
}
