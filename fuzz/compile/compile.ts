// `fuzz compile FILE.ir`: look inside the compiler. What is printed of the IR is valid input again.

import { Compiler, type GenerateOptions, type Image } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/code-buffer.js";
import type { Level } from "../../reference/levels.js";
import { printLir } from "../../reference/lir/text/print.js";
import { optimize } from "../../reference/optimize.js";
import type { AllocatorName } from "../../reference/regalloc/allocator-names.js";
import type { TargetName } from "../../reference/target/target.js";
import {
  DECODED_PLACE,
  type DecodedExit,
  type DecodedLocation,
  decodeExits,
} from "../../src/execute/machine/decode-exits.js";
import { ENVIRONMENT } from "../../src/execute/machine/environment.js";
import {
  chaoticSettings,
  type Generation,
  generationOf,
  type OptimizeSettings,
} from "../../src/execute/unit.js";
import type { Module, Procedure } from "../../src/ir/procedure.js";
import { printLiteral } from "../../src/ir/text/literals.js";
import { printModule } from "../../src/ir/text/print.js";
import { TYPE_NAMES, typeNamed, Void } from "../../src/ir/types.js";
import { parseNames } from "../support/arguments.js";
import { printJson, printLine, printText, STATUS, usageError } from "../support/output.js";
import { type OptimizeArgs, optimizeSettings, readProgram } from "../support/program-file.js";
import { LIR_STAGES, openDumper } from "./dump.js";
import { IonGraphMaker } from "./emit-iongraph.js";

interface CompileArgs extends OptimizeArgs {
  readonly file: string;
  readonly target: TargetName;
  readonly level: Level;
  readonly dump: string | undefined;
  readonly emit: string | undefined;
  readonly procedure: string | undefined;
  readonly allocator: AllocatorName | undefined;
}

const FORMS = ["ir", "lir", "asm", "bytes", "exits", "iongraph"] as const;
type Form = (typeof FORMS)[number];

/** What `--dump` takes besides the phases of the optimizer. */
type LirStage = (typeof LIR_STAGES)[number];

export async function run(args: CompileArgs): Promise<number> {
  const { level, target, dump, chaos } = args;
  const forms = formsOf(args);
  const given = optimizeSettings(args);
  const settings = chaos === undefined ? given : chaoticSettings(given);
  const { module, lines } = readProgram(args.file);
  const root = rootOf(module, args.procedure);
  const stage = LIR_STAGES.find((name) => name === dump) ?? null;
  const dumper = stage === null ? openDumper(dump, module, lines) : null;
  const graph = forms.includes("iongraph") ? new IonGraphMaker() : null;
  for (const proc of module.procedures) graph?.addPhase("as given", proc);
  // The graph is one JSON, and what it says of chaos is its passes.
  if (chaos !== undefined && graph === null) describeChaos(settings);
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
    printForms(module, target, forms, stage, graph, {
      level,
      root,
      allocator,
      ...generationOf(settings),
    });
    return STATUS.nothingFound;
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    printLine(`; compile error: ${error.message}`);
    return STATUS.found;
  }
}

/** With --procedure, one that nothing calls can be compiled, as a continuation is. */
function rootOf(module: Module, name: string | undefined): Procedure {
  if (name === undefined) return module.entry;
  const root = module.procedures.find((proc) => proc.name === name);
  if (root !== undefined) return root;
  throw usageError(`--procedure ${name}: no procedure has the name`);
}

function describeChaos(settings: OptimizeSettings): void {
  const { phases, disabled, branchReach, pressure, pieces } = settings;
  printLine(`; phases: ${phases?.join(",") ?? ""}`);
  printLine(`; disabled: ${[...disabled].join(",")}`);
  if (branchReach !== null) printLine(`; branch reach: ${branchReach}`);
  if (pieces) printLine("; values of 64 bits in pieces");
  if (pressure !== null) {
    const { registers, ghosts, places, reorders } = pressure;
    printLine(`; registers: ${registers ?? "all"}${reorders ? ", in another order" : ""}`);
    if (ghosts > 0) printLine(`; one instruction in ${ghosts} destroys some for no reason`);
    if (places > 0) printLine(`; one use in ${places} may not be anywhere any more`);
  }
}

function formsOf({ emit, dump }: CompileArgs): readonly Form[] {
  if (emit === undefined) return dump === undefined ? ["asm"] : [];
  return parseNames(emit).map((name) => {
    const form = FORMS.find((known) => known === name);
    if (form !== undefined) return form;
    throw usageError(`--emit ${name}: expected some of ${FORMS.join(", ")}`);
  });
}

function printForms(
  module: Module,
  target: TargetName,
  forms: readonly Form[],
  dumped: LirStage | null,
  graph: IonGraphMaker | null,
  options: Pick<GenerateOptions, "level" | "root" | "allocator" | keyof Generation>,
): void {
  const head = (form: string): void => {
    if (forms.length > 1) printLine(`; ${form}`);
  };
  if (forms.includes("ir")) {
    head("ir");
    printText(printModule(module));
  }
  if (dumped === null && forms.every((form) => form === "ir")) return;
  const image = new Compiler().generate(module, target, {
    ...options,
    environment: ENVIRONMENT,
    checkAllocation: true,
    listing: forms.includes("asm"),
    onLir: (stage, lir, allocation, plan, proc) => {
      graph?.addLir(stage, lir, plan, stage === "lower" ? null : allocation, proc);
      if (!forms.includes("lir") && stage !== dumped) return;
      if (stage !== dumped) printLine(stage === "lower" ? "; lir" : "; lir, allocated");
      printText(printLir(lir, plan, proc.name, stage === "lower" ? null : allocation));
    },
  });
  if (forms.includes("asm")) {
    head("asm");
    printText(image.listing.join("\n"));
  }
  if (forms.includes("bytes")) {
    head("bytes");
    printText(hexDump(image.code));
  }
  if (forms.includes("exits")) {
    head("exits");
    printText(describeExits(image));
  }
  if (graph !== null) printJson(graph.end());
}

const BYTES_PER_LINE = 16;

function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE) {
    const hex = Array.from(bytes.subarray(at, at + BYTES_PER_LINE), (b) =>
      b.toString(16).padStart(2, "0"),
    );
    lines.push(`${at.toString(16).padStart(4, "0")}  ${hex.join(" ")}`);
  }
  return lines.join("\n");
}

function describeExits({ exits }: Image): string {
  return decodeExits(exits)
    .flatMap((exit) => describeExit(exit))
    .join("\n");
}

function describeExit(record: DecodedExit): string[] {
  const { exit, procedure, snapshot, frameSize, saved, leaves, frames } = record;
  return [
    `exit ${exit}: procedure ${procedure}, s${snapshot}, frame of ${frameSize} bytes, saved registers [${saved.join(" ")}]`,
    `  leaves: ${leaves.map(describeLocation).join(", ")}`.trimEnd(),
    ...frames.map(({ name, point, slots }) =>
      `  ${name}@${point}: ${slots.map(describeLocation).join(", ")}`.trimEnd(),
    ),
  ];
}

const PLACE_NAMES = Object.keys(DECODED_PLACE);

function describeLocation({ place, type, index, lo, hi, halves }: DecodedLocation): string {
  if (halves !== null) return `(${halves.map(describeLocation).join(" and ")})`;
  const name = TYPE_NAMES[type];
  if (place === DECODED_PLACE.dead) return "dead";
  if (place === DECODED_PLACE.constant)
    return `${name} ${printLiteral(typeNamed(name) ?? Void, lo, hi)}`;
  return `${name} ${PLACE_NAMES[place]} ${index}`;
}
