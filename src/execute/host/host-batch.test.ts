// Tests runs that are made in one batch: each has the result of a separate run, and a batch with a
// wrong run has no results.

import ava from "ava";
import { PARTS } from "../../../reference/parts.js";
import { generatedOf } from "../../campaign/program/seeds.js";
import { unjudged } from "../../compare/compare.js";
import { hostFunctionNamed } from "../../ir/host-functions.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { firstSeedThat } from "../../support/first-seed.js";
import { trials } from "../../support/trials.js";
import { ContinuationRunner } from "../continuations.js";
import { EmulatorCache } from "../emulator/emulators.js";
import { LAYOUT, PAGE_SIZE, REGISTERS, STACK_SIZE, setAddress } from "../machine/guest.js";
import { POISONS } from "../machine/junk.js";
import { MachineRunners } from "../machine/runners.js";
import { subjectNamed } from "../subjects.js";
import { hostTest } from "../unicorn-available.js";
import { CompilationUnit } from "../unit.js";
import { HostCpu } from "./host-cpu.js";
import { sharedHostProcess } from "./host-process.js";

const test = hostTest(ava);
const STACK_BEGIN = STACK_SIZE - 1024;
const RDI = 14;
const FUEL = 100_000;
const PROGRAMS = BigInt(trials(10, 60));

function load(cpu: HostCpu, hex: string): void {
  cpu.load(new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex")), PAGE_SIZE);
}

/** Adds runs with these numbers in rdi and at the start of the heap. */
function add(cpu: HostCpu, numbers: readonly number[]): boolean {
  cpu.batch.begin(STACK_BEGIN);
  return numbers.every((number) => {
    cpu.registers.fill(0);
    setAddress(cpu.registers, REGISTERS.x64.stackPointer, LAYOUT.stack + STACK_SIZE - 256);
    setAddress(cpu.registers, RDI, number);
    cpu.heap.fill(number);
    return cpu.batch.add(0, 1000);
  });
}

/** Encodes movabs r11, function; call r11. */
function callOf(name: string): string {
  const index = hostFunctionNamed(name)?.index ?? -1;
  const address = (0x1000 + 16 * index).toString(16).padStart(4, "0");
  return `49bb ${address.slice(2)}${address.slice(0, 2)}008044000000 41ffd3`;
}
const LOG = callOf("logInt");
/** movabs rax, heap; mov byte [rax], 7 */
const STORE = "48b8 0000008011000000 c60007";

test("each run of a batch has registers, stack, heap and events of its own", (t) => {
  sharedHostProcess().stop(); // earlier tests may have left a child that is about to end
  const cpu = new HostCpu();
  load(cpu, `4883ec08 893c24 ${LOG} 8b1c24 4883c408 ${STORE} 89d8 c3`); // sub rsp; mov [rsp], edi; ...; ret
  t.true(add(cpu, [3, 4, 5]));
  t.true(cpu.batch.run());
  for (const run of [2, 0, 1]) {
    t.deepEqual(cpu.batch.show(run), { kind: "return" });
    t.is(cpu.registers[0], 3 + run);
    t.deepEqual([...cpu.heap.subarray(0, 2)], [7, 3 + run]);
    t.deepEqual(
      cpu.events.map(({ args }) => args[0].lo),
      [3 + run],
    );
    const slot = STACK_SIZE - 256 - 16;
    t.is(cpu.stack[slot], 3 + run, "the guest's store to its stack");
  }
  cpu.close();
});

test("showing a run restores the addresses that the host keeps for it", (t) => {
  const cpu = new HostCpu();
  load(cpu, `4889e6 ${callOf("keepSlot")} c3`); // mov rsi, rsp: the address that is kept at place edi
  t.true(add(cpu, [1, 3]));
  t.true(cpu.batch.run());
  const stackPointer = STACK_SIZE - 256 - 8;
  t.deepEqual(cpu.batch.show(1), { kind: "return" });
  t.deepEqual([...cpu.kept], [-1, -1, -1, stackPointer]);
  t.deepEqual(cpu.batch.show(0), { kind: "return" });
  t.deepEqual([...cpu.kept], [-1, stackPointer, -1, -1]);
  cpu.close();
});

test("a batch with a faulting run has no results, and the next gets a new child", (t) => {
  const cpu = new HostCpu();
  const { pid } = sharedHostProcess();
  load(cpu, "83ff04 7502 0f0b 89f8 c3"); // cmp edi, 4; jne 1f; ud2; 1: mov eax, edi; ret
  t.true(add(cpu, [3, 4, 5]));
  t.false(cpu.batch.run());
  t.true(add(cpu, [3, 5]));
  t.true(cpu.batch.run());
  t.not(sharedHostProcess().pid, pid, "the same child");
  t.deepEqual(cpu.batch.show(1), { kind: "return" });
  t.is(cpu.registers[0], 5);
  cpu.close();
});

test("a batch fails if a run makes more calls than its limit of instructions", (t) => {
  const cpu = new HostCpu();
  load(cpu, `53 bb204e0000 89df ${LOG} ffcb 75ed 5b c3`); // 20000 calls
  t.true(add(cpu, [1, 2]));
  t.false(cpu.batch.run());
  cpu.close();
});

test("runs that do not fit are not added", (t) => {
  const cpu = new HostCpu();
  load(cpu, "c3");
  t.false(
    add(
      cpu,
      Array.from({ length: 2000 }, () => 1),
    ),
  );
  cpu.close();
});

test("batched runs equal separate runs, including exits of callees", (t) => {
  const oracle = new Oracle();
  const emulators = new EmulatorCache();
  const runners = new MachineRunners(oracle);
  const continuations = new ContinuationRunner(oracle, runners, PARTS, true, "interpreted");
  const shared = { oracle, parts: PARTS, emulators, runners, continuations, agree: () => false };
  const open = subjectNamed("host-O2")?.open({
    ...shared,
    resumeFilter: null,
    checkAllocation: false,
  });
  let resumed = 0;
  const hasCalleeExit = (seed: bigint): boolean => {
    const { module, inputs } = generatedOf(seed);
    const program = decodeModule(module);
    return inputs.some((input) => oracle.run(program, input, FUEL).calleeExits !== undefined);
  };
  const range = { from: 900n, count: 1000n };
  const first = firstSeedThat("a callee that exits", range, hasCalleeExit);
  for (let seed = first; seed < first + PROGRAMS; seed++) {
    const { module, inputs } = generatedOf(seed);
    const program = decodeModule(module);
    const judged = inputs.filter((input) => unjudged(oracle.run(program, input, FUEL)) === null);
    const prepared = open?.prepare(new CompilationUnit(module));
    const runs = judged.flatMap((input) =>
      POISONS.map((poison) => ({ input, poison, fuelUsed: FUEL })),
    );
    const single = runs.map(({ input, poison, fuelUsed }) =>
      prepared?.run(input, poison, fuelUsed, FUEL),
    );
    t.deepEqual(prepared?.runAll?.(runs, FUEL), single, `seed ${seed}`);
    resumed += single.filter((outcome) => outcome?.calleeExits !== undefined).length;
  }
  t.true(resumed > 0, "no callee has exited");
  open?.close();
  continuations.close();
});
