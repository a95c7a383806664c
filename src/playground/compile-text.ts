// Compiles a program once, and returns its forms: the phases that changed it, allocated LIR, live
// intervals, machine code and exits.

import { Compiler } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/compile-error.js";
import type { Lir } from "../../reference/lir/lir.js";
import { printLir } from "../../reference/lir/text/print.js";
import { optimize } from "../../reference/optimize.js";
import { PARTS } from "../../reference/parts.js";
import { decodeExits } from "../execute/machine/decode-exits.js";
import { describeExit, hexDump } from "../execute/machine/describe-image.js";
import { ENVIRONMENT } from "../execute/machine/environment.js";
import { backEndOptionsOf, DEFAULT_SETTINGS, optionsOf } from "../execute/unit.js";
import { printProcedure } from "../ir/text/print.js";
import { compareLines } from "../report/page/diff.js";
import { graphOf } from "../report/page/graph.js";
import type { ProgramText, ShownCompilation } from "../report/page-state.js";
import { allocationPicture } from "./allocation-picture.js";
import { readProgram } from "./program-text.js";
import type { CompiledForms, PhaseChange, ProcedureLir, ProcedurePicture } from "./protocol.js";

/** @throws ParseError, RequestError */
export function compileText(program: ProgramText, shown: ShownCompilation): CompiledForms {
  const { module, planted } = readProgram(program);
  const { target, level, allocator } = shown;
  const { settings = DEFAULT_SETTINGS, parts = PARTS, checkAllocation = true } = planted;
  const graphs = module.procedures.map((proc) => ({
    procedure: proc.name,
    svg: graphOf(proc, new Set())?.html ?? null,
  }));
  const phases: PhaseChange[] = [];
  const texts = new Map(module.procedures.map((proc) => [proc, printProcedure(proc)]));
  const rules = new Map<string, number>();
  optimize(module, {
    ...optionsOf(settings, parts),
    ...{ level, target },
    onApplication: (rule) => void rules.set(rule, (rules.get(rule) ?? 0) + 1),
    afterPhase: (phase, proc) => {
      const before = texts.get(proc) ?? "";
      const after = printProcedure(proc);
      const applied = [...rules].map(([rule, count]) => `${count} × ${rule}`);
      rules.clear();
      if (after === before) return;
      texts.set(proc, after);
      const lines = compareLines(before, after);
      phases.push({ phase, procedure: proc.name, rules: applied, lines });
    },
  });
  const lir: ProcedureLir[] = [];
  const intervals: ProcedurePicture[] = [];
  try {
    const image = new Compiler(parts).generate(module, target, {
      ...backEndOptionsOf(settings),
      ...{ level, allocator, checkAllocation, root: module.entry },
      environment: ENVIRONMENT,
      listing: true,
      onLir: (stage, code, allocation, plan, proc) => {
        if (stage !== "allocate") return;
        const text = printLir(code, plan, proc.name, allocation);
        lir.push({ text, values: valuesOf(code) });
        const svg = allocationPicture(code, plan, allocation, proc.name);
        intervals.push({ procedure: proc.name, svg });
      },
    });
    const exits = decodeExits(image.exits).flatMap(describeExit);
    return {
      ...{
        kind: "compiled",
        phases,
        graphs,
        intervals,
        lir,
        listing: image.listing.join("\n"),
      },
      ...{ bytes: hexDump(image.code), exits: exits.join("\n"), error: null },
    };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const none = { listing: "", bytes: "", exits: "" };
    const drawn = { kind: "compiled", phases, graphs, intervals } as const;
    return { ...drawn, lir, ...none, error: error.message };
  }
}

/** Returns the value of each virtual register that holds one, as it is named in the text. */
function valuesOf(lir: Lir): Record<string, string> {
  const named = Array.from({ length: lir.vregCount }, (_, vreg): [string, number] => {
    const own = lir.vregValue[vreg];
    return [`v${vreg}`, own < 0 ? lir.vregValue[lir.vregRoot[vreg]] : own];
  });
  return Object.fromEntries(
    named.filter(([, value]) => value >= 0).map(([vreg, value]) => [vreg, `@${value}`]),
  );
}
