// Runs the golden files of the optimizer's phases: corpus/golden/<phase>/*.ir.
//
// `; test: a, b` lists the phases to run, and `; target: NAME` the target of the phases that need
// one. An expectation after a value refers to the value with that id after the last phase. `;
// check: TEXT` requires that the value prints with that text, `; not: OPCODE` that it does not have
// that opcode, and `; in: #N` that it is in that block. `; count: OPCODE N`, on a separate line,
// requires that number of values with the opcode. `; run:` lines need an oracle, which this folder
// may not import: src/compare/regressions.test.ts runs them.

import { readdirSync, readFileSync } from "node:fs";
import test from "ava";
import { Op } from "../../src/ir/opcodes.js";
import type { Module, Procedure } from "../../src/ir/procedure.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { printProcedure } from "../../src/ir/text/print.js";
import { describeFault, verify } from "../../src/ir/verify/verify.js";
import { assert } from "../../src/support/assert.js";
import { LEVELS } from "../levels.js";
import { optimize, orderFault, payoffFault, waitFault } from "../optimize.js";
import { ORDER_THAT_PAYS, PHASES, PIPELINES, type PipelineStep } from "../pipeline.js";
import type { TargetName } from "../target/target.js";
import { RuleMatcher } from "./rules/match.js";
import type { Rule } from "./rules/patterns.js";
import { RULES } from "./rules/rules.js";

const GOLDEN = "corpus/golden";

type Kind = (typeof KINDS)[number];
const KINDS = ["check", "not", "in", "count"] as const;

interface Expectation {
  readonly line: number;
  /** The id of a value; for `count` the name of an opcode. */
  readonly id: string;
  readonly kind: Kind;
  readonly text: string;
}

for (const { name: phase } of PHASES) {
  const files = readdirSync(`${GOLDEN}/${phase}`);
  test(`${phase} has golden files`, (t) => t.true(files.length > 0));
  for (const file of files) {
    test(`${phase}: ${file}`, (t) => {
      t.true(file.endsWith(".ir"), "is not a golden file");
      const text = readFileSync(`${GOLDEN}/${phase}/${file}`, "utf8");
      const phases = phasesOf(text);
      t.true(phases.includes(phase), `; test: does not name ${phase}`);
      const expectations = expectationsOf(text);
      t.true(expectations.length > 0, "expects nothing");
      const printed = printedAfter(parseModule(text), phases, targetOf(text));
      for (const { line, id, kind, text: wanted } of expectations) {
        const found = foundBy(kind, id, printed);
        const holds =
          kind === "check"
            ? found.endsWith(` = ${wanted}`)
            : kind === "not"
              ? !found.includes(` = ${wanted}(`)
              : found === wanted;
        t.true(holds, `line ${line}: ${kind}: ${wanted}, found '${found}'`);
      }
    });
  }
}

// Each rule with a condition or a function has `RULE-fires.ir` and `RULE-stays.ir`. In the first it
// fires; in the second only its condition prevents that.
for (const rule of RULES.filter(({ where, apply }) => where || apply)) {
  test(`${rule.name} fires if its condition holds, and only then`, (t) => {
    const [fires, stays] = ["fires", "stays"].map((name) =>
      readFileSync(`${GOLDEN}/reduce-strength/${rule.name}-${name}.ir`, "utf8"),
    );
    t.true(firesIn(rule, fires), "does not fire");
    t.false(firesIn(rule, stays), "fires where it must not");
    if (rule.where)
      t.true(hasPatternOf(rule, stays), "another pattern: the condition is not reached");
  });
}

function firesIn(rule: Rule, text: string): boolean {
  const { fired } = optimize(parseModule(text), { level: "O1", phases: ["reduce-strength"] });
  return fired[RULES.indexOf(rule)] > 0;
}

/** True if a value of the original text would match without the rule's conditions. */
function hasPatternOf(rule: Rule, text: string): boolean {
  const matcher = new RuleMatcher([{ ...rule, where: [] }]);
  const { procedures } = parseModule(text);
  const values = procedures.flatMap(({ blocks }) => blocks.flatMap(({ values }) => values));
  return values.some((value) => matcher.find(value, new Uint8Array(1)) >= 0);
}

function phasesOf(text: string): string[] {
  const match = /^; test: (.*)$/m.exec(text);
  return match === null ? [] : match[1].split(",").map((name) => name.trim());
}

function expectationsOf(text: string): Expectation[] {
  return text.split("\n").flatMap((line, index): Expectation[] => {
    const count = /^; count: (\w+) (\d+)$/.exec(line);
    if (count !== null) return [{ line: index + 1, id: count[1], kind: "count", text: count[2] }];
    const match = /@(\d+) = .*; (\w+): (.*)$/.exec(line);
    const kind = KINDS.find((name) => name === match?.[2]);
    if (match !== null && kind !== undefined) {
      return [{ line: index + 1, id: match[1], kind, text: match[3].trim() }];
    }
    const isStray = /; (check|not|in|count):/.test(line);
    assert(!isStray, () => `line ${index + 1}: an expectation must follow a value`);
    return [];
  });
}

/** A procedure after the last of the phases. */
interface PrintedProcedure {
  /** By id of a value: its line. */
  readonly lines: ReadonlyMap<string, string>;
  /** By id of a value: its block. */
  readonly blocks: ReadonlyMap<string, string>;
}

function foundBy(kind: Kind, id: string, { lines, blocks }: PrintedProcedure): string {
  if (kind === "in") return blocks.get(id) ?? "";
  if (kind !== "count") return lines.get(id) ?? "";
  return String([...lines.values()].filter((line) => line.includes(` = ${id}(`)).length);
}

function targetOf(text: string): TargetName | null {
  const match = /^; target: (x64|arm64)$/m.exec(text);
  return match === null ? null : match[1] === "x64" ? "x64" : "arm64";
}

function printedAfter(
  module: Module,
  phases: readonly string[],
  target: TargetName | null,
): PrintedProcedure {
  const lines = new Map<string, string>();
  const blocks = new Map<string, string>();
  const afterPhase = (phase: string, proc: Procedure): void => {
    const faults = verify(module).map(describeFault);
    assert(faults.length === 0, () => `${phase}: ${faults.join("\n")}`);
    if (proc !== module.entry || !phases.includes(phase)) return;
    lines.clear();
    blocks.clear();
    let block = "";
    for (const line of printProcedure(proc).split("\n")) {
      block = /^#\d+/.exec(line)?.[0] ?? block;
      const match = /@(\d+) = /.exec(line);
      if (match === null) continue;
      lines.set(match[1], line.trim());
      blocks.set(match[1], block);
    }
  };
  optimize(module, { level: "O1", target, phases, afterPhase });
  return { lines, blocks };
}

const COUNTED = `touchstone 1

proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(0)
  Int32 @2 = Add(@0, @1)
  Int32 @3 = Sub(@2, @2)
  Int32 @4 = Mul(@0, @3)
  Int32 @5 = Add(@4, @0)
  Void @6 = Return(@5)
`;

test("applications stop at the limit, and the last one is named", (t) => {
  const all = optimize(parseModule(COUNTED), { level: "O1" });
  t.true(all.applications > 4);
  for (let applicationsMax = 0; applicationsMax <= all.applications; applicationsMax++) {
    const module = parseModule(COUNTED);
    const report = optimize(module, { level: "O1", applicationsMax });
    t.is(report.applications, applicationsMax);
    t.deepEqual(verify(module), []);
    if (applicationsMax === 0) t.is(report.last, null);
    if (applicationsMax === 1) {
      t.deepEqual(report.last, { by: "add-zero", value: 2, procedure: "f" });
      t.is(report.fired[RULES.findIndex(({ name }) => name === "add-zero")], 1);
    }
  }
});

const DIVIDED_AT_EXIT = `touchstone 1

proc f(Int32 @0) -> Int32
snapshot s0 = exit 0 block {
  Int32 @2 = Const32(-7)
  Int32 @3 = ChillMod(@0, @2)
} frames [f@0: @3]
#0:
  Void @4 = Check(@0) s0
  Void @5 = Return(@0)
`;

test("an exit block is total at every limit", (t) => {
  for (let applicationsMax = 0; applicationsMax < 8; applicationsMax++) {
    const module = parseModule(DIVIDED_AT_EXIT);
    optimize(module, { level: "O1", applicationsMax });
    t.deepEqual(verify(module).map(describeFault), []);
  }
});

const BRANCHED = `touchstone 1

proc f(Int32 @0) -> Int32
#0:
  Void @1 = Branch(@0, #1, #2)
#1:
  Void @2 = Return(@0)
#2:
  Void @3 = Return(@0)
`;

test("a phase is skipped if a feature that it needs is missing or has been removed", (t) => {
  const ran: string[] = [];
  const afterPhase = (phase: string): void => void ran.push(phase);
  const phases = ["canonicalize-phis", "simplify-control-flow", "canonicalize-phis", "narrow"];
  optimize(parseModule(COUNTED), { level: "O1", phases, afterPhase });
  t.deepEqual(ran.splice(0), ["narrow"]);
  optimize(parseModule(BRANCHED), { level: "O1", phases, afterPhase });
  t.deepEqual(ran.splice(0), [...phases]);
  const folded = BRANCHED.replace("#0:\n", "#0:\n  Int32 @4 = Const32(0)\n").replace(
    "Branch(@0,",
    "Branch(@4,",
  );
  optimize(parseModule(folded), {
    level: "O1",
    phases: ["reduce-strength", ...phases],
    afterPhase,
  });
  t.deepEqual(ran, ["reduce-strength", "canonicalize-phis", "simplify-control-flow", "narrow"]);
});

test("rules and phases can be disabled by name, except required phases", (t) => {
  const ranWithout = (disabled: string, text = COUNTED): string[] => {
    const ran: string[] = [];
    const afterPhase = (phase: string): void => void ran.push(phase);
    const module = parseModule(text);
    const report = optimize(module, { level: "O1", disabled: new Set([disabled]), afterPhase });
    t.is(report.fired[RULES.findIndex(({ name }) => name === disabled)] ?? 0, 0);
    return ran;
  };
  t.false(ranWithout("eliminate-dead-code").includes("eliminate-dead-code"));
  t.true(ranWithout("canonicalize-phis", BRANCHED).includes("canonicalize-phis"));
  t.true(ranWithout("sub-self").includes("reduce-strength"));
});

test("a second run of reduce-strength finds nothing", (t) => {
  // The code that the required phase creates is as new to reduce-strength as a program.
  const phases = ["lower-bulk-memory", "reduce-strength"];
  for (const { name: phase } of PHASES) {
    for (const file of readdirSync(`${GOLDEN}/${phase}`)) {
      const module = parseModule(readFileSync(`${GOLDEN}/${phase}/${file}`, "utf8"));
      optimize(module, { level: "O1", phases });
      const again = optimize(module, { level: "O1", phases });
      t.is(again.applications, 0, `${file}: ${again.last?.by} at @${again.last?.value}`);
    }
  }
});

test("an order of phases without a required fact is rejected", (t) => {
  const [reduce] = PHASES;
  const canonicalize = PHASES.filter(({ required }) => required === true);
  t.is(orderFault([...canonicalize, reduce]), "lowering requires edge-form-phis");
  const needy = { ...reduce, name: "needy", requires: ["no-critical-edges" as const] };
  t.is(orderFault([needy, ...canonicalize]), "needy requires no-critical-edges");
  t.is(orderFault([reduce, ...canonicalize]), null);
  t.throws(() => optimize(parseModule(COUNTED), { level: "O1", phases: ["no-such-phase"] }), {
    instanceOf: RangeError,
  });
});

test("an order that violates any row of ORDER_THAT_PAYS is rejected", (t) => {
  for (const { phase: early, before: late, because } of ORDER_THAT_PAYS) {
    const name = `${early} before ${late}`;
    const has = (steps: readonly PipelineStep[], name: string): boolean =>
      steps.some(({ phase, afterChangeBy }) => phase === name && afterChangeBy === undefined);
    const kept = LEVELS.map((level) => PIPELINES[level]).filter(
      (steps) => has(steps, early) && has(steps, late),
    );
    t.true(kept.length > 0, `${name}: no level has both`);
    for (const steps of kept) {
      t.is(payoffFault(steps), null, name);
      const moved = [...steps.filter(({ phase }) => phase !== early), { phase: early }];
      t.not(payoffFault(moved), null, name);
    }
    const turned = [{ phase: late }, { phase: early }];
    t.is(payoffFault(turned), `${late} runs before ${early}, but ${because}`);
  }
});

test("a step that waits for a phase that does not run before it is rejected", (t) => {
  const because = "a test";
  const [waits, runs] = [
    { phase: "narrow", afterChangeBy: "fix-ssa", because } as const,
    { phase: "fix-ssa", because } as const,
  ];
  t.is(waitFault([runs, waits]), null);
  t.is(waitFault([waits, runs]), "narrow waits for fix-ssa, which does not run before it");
});

test("rules have distinct names, nine in ten without a function", (t) => {
  t.is(new Set(RULES.map(({ name }) => name)).size, RULES.length);
  const patterns = RULES.filter(({ apply }) => apply === undefined).length;
  t.true(patterns >= 0.9 * RULES.length, `${patterns} of ${RULES.length}`);
});

test("edge form: phis at the head, one upsilon for each edge, no critical edge", (t) => {
  for (const { name: phase } of PHASES) {
    for (const file of readdirSync(`${GOLDEN}/${phase}`)) {
      const module = parseModule(readFileSync(`${GOLDEN}/${phase}/${file}`, "utf8"));
      optimize(module, { level: "O0" });
      for (const proc of module.procedures) t.is(edgeFormFault(proc), null, file);
    }
  }
});

/**
 * Returns a message about the first violations of edge form; null if there are none. It is
 * independent of the phase that establishes it.
 */
function edgeFormFault(proc: Procedure): string | null {
  proc.computePredecessors();
  const expected: string[] = [];
  const found: string[] = [];
  for (const block of proc.blocks) {
    const opcodes = block.values.map(({ opcode }) => opcode);
    const firstOther = opcodes.findIndex((opcode) => opcode !== Op.Phi);
    const lastOther = opcodes.slice(0, -1).findLastIndex((opcode) => opcode !== Op.Upsilon);
    block.values.forEach((value, i) => {
      if (value.opcode === Op.Phi) {
        if (i > firstOther) expected.push(`@${value.id} at the head of #${block.id}`);
        for (const { id } of block.predecessors) expected.push(`^${value.id} in #${id}`);
      } else if (value.opcode === Op.Upsilon) {
        const isAtEnd = i > lastOther;
        found.push(isAtEnd ? `^${value.phi.id} in #${block.id}` : `@${value.id} in the middle`);
      }
    });
    const isCritical = block.successors.some(({ predecessors }) => predecessors.length > 1);
    if (block.successors.length > 1 && isCritical)
      expected.push(`no critical edge of #${block.id}`);
    if (block !== proc.blocks[0] && block.predecessors.length === 0) {
      expected.push(`no unreachable #${block.id}`);
    }
  }
  const [wanted, is] = [expected.sort().join("; "), found.sort().join("; ")];
  return wanted === is ? null : `expected ${wanted}, found ${is}`;
}
