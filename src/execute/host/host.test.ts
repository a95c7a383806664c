// Tests native runs: the child process satisfies the requirements of the emulator's tests, is confined,
// and is replaced after every anomaly.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import ava, { type ExecutionContext } from "ava";
import { CANARIES, plantedBy } from "../../campaign/canary/canaries.js";
import type { Aspect } from "../../compare/aspects.js";
import { Judge } from "../../compare/judge-program.js";
import { generateProgram } from "../../generate/generate-program.js";
import { hostFunctionNamed } from "../../ir/host-functions.js";
import type { FaultKind, Input } from "../../ir/outcome.js";
import { parseModule } from "../../ir/text/parse.js";
import { SeedSource } from "../../support/source.js";
import { EmulatedCpu } from "../emulator/emulated-cpu.js";
import type { Cpu, MachineEnding } from "../machine/cpu.js";
import {
  HOST_CALL_COUNT,
  hostCallAddress,
  LAYOUT,
  PAGE_SIZE,
  REGISTERS,
  STACK_SIZE,
  setAddress,
} from "../machine/guest.js";
import { PRINCIPAL_SUBJECTS } from "../subjects.js";
import { emulatorTest, hostTest } from "../unicorn-available.js";
import { HostCpu } from "./host-cpu.js";
import { RET_ADDRESS } from "./host-layout.js";
import { sharedHostProcess } from "./host-process.js";

const test = hostTest(ava);
const withBoth = test === ava ? emulatorTest(ava) : test;

const RAX = 0;
const RDI = 14;
const RSI = 12;
const CONSTANT = "b82a000000 c3"; // mov eax, 42; ret
const STORE_BYTE = "408837 c3"; // mov [rdi], sil; ret
const HEAP_SIZE = 2 * PAGE_SIZE;

interface Arguments {
  readonly first?: number;
  readonly second?: number;
}

function run(cpu: Cpu, hex: string, values: Arguments = {}): MachineEnding {
  prepare(cpu, hex, values);
  return cpu.run(0, 1000);
}

function prepare(cpu: Cpu, hex: string, { first = 0, second = 0 }: Arguments = {}): void {
  cpu.load(new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex")), HEAP_SIZE);
  cpu.registers.fill(0);
  setAddress(cpu.registers, REGISTERS.x64.stackPointer, LAYOUT.stack + STACK_SIZE - 256);
  setAddress(cpu.registers, RDI, first);
  setAddress(cpu.registers, RSI, second);
}

/** Checks that a new child works after a test. */
function isWell(t: ExecutionContext, cpu: Cpu): void {
  t.deepEqual(run(cpu, CONSTANT), { kind: "return" });
  t.is(cpu.registers[RAX], 42);
}

test("code runs, returns and exits", (t) => {
  const cpu = new HostCpu();
  isWell(t, cpu);
  const exit = "b809000000 49bb1000008044000000 41ffe3"; // mov eax, 9; movabs r11, EXIT; jmp r11
  t.deepEqual(run(cpu, exit), { kind: "exit" });
  t.is(cpu.registers[RAX], 9);
  cpu.close();
});

test("a child is fresh until a run uses it, and after a run that ended it", (t) => {
  const cpu = new HostCpu();
  cpu.discardChild();
  t.true(cpu.isFresh);
  isWell(t, cpu);
  t.false(cpu.isFresh);
  t.deepEqual(run(cpu, "ebfe"), { kind: "runaway" }); // jmp to itself
  t.true(cpu.isFresh);
  cpu.close();
});

test("a run reads and writes every register", (t) => {
  const cpu = new HostCpu();
  const { registers } = cpu;
  run(cpu, "0fc9 4d0fcf 66440feffe c3"); // bswap ecx; bswap r15; pxor xmm15, xmm6; ret
  const { vectors, stackPointer, pc } = REGISTERS.x64;
  const before = registers.map((_, i) => (i < pc || i >= vectors ? 0x0101_0101 * (i + 1) : 0));
  registers.set(before);
  setAddress(registers, stackPointer, LAYOUT.stack + STACK_SIZE - 256);
  t.deepEqual(cpu.run(0, 1000), { kind: "return" });
  const swap = (x: number) => Buffer.from(new Int32Array([x]).buffer).readInt32BE();
  const expected = before.slice();
  expected[2] = swap(before[2]);
  expected[3] = 0;
  [expected[30], expected[31]] = [swap(before[31]), swap(before[30])];
  for (let k = 0; k < 4; k++) expected[vectors + 60 + k] ^= before[vectors + 24 + k];
  for (let i = 0; i < registers.length; i++) {
    if (i === stackPointer || i === stackPointer + 1 || (i >= pc && i < vectors)) continue;
    t.is(registers[i], expected[i], `word ${i}`);
  }
  cpu.close();
});

// biome-ignore format: a table
const FAULTS: readonly (readonly [code: string, kind: FaultKind, offset: number, address?: number])[] = [
  ["90 488b07",               "read-unmapped", 1],        // mov rax, [rdi]
  ["90 488907",               "write-unmapped", 1],       // mov [rdi], rax
  ["90 488d0500000000 8900",  "write-protected", 8, LAYOUT.code + 8], // lea rax, [rip]; mov [rax], eax
  ["90 0f0b",                 "invalid-instruction", 1],  // ud2
  ["90 31d2 31c9 f7f1",       "divide", 5],               // xor edx, edx; xor ecx, ecx; div ecx
  ["90 cc",                   "breakpoint", 1],           // int3
  ["90 0f05",                 "system-call", 1],          // syscall
  ["b801000000 bf04000000 0f05", "system-call", 10],      // a call that the child itself makes: mov eax, 1; mov edi, 4; syscall
  ["90 f4",                   "exception", 1],            // hlt
  ["4883ec08 0f280424 0f28442401", "exception", 8],       // sub rsp, 8; movaps xmm0, [rsp]; movaps xmm0, [rsp + 1]
];

test("a fault is reported with kind, address and instruction, and ends the child", (t) => {
  const cpu = new HostCpu();
  for (const [code, fault, offset, address = 0] of FAULTS) {
    const { pid } = sharedHostProcess();
    const pc = BigInt(LAYOUT.code + offset);
    t.deepEqual(run(cpu, code), { kind: "fault", fault, address: BigInt(address), pc }, code);
    isWell(t, cpu);
    t.not(sharedHostProcess().pid, pid, "the same child");
  }
  cpu.close();
});

test("int 0x80 is a system call, or an exception if the kernel takes no 32-bit calls", (t) => {
  const cpu = new HostCpu();
  const ending = run(cpu, "90 cd80");
  const fault = ending.kind === "fault" ? ending.fault : ending.kind;
  t.true(fault === "system-call" || fault === "exception", fault);
  t.deepEqual(ending, { kind: "fault", fault, address: 0n, pc: BigInt(LAYOUT.code + 1) });
  isWell(t, cpu);
  cpu.close();
});

test("an endless loop is ended, with and without host calls", (t) => {
  const cpu = new HostCpu();
  t.deepEqual(run(cpu, "ebfe"), { kind: "runaway" });
  isWell(t, cpu);
  // movabs r11, host0; call r11; jmp back
  t.deepEqual(run(cpu, "49bb0010008044000000 41ffd3 ebf1"), { kind: "runaway" });
  isWell(t, cpu);
  cpu.close();
});

test("a jump out of the code escapes, and so does a run past its end", (t) => {
  const cpu = new HostCpu();
  for (const first of [
    LAYOUT.code + 64,
    LAYOUT.heap,
    LAYOUT.stack,
    LAYOUT.host + 40,
    0xdead_0000,
  ]) {
    t.deepEqual(run(cpu, "ffe7", { first }), { kind: "escaped", pc: BigInt(first) }); // jmp rdi
  }
  t.deepEqual(run(cpu, "90909090"), { kind: "escaped", pc: BigInt(LAYOUT.code + 4) });
  isWell(t, cpu);
  cpu.close();
});

test("an unmapped stack pointer is a fault, in the image and in a host function", (t) => {
  const cpu = new HostCpu();
  const pc = BigInt(LAYOUT.code + 4);
  const unmapped = { kind: "fault", fault: "read-unmapped", address: 0n } as const;
  t.deepEqual(run(cpu, "90 4889fc c3"), { ...unmapped, pc }); // nop; mov rsp, rdi; ret
  const call = "49bb0010008044000000 4889fc 41ffe3"; // movabs r11, host0; mov rsp, rdi; jmp r11
  t.deepEqual(run(cpu, call), { ...unmapped, pc: BigInt(RET_ADDRESS) });
  cpu.close();
});

withBoth("a call of a missing host function escapes, natively and under emulation", (t) => {
  const cpus = [new HostCpu(), new EmulatedCpu("x64")];
  const last = hostCallAddress(LAYOUT, HOST_CALL_COUNT - 1);
  for (const first of [last + 16, last + 8, last + 2048]) {
    for (const cpu of cpus) {
      t.deepEqual(run(cpu, "ffe7", { first }), { kind: "escaped", pc: BigInt(first) }); // jmp rdi
    }
  }
  for (const cpu of cpus) cpu.close();
});

test("the heap has exactly its size", (t) => {
  const cpu = new HostCpu();
  const end = LAYOUT.heap + HEAP_SIZE;
  t.deepEqual(run(cpu, STORE_BYTE, { first: end - 1, second: 0x5a }), { kind: "return" });
  t.is(cpu.heap[HEAP_SIZE - 1], 0x5a);
  for (const [first, fault] of [
    [end, "write-unmapped"],
    [LAYOUT.heap - 1, "write-unmapped"],
  ] as const) {
    const pc = BigInt(LAYOUT.code);
    const expected = { kind: "fault", fault, address: BigInt(first), pc } as const;
    t.deepEqual(run(cpu, STORE_BYTE, { first, second: 1 }), expected);
  }
  cpu.close();
});

test("many events are recorded in order", (t) => {
  const cpu = new HostCpu();
  const index = hostFunctionNamed("logInt")?.index ?? -1;
  const address = (0x1000 + 16 * index).toString(16).padStart(4, "0");
  const host = `${address.slice(2)}${address.slice(0, 2)}008044000000`;
  // mov ebx, 20000; 1: mov edi, ebx; movabs r11, HOST; call r11; dec ebx; jnz 1b; ret
  prepare(cpu, `bb204e0000 89df 49bb${host} 41ffd3 ffcb 75ed c3`);
  t.deepEqual(cpu.run(0, 200_000), { kind: "return" });
  t.is(cpu.events.length, 20_000);
  t.true(cpu.events.every(({ args }, i) => args[0].lo === 20_000 - i));
  isWell(t, cpu);
  t.deepEqual(cpu.events, []);
  cpu.close();
});

test("two Cpus that share the child keep their images and the sizes of their heaps", (t) => {
  const [one, other] = [new HostCpu(), new HostCpu()];
  run(one, CONSTANT);
  run(other, "b82b000000 c3"); // mov eax, 43; ret
  for (const [cpu, value] of [
    [one, 42],
    [other, 43],
    [one, 42],
  ] as const) {
    setAddress(cpu.registers, REGISTERS.x64.stackPointer, LAYOUT.stack + STACK_SIZE - 256);
    t.deepEqual(cpu.run(0, 1000), { kind: "return" });
    t.is(cpu.registers[RAX], value);
  }
  one.close();
  other.close();
});

test("a run executes code with the patches made while it is loaded, from any byte", (t) => {
  const [cpu, other] = [new HostCpu(), new HostCpu()];
  const code = new Uint8Array(Buffer.from("b807000000c3b809000000c3", "hex")); // mov eax, 7; ret; mov eax, 9; ret
  const results = [0, 0, 6, 0].map((entry, round) => {
    if (round === 0) cpu.load(code, HEAP_SIZE);
    if (round === 3) run(other, CONSTANT);
    if (round === 1 || round === 3) {
      code[1]++;
      cpu.patch(1, 2);
    }
    setAddress(cpu.registers, REGISTERS.x64.stackPointer, LAYOUT.stack + STACK_SIZE - 256);
    t.deepEqual(cpu.run(0, 1000, entry), { kind: "return" });
    return cpu.registers[RAX];
  });
  t.deepEqual(results, [7, 8, 9, 9]);
  cpu.close();
  other.close();
});

const isRoot = process.geteuid?.() === 0;

test("the child has only the resources that it needs", (t) => {
  const { pid } = sharedHostProcess();
  const limits = readFileSync(`/proc/${pid}/limits`, "latin1");
  t.regex(limits, /^Max open files +0 /m);
  t.regex(limits, /^Max core file size +0 /m);
  t.regex(limits, /^Max file size +0 /m);
  t.notRegex(limits, /^Max address space +unlimited/m);
  if (!isRoot) {
    // The child is not dumpable, so only root can read these files.
    for (const name of ["environ", "cwd", "fd"]) {
      t.throws(() => lookInto(`/proc/${pid}/${name}`), { code: "EACCES" }, name);
    }
    return;
  }
  t.is(readFileSync(`/proc/${pid}/environ`, "latin1"), "");
  t.regex(readlinkSync(`/proc/${pid}/cwd`), / \(deleted\)$/);
  const files = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  const own = /^(\/dev\/null|pipe:|anon_inode:|socket:)/;
  t.deepEqual(
    files.filter((file) => !own.test(file)),
    [],
  );
});

/** Reads a file, a link or a folder. */
function lookInto(path: string): void {
  if (path.endsWith("fd")) readdirSync(path);
  else if (path.endsWith("cwd")) readlinkSync(path);
  else readFileSync(path);
}

const NATIVE = PRINCIPAL_SUBJECTS.filter(({ native }) => native);

withBoth("executions that the oracle does not judge do not run natively", (t) => {
  const text = `touchstone 1
proc f(Int64 @0) -> Int32
#0:
  Int32 @1 = Load(@0)
  Void @2 = Return(@1)
`;
  const input: Input = { words: new Int32Array([16, 0]), heapSeed: 0 };
  const subjects = PRINCIPAL_SUBJECTS.filter(({ name }) => name === "x64-O0" || name === "host-O0");
  const judge = new Judge({ subjects, fuelMax: 1000, keepOutcomes: true });
  const { pid } = sharedHostProcess();
  const { results } = judge.judge({ module: parseModule(text), inputs: [input] });
  for (const { judgements } of results) t.is(judgements[0].verdict.kind, "unjudged");
  t.is(results[0].judgements[0].outcome?.ending.kind, "fault");
  t.is(results[1].judgements[0].outcome, null);
  t.is(sharedHostProcess().pid, pid, "the run has ended the child");
  judge.close();
});

test("the death of a child from another cause is no finding", (t) => {
  const judge = new Judge({ subjects: NATIVE, fuelMax: 1_000_000 });
  for (let seed = 0n; seed < 8n; seed++) {
    const { module, inputs } = generateProgram(new SeedSource(seed));
    process.kill(sharedHostProcess().pid, "SIGKILL");
    for (const { judgements } of judge.judge({ module, inputs }).results) {
      t.true(
        judgements.every(({ verdict }) => verdict.kind === "equal"),
        `seed ${seed}`,
      );
    }
  }
  judge.close();
});

/** Returns the comparison in which a canary first shows, in native runs. */
function hunt(name: string): { aspect: Aspect | null; pid: number; seed: number } {
  const canary = CANARIES.find((known) => known.name === name) ?? null;
  const judge = new Judge({
    subjects: NATIVE,
    fuelMax: 1_000_000,
    ...(canary === null ? {} : plantedBy(canary)),
  });
  const { pid } = sharedHostProcess();
  try {
    for (let seed = 0; seed < 1000; seed++) {
      const { module, inputs } = generateProgram(new SeedSource(BigInt(seed)));
      for (const { judgements } of judge.judge({ module, inputs }).results) {
        for (const { verdict } of judgements) {
          if (verdict.kind === "different") return { aspect: verdict.aspect, pid, seed };
        }
      }
    }
    return { aspect: null, pid, seed: -1 };
  } finally {
    judge.close();
  }
}

// A canary's finding replaces the child.
for (const { name, about } of CANARIES.filter(
  ({ about, subjects }) => about.length === 1 && subjects.includes("x64-O0"),
)) {
  test(`canary ${name} is found natively by ${about[0]}, and the child replaced`, (t) => {
    const { aspect, pid } = hunt(name);
    t.is(aspect, about[0]);
    t.not(sharedHostProcess().pid, pid);
  });
}

// Instructions that emulators and old processors get wrong, if the compiler emits them.
// biome-ignore format: a table
const INSTRUCTIONS: readonly string[] = [
  "f30fbdc7 c3",        // lzcnt eax, edi
  "f3480fbcc7 c3",      // tzcnt rax, rdi
  "f2480f2cc0 c3",      // cvttsd2si rax, xmm0
  "f20f2cc0 c3",        // cvttsd2si eax, xmm0
  "660f3a0bc001 c3",    // roundsd xmm0, xmm0, 1
  "660f2ec1 0f9ac0 c3", // ucomisd xmm0, xmm1; setp al
  "f20f58c1 c3",        // addsd xmm0, xmm1
  "f20f51c0 c3",        // sqrtsd xmm0, xmm0
  "f20f5ac0 c3",        // cvtsd2ss xmm0, xmm0
];

withBoth("instructions have equal results natively and under emulation", (t) => {
  const cpus = [new HostCpu(), new EmulatedCpu("x64")];
  const { vectors } = REGISTERS.x64;
  for (const code of INSTRUCTIONS) {
    for (const value of [0, -0.5, 1e300, 2 ** 31, 1e-310, Number.NaN, -Infinity]) {
      for (const first of [0, 1, 0x5_0000_0010]) {
        const [native, emulated] = cpus.map((cpu) => {
          prepare(cpu, code, { first });
          const xmm0 = new DataView(cpu.registers.buffer, cpu.registers.byteOffset + 4 * vectors);
          xmm0.setFloat64(0, value, true);
          const ending = cpu.run(0, 1000);
          return {
            ending,
            rax: [...cpu.registers.subarray(0, 2)],
            xmm0: xmm0.getBigInt64(0, true),
          };
        });
        t.deepEqual(native, emulated, `${code} ${value} ${first}`);
      }
    }
  }
  for (const cpu of cpus) cpu.close();
});
