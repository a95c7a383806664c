// Tests exits that are linked in code. The outcome equals that of unlinked exits, for every state
// that a link passes on and for a full code cache.

import ava, { type ExecutionContext } from "ava";
import { PARTS } from "../../reference/parts.js";
import { judge } from "../compare/compare.js";
import { describeDifference } from "../compare/describe-difference.js";
import { Judge } from "../compare/judge-program.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { ProgramFacts } from "../record/program-facts.js";
import { hotAt, type Thresholds } from "../record/thresholds.js";
import type { TraceCounts } from "../record/trace-counts.js";
import { TracingMachine } from "../record/tracing-machine.js";
import { assert } from "../support/assert.js";
import { EmulatedCpu } from "./emulator/emulated-cpu.js";
import { fuelFor } from "./fuel.js";
import { LinkedTraces } from "./linked-traces.js";
import { linkerOf } from "./linker.js";
import { CodeCache } from "./machine/code-cache.js";
import type { Cpu } from "./machine/cpu.js";
import { REGISTERS, setAddress } from "./machine/guest.js";
import { MachineRunner } from "./machine/machine.js";
import { interpretedBy } from "./machine/resume.js";
import { SimulatedCpu } from "./simulator/simulated-cpu.js";
import { subjectNamed } from "./subjects.js";
import { emulatorTest } from "./unicorn-available.js";
import { CompilationUnit, DEFAULT_SETTINGS } from "./unit.js";

const test = emulatorTest(ava);

/** Loops are recorded at once, and calls never, because a recorded call extends to its end. */
const HOT = { ...hotAt(1), hotCall: 1000 };

const TYPES = ["Int32", "Double", "Int64", "Float"] as const;
const CARRIED = 32;

/**
 * Two paths of a loop alternate. One of them passes each value on to the next value of its type, so
 * that the whole state rotates; both log four values.
 */
function rotating(): string {
  const typeOf = (k: number): string => TYPES[k % TYPES.length];
  const phi = (k: number): number => 100 + k;
  const lines: string[] = [];
  const parameters = Array.from({ length: CARRIED }, (_, k) => `${typeOf(k)} @${k}`);
  const carry = (id: number, of: (k: number) => number): string[] =>
    Array.from({ length: CARRIED }, (_, k) => `  Void @${id + k} = Upsilon(@${of(k)}, ^${phi(k)})`);
  lines.push(
    "touchstone 1",
    `proc f(${parameters.join(", ")}) -> Int32`,
    "#0:",
    "  Int32 @90 = Const32(0)",
    "  Int32 @91 = Const32(1)",
    "  Int32 @92 = Const32(40)",
    ...carry(200, (k) => k),
    "  Void @93 = Upsilon(@90, ^140)",
    "  Void @94 = Jump(#1)",
    "#1:",
    "  Int32 @140 = Phi()",
    ...Array.from({ length: CARRIED }, (_, k) => `  ${typeOf(k)} @${phi(k)} = Phi()`),
    "  Int32 @141 = Add(@140, @91)",
    "  Void @142 = Upsilon(@141, ^140)",
    `  Void @144 = CCall(logMixed, @${phi(2)}, @${phi(1)}, @${phi(0)}, @${phi(3)})`,
    "  Int32 @145 = BitAnd(@140, @91)",
    "  Void @146 = Branch(@145, #2, #3)",
    "#2:",
    ...carry(300, (k) => phi((k + TYPES.length) % CARRIED)),
    "  Void @147 = Jump(#4)",
    "#3:",
    ...carry(400, phi),
    "  Void @148 = Jump(#4)",
    "#4:",
    "  Int32 @149 = LessThan(@141, @92)",
    "  Void @150 = Branch(@149, #1, #5)",
    "#5:",
    `  Int32 @151 = Trunc(@${phi(2)})`,
    `  Void @152 = Return(@151)`,
  );
  const values = Array.from({ length: CARRIED }, (_, k) =>
    typeOf(k).startsWith("Int") ? `${1000 + k}` : `${k}.5`,
  );
  lines.push(`; run: f(${values.join(", ")})`);
  return `${lines.join("\n")}\n`;
}

interface Program {
  readonly module: Module;
  readonly inputs: Input[];
}

const program = (text = rotating()): Program => {
  const module = parseModule(text);
  return { module, inputs: runLines(text, module).map(({ input }) => input) };
};

function judged(
  t: ExecutionContext,
  name: string,
  thresholds: Thresholds,
  { module, inputs } = program(),
): TraceCounts {
  const subject = subjectNamed(name);
  assert(subject !== null, () => name);
  const settings = { ...DEFAULT_SETTINGS, thresholds };
  const judging = new Judge({ subjects: [subject], fuelMax: DEFAULT_FUEL, settings });
  const [{ judgements, counts }] = judging.judge({ module, inputs }).results;
  judging.close();
  for (const { verdict } of judgements) {
    const shown = verdict.kind === "different" ? describeDifference(verdict.difference) : null;
    t.is(shown ?? verdict.kind, "equal", `${name}, ${thresholds.patches ? "linked" : "unlinked"}`);
  }
  assert(counts?.traces !== undefined, () => `${name} counts no traces`);
  return counts.traces;
}

for (const name of [
  "traced-x64-O1",
  "traced-x64-O0-halves",
  "traced-arm64-O2",
  "traced-arm64-O1-halves",
]) {
  test(`${name}: exits lead from trace to trace, and the outcome is equal`, (t) => {
    const linked = judged(t, name, HOT);
    t.true(linked.patched >= 2, JSON.stringify(linked));
    const unlinked = judged(t, name, { ...HOT, patches: false });
    t.is(unlinked.patched + unlinked.crossed, 0);
    t.true(linked.entries < unlinked.entries, `${linked.entries} of ${unlinked.entries}`);
  });
}

/**
 * Two nested loops, the inner one in a procedure. Every other iteration of the outer one accesses a
 * stack slot, so it is not recorded. The side trace after the inner loop links to the outer one.
 */
const NESTED = `touchstone 1
proc main(Int32 @0) -> Int32
slot stack0 = anonymous 4
#0:
  Int32 @1 = Const32(1)
  Int64 @2 = SlotBase(stack0)
  Void @3 = Upsilon(@1, ^6)
  Void @4 = Upsilon(@1, ^7)
  Void @5 = Jump(#1)
#1:
  Int32 @6 = Phi()
  Int32 @7 = Phi()
  Int32 @8 = BitAnd(@6, @1)
  Void @9 = Upsilon(@7, ^15)
  Void @10 = Branch(@8, #3, #2)
#2:
  Void @11 = Store(@6, @2)
  Int32 @12 = CCall(g, @6, @7)
  Void @13 = Upsilon(@12, ^15)
  Void @14 = Jump(#3)
#3:
  Int32 @15 = Phi()
  Int32 @16 = Add(@6, @1)
  Void @17 = Upsilon(@16, ^6)
  Void @18 = Upsilon(@15, ^7)
  Int32 @19 = LessThan(@16, @0)
  Void @20 = Branch(@19, #1, #4)
#4:
  Void @21 = Return(@15)
proc g(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Const32(1)
  Int32 @3 = Const32(31)
  Void @4 = Upsilon(@0, ^7)
  Void @5 = Upsilon(@1, ^8)
  Void @6 = Jump(#1)
#1:
  Int32 @7 = Phi()
  Int32 @8 = Phi()
  Int32 @9 = Mul(@8, @3)
  Int32 @10 = Add(@9, @7)
  Int32 @11 = Sub(@7, @2)
  Void @12 = Upsilon(@11, ^7)
  Void @13 = Upsilon(@10, ^8)
  Void @14 = Branch(@11, #1, #2)
#2:
  Void @15 = Return(@10)
; run: main(30)
`;

for (const name of ["traced-x64-O1", "traced-arm64-O2"]) {
  test(`${name}: code returns to a caller, and leaves with the right activations`, (t) => {
    const thresholds = { ...HOT, hotLoop: 2 };
    const { below, links, callers } = judged(t, name, thresholds, program(NESTED));
    t.true(below > 10 && links > 0, JSON.stringify({ below, links }));
    t.is(callers, 0);
  });
}

test("a full code cache is cleared, and the outcome is equal", (t) => {
  const { module, inputs } = program();
  const facts = new ProgramFacts(module);
  const oracle = new Oracle();
  const unit = new CompilationUnit(module);
  const subject = subjectNamed("x64-O1");
  assert(subject !== null, () => "no subject");
  const cpu = new EmulatedCpu("x64");
  const runner = new MachineRunner(cpu, oracle);
  const sizes = new Set<number>();
  for (const codeMax of [undefined, 2_000]) {
    const code = new LinkedTraces({
      cpu,
      runner,
      linker: linkerOf("x64", PARTS),
      instructionsFor: () => 1_000_000,
      exchangesRegisters: false,
      units: unit.traces,
      unitOf: (trace) => {
        const of = unit.traces.of(trace);
        const options = of.generateOptions(subject, false);
        return { ...of.optimized(subject), options, resume: interpretedBy(oracle) };
      },
      ...(codeMax === undefined ? {} : { codeMax }),
    });
    const thresholds = { ...HOT, entriesPerFlush: 5 };
    for (const input of [...inputs, ...inputs]) {
      const expected = new Oracle().run(facts.program, input, DEFAULT_FUEL);
      const fuelMax = fuelFor(DEFAULT_FUEL);
      const poisoned = { poison: 1, fuelUsed: DEFAULT_FUEL, fuelMax } as const;
      const machine = new TracingMachine(facts, {
        thresholds,
        runner: code.begin(poisoned),
        fault: null,
      });
      t.is(judge(expected, machine.run(input, fuelMax)).kind, "equal", `${codeMax}`);
    }
    sizes.add(code.counts.length);
  }
  t.is(sizes.size, 2, "the small cache was never full");
  cpu.close();
});

/** Code that returns a constant, and the offset of the constant's byte. */
const RETURNING = {
  x64: { code: [0xb8, 7, 0, 0, 0, 0xc3], patch: 1, of: (n: number) => [n] },
  arm64: {
    code: [0xe0, 0x00, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6],
    patch: 0,
    of: (n: number) => [(n & 7) << 5, n >> 3],
  },
} as const;

test("a run executes code with the patches made while it is loaded", (t) => {
  const cpus: Cpu[] = [new EmulatedCpu("x64"), new EmulatedCpu("arm64"), new SimulatedCpu()];
  for (const cpu of cpus) {
    const { code, patch, of } = RETURNING[cpu.architecture];
    const cache = new CodeCache(cpu);
    cache.add(Uint8Array.from(code), 0);
    cpu.load(cache.bytes, 4096);
    const results = [0, 1, 2].map((round) => {
      if (round > 0) cache.write(Uint8Array.from(of(7 + round)), patch);
      const { stackPointer } = REGISTERS[cpu.architecture];
      setAddress(cpu.registers, stackPointer, cpu.layout.stack + cpu.stack.length - 64);
      t.is(cpu.run(0, 100).kind, "return");
      return cpu.registers[0];
    });
    t.deepEqual(results, [7, 8, 9], cpu.architecture);
    cpu.close();
  }
});
