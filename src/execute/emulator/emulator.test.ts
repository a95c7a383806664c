// Programs are bytes, with their assembly text in a comment. Each numbered hazard at the top of
// emulator.ts that can be provoked has a test that fails without its workaround.

import { spawnSync } from "node:child_process";
import ava, { type ExecutionContext } from "ava";
import type { FaultKind } from "../../ir/outcome.js";
import { InternalError } from "../../support/assert.js";
import { projectRoot } from "../../support/project-root.js";
import { SeedSource } from "../../support/source.js";
import { trials } from "../../support/trials.js";
import type { MachineEnding } from "../machine/cpu.js";
import {
  type Architecture,
  type GuestLayout,
  HEAP_SIZE_MAX,
  isControlClean,
  LAYOUT,
  PAGE_SIZE,
  REGISTERS,
  STACK_SIZE,
  setAddress,
} from "../machine/guest.js";
import { emulatorTest } from "../unicorn-available.js";
import { Emulator } from "./emulator.js";

const test = emulatorTest(ava);
/** All areas are within 64 MB, so that a `rel32` and a `branch26` reach everything. */
const NEAR_LAYOUT: GuestLayout = {
  heap: 0x11_8000_0000,
  code: 0x11_8200_0000,
  host: 0x11_8300_0000,
  stack: 0x11_8400_0000,
};
const ARCHITECTURES: readonly Architecture[] = ["x64", "arm64"];
type Programs = { readonly [A in Architecture]: string };

/** Words of the registers that hold the first and second argument, and the result. */
const FIRST = { x64: 2 * 7, arm64: 0 } as const;
const SECOND = { x64: 2 * 6, arm64: 2 } as const;
const RESULT = { x64: 0, arm64: 0 } as const;

const LIMIT = 1000;
const STACK_TOP = LAYOUT.stack + STACK_SIZE - 256;

// biome-ignore format: a table
const PROGRAMS = {
  // result = 42
  constant: {
    x64: "b82a000000 c3",                // mov eax, 42; ret
    arm64: "400580d2 c0035fd6",          // mov x0, #42; ret
  },
  // an endless loop that increments the result
  loop: {
    x64: "48ffc0 ebfb",                  // 1: inc rax; jmp 1b
    arm64: "00040091 ffffff17",          // 1: add x0, x0, #1; b 1b
  },
  // result = 9, then the exit address
  exit: {
    x64: "b809000000 49bb1000008044000000 41ffe3", // mov eax, 9; movabs r11, EXIT; jmp r11
    arm64: "200180d2 9008c0d2 1000b0f2 100280f2 00021fd6", // mov x0, #9; mov x16, EXIT; br x16
  },
  // result = host3(first + 1) + 1
  hostCall: {
    x64: "4883ec08 83c701 49bb3010008044000000 41ffd3 48ffc0 4883c408 c3",
    arm64: "fd7bbfa9 00040091 9008c0d2 1000b0f2 100682f2 00023fd6 00040091 fd7bc1a8 c0035fd6",
  },
  // host0(); host0(), through a callee-saved or a scratch register
  twoHostCalls: {
    x64: "53 48bb0010008044000000 ffd3 ffd3 5b c3",
    arm64: "fd7bbfa9 9008c0d2 1000b0f2 100082f2 f30310aa 60023fd6 60023fd6 fd7bc1a8 c0035fd6",
  },
  // vector 1 = vector 0
  copyVector: {
    x64: "0f28c8 c3",                    // movaps xmm1, xmm0; ret
    arm64: "011ca04e c0035fd6",          // mov v1.16b, v0.16b; ret
  },
  // returns with another rounding mode
  disturbControl: {
    x64: "68807f0000 0fae1424 58 c3",    // push 0x7f80; ldmxcsr [rsp]; pop rax; ret
    arm64: "0008a0d2 00441bd5 c0035fd6", // mov x0, #0x400000; msr fpcr, x0; ret
  },
  // result = the 64 bits at the first argument
  load: {
    x64: "488b07 c3",                    // mov rax, [rdi]; ret
    arm64: "000040f9 c0035fd6",          // ldr x0, [x0]; ret
  },
  // writes the low byte of the second argument at the address in the first
  storeByte: {
    x64: "408837 c3",                    // mov [rdi], sil; ret
    arm64: "01000039 c0035fd6",          // strb w1, [x0]; ret
  },
  jumpToFirst: {
    x64: "ffe7",                         // jmp rdi
    arm64: "00001fd6",                   // br x0
  },
  // result = the carry flag at entry
  readCarry: {
    x64: "0f92c0 0fb6c0 c3",             // setc al; movzx eax, al; ret
    arm64: "e0379f9a c0035fd6",          // cset x0, cs; ret
  },
} as const satisfies { readonly [name: string]: Programs };

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

function load(emulator: Emulator, hex: string): void {
  const bytes = bytesOf(hex);
  emulator.loadCode(bytes, bytes.length);
}

interface Arguments {
  readonly first?: number;
  readonly second?: number;
  readonly limit?: number;
  readonly entry?: number;
}

function run(emulator: Emulator, { first = 0, second = 0, limit = LIMIT, entry = 0 }: Arguments) {
  const { registers, architecture, layout } = emulator;
  const top = layout.stack + STACK_SIZE - 256;
  setAddress(registers, REGISTERS[architecture].stackPointer, top);
  setAddress(registers, FIRST[architecture], first);
  setAddress(registers, SECOND[architecture], second);
  return emulator.run(entry, limit);
}

function runProgram(emulator: Emulator, programs: Programs, values: Arguments = {}): MachineEnding {
  load(emulator, programs[emulator.architecture]);
  return run(emulator, values);
}

const resultOf = (emulator: Emulator) => emulator.registers[RESULT[emulator.architecture]];

/** Declares one test for each architecture, with an emulator that is closed afterwards. */
function onBoth(
  title: string,
  body: (t: ExecutionContext, emulator: Emulator) => void,
  options?: ConstructorParameters<typeof Emulator>[1],
): void {
  for (const architecture of ARCHITECTURES) {
    test(`${architecture}: ${title}`, (t) => {
      const emulator = new Emulator(architecture, options);
      body(t, emulator);
      emulator.close();
    });
  }
}

const fault = (kind: FaultKind, offset: number, address = 0): MachineEnding => {
  return {
    kind: "fault",
    fault: kind,
    address: BigInt(address),
    pc: BigInt(LAYOUT.code + offset),
  };
};

onBoth("a return ends the run with the registers and the stack pointer", (t, emulator) => {
  const { stackPointer } = REGISTERS[emulator.architecture];
  t.deepEqual(runProgram(emulator, PROGRAMS.constant), { kind: "return" });
  t.is(resultOf(emulator), 42);
  t.is(emulator.registers[stackPointer], STACK_TOP | 0);
});

onBoth("a changed image runs with each changed byte", (t, emulator) => {
  const code = bytesOf(PROGRAMS.constant[emulator.architecture]);
  const isX64 = emulator.architecture === "x64";
  for (let value = 0; value < 256; value++) {
    if (isX64) code[1] = value;
    else code.set([(value & 7) << 5, value >> 3], 0); // the immediate of `mov` begins at bit 5
    emulator.loadCode(code, code.length);
    run(emulator, {});
    t.is(resultOf(emulator), value);
  }
});

onBoth("a shorter image replaces all of a longer one", (t, emulator) => {
  const { architecture } = emulator;
  const nop = architecture === "x64" ? "90909090" : "1f2003d5";
  load(emulator, nop + PROGRAMS.constant[architecture]);
  t.deepEqual(run(emulator, {}), { kind: "return" });
  load(emulator, nop);
  t.deepEqual(run(emulator, {}), { kind: "escaped", pc: BigInt(LAYOUT.code + 4) });
});

onBoth(
  "an endless loop ends as a runaway, after exactly the limit of instructions",
  (t, emulator) => {
    for (const limit of [1, 2, 1000, 1001, 100_000]) {
      t.deepEqual(runProgram(emulator, PROGRAMS.loop, { limit }), { kind: "runaway" });
      t.is(resultOf(emulator), Math.ceil(limit / 2));
      emulator.registers[RESULT.x64] = 0;
    }
  },
);

onBoth("the last instruction that the limit allows may be the return", (t, emulator) => {
  t.is(runProgram(emulator, PROGRAMS.constant, { limit: 1 }).kind, "runaway");
  t.is(runProgram(emulator, PROGRAMS.constant, { limit: 2 }).kind, "return");
});

onBoth("a jump to the exit address is an exit, with the registers at the jump", (t, emulator) => {
  t.deepEqual(runProgram(emulator, PROGRAMS.exit), { kind: "exit" });
  t.is(resultOf(emulator), 9);
  t.deepEqual(runProgram(emulator, PROGRAMS.constant), { kind: "return" });
});

onBoth("a host call reads arguments and writes results", (t, emulator) => {
  const { registers, architecture } = emulator;
  const indices: number[] = [];
  emulator.onHostCall = (index) => {
    indices.push(index);
    registers[RESULT[architecture]] = registers[FIRST[architecture]] * 10;
    registers[RESULT[architecture] + 1] = 0;
  };
  t.deepEqual(runProgram(emulator, PROGRAMS.hostCall, { first: 6 }), { kind: "return" });
  t.deepEqual(indices, [3]);
  t.is(resultOf(emulator), 71);
});

onBoth("an exception of a host call is thrown once, and stops the guest", (t, emulator) => {
  let calls = 0;
  emulator.onHostCall = () => {
    calls++;
    throw new RangeError("from the host");
  };
  t.throws(() => runProgram(emulator, PROGRAMS.twoHostCalls), { instanceOf: RangeError });
  t.is(calls, 1);
  emulator.registers[RESULT.x64] = 7;
  const values = { first: emulator.architecture === "x64" ? 0 : 6 };
  t.throws(() => runProgram(emulator, PROGRAMS.hostCall, values), { instanceOf: RangeError });
  t.is(resultOf(emulator), 7, "the guest has continued");
  emulator.onHostCall = () => run(emulator, {});
  t.throws(() => run(emulator, {}), {
    instanceOf: InternalError,
    message: "the emulator is running already",
  });
  t.deepEqual(runProgram(emulator, PROGRAMS.constant), { kind: "return" });
});

onBoth("a host call may leave junk in everything that a call may clobber", (t, emulator) => {
  const { registers, architecture } = emulator;
  const { flags, vectors, wordCount } = REGISTERS[architecture];
  emulator.onHostCall = () => {
    registers[flags] = -1;
    registers.fill(-1, vectors, wordCount);
  };
  t.deepEqual(runProgram(emulator, PROGRAMS.twoHostCalls), { kind: "return" });
  t.true(isControlClean(emulator.architecture, emulator.registers));
  t.is(registers[vectors + 7], -1);
});

onBoth("a run reads and writes 128 bits of vectors and 64 of general registers", (t, emulator) => {
  const { registers, architecture } = emulator;
  const { vectors, vectorCount, wordCount, generalCount } = REGISTERS[architecture];
  const junk = Int32Array.from({ length: wordCount }, (_, i) => 0x7654_3210 + i * 0x101);
  registers.set(junk);
  t.deepEqual(runProgram(emulator, PROGRAMS.copyVector), { kind: "return" });
  t.deepEqual(registers.slice(vectors, vectors + 4), junk.slice(vectors, vectors + 4));
  t.deepEqual(registers.slice(vectors + 4, vectors + 8), junk.slice(vectors, vectors + 4));
  const others = registers.slice(vectors + 8, vectors + 4 * vectorCount);
  t.deepEqual(others, junk.slice(vectors + 8, vectors + 4 * vectorCount));
  // All but the arguments, the stack pointer, and the link register.
  for (let i = architecture === "x64" ? 8 : 2; i < generalCount - 1; i++) {
    t.deepEqual(registers.slice(2 * i, 2 * i + 2), junk.slice(2 * i, 2 * i + 2));
  }
});

onBoth("each run starts with clean control words and the given flags", (t, emulator) => {
  const { registers, architecture } = emulator;
  t.deepEqual(runProgram(emulator, PROGRAMS.disturbControl), { kind: "return" });
  t.false(isControlClean(emulator.architecture, emulator.registers));
  t.deepEqual(runProgram(emulator, PROGRAMS.readCarry), { kind: "return" });
  t.true(isControlClean(emulator.architecture, emulator.registers));
  for (const flags of [-1, 0]) {
    registers[REGISTERS[architecture].flags] = flags;
    t.deepEqual(run(emulator, {}), { kind: "return" });
    t.is(resultOf(emulator), flags === 0 ? 0 : 1);
    t.true(isControlClean(emulator.architecture, emulator.registers));
  }
});

test("x64: MXCSR, the x87 control word and EFLAGS are those of a process", (t) => {
  const emulator = new Emulator("x64");
  load(emulator, "0fae1f d97f04 9c 58 c3"); // stmxcsr [rdi]; fnstcw [rdi+4]; pushfq; pop rax; ret
  emulator.registers[REGISTERS.x64.flags] = 0;
  t.deepEqual(run(emulator, { first: LAYOUT.heap }), { kind: "return" });
  t.deepEqual(emulator.heap.slice(0, 6), bytesOf("801f0000 7f03"));
  t.is(resultOf(emulator), 0x202);
  load(emulator, "fd c3"); // std; ret
  t.deepEqual(run(emulator, {}), { kind: "return" });
  t.false(isControlClean(emulator.architecture, emulator.registers));
  emulator.close();
});

onBoth("heap and stack are shared, not copied", (t, emulator) => {
  const { architecture, heap, stack } = emulator;
  heap.set([1, 2, 3, 4], 8);
  t.is(runProgram(emulator, PROGRAMS.load, { first: LAYOUT.heap + 8 }).kind, "return");
  t.is(resultOf(emulator), 0x0403_0201);
  stack.set([5, 6, 7, 8], 16);
  t.is(runProgram(emulator, PROGRAMS.load, { first: LAYOUT.stack + 16 }).kind, "return");
  t.is(resultOf(emulator), 0x0807_0605);
  const values = { first: LAYOUT.heap + 9, second: 0x77 };
  t.is(runProgram(emulator, PROGRAMS.storeByte, values).kind, "return");
  t.deepEqual(heap.slice(8, 12), Uint8Array.of(1, 0x77, 3, 4), architecture);
});

onBoth("no access beyond either end of heap and stack", (t, emulator) => {
  const areas = [
    { base: LAYOUT.heap, size: PAGE_SIZE },
    { base: LAYOUT.stack, size: STACK_SIZE },
  ];
  for (const { base, size } of areas) {
    t.is(runProgram(emulator, PROGRAMS.storeByte, { first: base }).kind, "return");
    t.is(runProgram(emulator, PROGRAMS.storeByte, { first: base + size - 1 }).kind, "return");
    for (const first of [base - 1, base + size]) {
      const ending = runProgram(emulator, PROGRAMS.storeByte, { first });
      t.deepEqual(ending, fault("write-unmapped", 0, first));
    }
    for (const first of [base - 8, base - 1, base + size - 7, base + size]) {
      const ending = runProgram(emulator, PROGRAMS.load, { first });
      t.is(ending.kind === "fault" && ending.fault, "read-unmapped");
    }
  }
});

onBoth("the heap has exactly the size it is given, smaller or larger", (t, emulator) => {
  const last = (size: number) => ({ first: LAYOUT.heap + size - 1, second: 0x5a });
  for (const size of [2 * PAGE_SIZE, PAGE_SIZE, 16 * PAGE_SIZE, HEAP_SIZE_MAX, PAGE_SIZE]) {
    emulator.resizeHeap(size);
    t.is(emulator.heap.length, size);
    t.is(runProgram(emulator, PROGRAMS.storeByte, last(size)).kind, "return");
    t.is(emulator.heap[size - 1], 0x5a);
    const beyond = last(size + 1);
    t.deepEqual(run(emulator, beyond), fault("write-unmapped", 0, beyond.first));
  }
  t.throws(() => emulator.resizeHeap(PAGE_SIZE + 8), { instanceOf: InternalError });
});

onBoth("a jump out of the code escapes, with any target", (t, emulator) => {
  const { architecture } = emulator;
  const places = [LAYOUT.heap, LAYOUT.stack, LAYOUT.code - 4, LAYOUT.code + 64, LAYOUT.host + 32];
  for (const first of [...places, 0, 0xdead_0000, LAYOUT.host + PAGE_SIZE + 4]) {
    const ending = runProgram(emulator, PROGRAMS.jumpToFirst, { first });
    t.deepEqual(ending, { kind: "escaped", pc: BigInt(first) }, `${architecture} ${first}`);
  }
});

// Each begins with a `nop`, so that the start of the block is a wrong answer.
// biome-ignore format: a table
const FAULTS: { readonly [A in Architecture]: readonly (readonly [string, FaultKind, number, number?])[] } = {
  x64: [
    ["90 488b07",                      "read-unmapped", 1, 0],           // mov rax, [rdi]
    ["90 488907",                      "write-unmapped", 1, 0],          // mov [rdi], rax
    ["90 488d0500000000 8900",         "write-protected", 8, LAYOUT.code + 8], // lea rax, [rip]; mov [rax], eax
    ["90 0f0b",                        "invalid-instruction", 1],        // ud2
    ["90 31d2 31c9 f7f1",              "divide", 5],                     // xor edx, edx; xor ecx, ecx; div ecx
    ["90 cc",                          "breakpoint", 1],                 // int3
    ["90 cd80",                        "system-call", 1],                // int 0x80
    ["90 cd21",                        "system-call", 1],                // int 0x21
    ["90 0f05",                        "system-call", 1],                // syscall
    ["90 f4",                          "privileged", 1],                 // hlt
    ["90 fa",                          "privileged", 1],                 // cli
    ["90 0f30",                        "privileged", 1],                 // wrmsr
    ["90 ec",                          "port", 1],                       // in al, dx
    ["90 e405",                        "port", 1],                       // in al, 5
    ["90 ee",                          "port", 1],                       // out dx, al
  ],
  arm64: [
    ["1f2003d5 000040f9",              "read-unmapped", 4, 0],           // ldr x0, [x0]
    ["1f2003d5 000000f9",              "write-unmapped", 4, 0],          // str x0, [x0]
    ["1f2003d5 00000010 000000f9",     "write-protected", 8, LAYOUT.code + 4], // adr x0, .; str x0, [x0]
    ["1f2003d5 00000000",              "invalid-instruction", 4],        // udf #0
    ["1f2003d5 200020d4",              "breakpoint", 4],                 // brk #1
    ["1f2003d5 010000d4",              "system-call", 4],                // svc #0
    ["1f2003d5 000040d4",              "invalid-instruction", 4],        // hlt #0
    ["1f2003d5 df4203d5",              "invalid-instruction", 4],        // msr daifset, #2
    ["1f2003d5 001038d5",              "invalid-instruction", 4],        // mrs x0, sctlr_el1
    ["1f2003d5 7f2003d5",              "halt", 4],                       // wfi
  ],
};

onBoth("every fault is reported with its kind and the exact instruction", (t, emulator) => {
  const { architecture } = emulator;
  const ret = architecture === "x64" ? "c3" : "c0035fd6";
  for (const [code, kind, offset, address] of FAULTS[architecture]) {
    load(emulator, code + ret);
    t.deepEqual(run(emulator, {}), fault(kind, offset, address), code);
    // The engine still works.
    t.deepEqual(runProgram(emulator, PROGRAMS.constant), { kind: "return" });
    t.is(resultOf(emulator), 42);
  }
});

test("x64: the address of a fault is never negative", (t) => {
  const emulator = new Emulator("x64");
  load(emulator, "48b8000000000080ffff 488b00 c3"); // movabs rax, -1 << 47; mov rax, [rax]; ret
  const ending = run(emulator, {});
  const address = ending.kind === "fault" ? ending.address : 0n;
  t.true(address > 0n);
  // Unicorn 2.1 reports 52 bits of it.
  t.is(BigInt.asUintN(52, address), BigInt.asUintN(52, -1n << 47n));
  emulator.close();
});

test("an emulator does not contain data of an earlier, closed one", (t) => {
  const first = new Emulator("x64", { heapSize: 4 * PAGE_SIZE });
  load(first, `${"90".repeat(64)}c3`);
  const { heap, stack } = first;
  for (const memory of [heap, stack]) memory.fill(7);
  first.resizeHeap(PAGE_SIZE);
  first.close();
  const next = new Emulator("x64", { heapSize: 4 * PAGE_SIZE });
  t.is(next.stack.buffer, stack.buffer, "its memory is that of the first");
  t.true([next.heap, next.stack].every((memory) => memory.every((byte) => byte === 0)));
  load(next, "90");
  t.is(run(next, {}).kind, "escaped");
  next.close();
});

onBoth("a run past the end of the image escapes", (t, emulator) => {
  const nop = emulator.architecture === "x64" ? "90909090" : "1f2003d5";
  load(emulator, nop);
  t.deepEqual(run(emulator, {}), { kind: "escaped", pc: BigInt(LAYOUT.code + 4) });
});

test("x64: a return without a stack is a fault, in the image and in a host function", (t) => {
  const emulator = new Emulator("x64");
  emulator.onHostCall = () => undefined;
  load(emulator, "90 4889fc c3"); // nop; mov rsp, rdi; ret
  t.deepEqual(run(emulator, {}), fault("read-unmapped", 4));
  load(emulator, "49bb0010008044000000 4889fc 41ffe3"); // movabs r11, host0; mov rsp, rdi; jmp r11
  const pc = BigInt(LAYOUT.host + PAGE_SIZE);
  t.deepEqual(run(emulator, {}), { kind: "fault", fault: "read-unmapped", address: 0n, pc });
  emulator.close();
});

onBoth("an entry may be anywhere in the image", (t, emulator) => {
  const { architecture } = emulator;
  const before = architecture === "x64" ? "cccc" : "00000000";
  load(emulator, before + PROGRAMS.constant[architecture]);
  t.is(run(emulator, { entry: bytesOf(before).length }).kind, "return");
  t.is(resultOf(emulator), 42);
});

onBoth(
  "in the near layout a relative call reaches the host",
  (t, emulator) => {
    const calls: number[] = [];
    emulator.onHostCall = (index) => calls.push(index);
    const far = NEAR_LAYOUT.host + PAGE_SIZE - NEAR_LAYOUT.code;
    const x64 = bytesOf("e800000000 c3"); // call host0; ret
    new DataView(x64.buffer).setInt32(1, far - 5, true);
    const arm64 = bytesOf("fd7bbfa9 00000094 fd7bc1a8 c0035fd6"); // stp; bl host0; ldp; ret
    new DataView(arm64.buffer).setUint32(4, 0x9400_0000 + (far - 4) / 4, true);
    const code = emulator.architecture === "x64" ? x64 : arm64;
    emulator.loadCode(code, code.length);
    t.deepEqual(run(emulator, {}), { kind: "return" });
    t.deepEqual(calls, [0]);
  },
  { layout: NEAR_LAYOUT },
);

const TERM_COUNT = 60;

/** Returns a program that adds TERM_COUNT constants, below 4096, to the result register. */
function sumProgram(architecture: Architecture) {
  const size = architecture === "x64" ? 5 * TERM_COUNT + 1 : 4 * TERM_COUNT + 4;
  const image = new Uint8Array(size);
  const view = new DataView(image.buffer);
  const setTerm = (i: number, term: number) => {
    if (architecture === "arm64") {
      view.setInt32(4 * i, 0x1100_0000 | (term << 10), true); // add w0, w0, #term
      return;
    }
    view.setUint8(5 * i, 0x05); // add eax, term
    view.setInt32(5 * i + 1, term, true);
  };
  for (let i = 0; i < TERM_COUNT; i++) setTerm(i, 0);
  const ret = bytesOf(architecture === "x64" ? "c3" : "c0035fd6");
  image.set(ret, size - ret.length);
  return { image, setTerm };
}

// Without reopening, 12,000 images would use 32 MB more in the engine.
const IMAGES = trials(4000, 12_000);
onBoth("thousands of slightly different images run correctly within the memory", (t, emulator) => {
  const source = new SeedSource(1n);
  const { image, setTerm } = sumProgram(emulator.architecture);
  const terms = new Int32Array(TERM_COUNT);
  let residentBefore = 0;
  let wrongCount = 0;
  for (let count = 0; count < IMAGES; count++) {
    const begin = source.below(TERM_COUNT);
    const end = begin + 1 + source.below(TERM_COUNT - begin);
    for (let i = begin; i < end; i++) {
      terms[i] = source.below(4096);
      setTerm(i, terms[i]);
    }
    emulator.loadCode(image, image.length);
    emulator.registers[RESULT.x64] = 0;
    const ending = run(emulator, {});
    const sum = terms.reduce((x, y) => x + y, 0);
    if (ending.kind !== "return" || resultOf(emulator) !== sum) wrongCount++;
    if (count === IMAGES / 4) residentBefore = residentBesideHeap();
  }
  t.is(wrongCount, 0);
  const growth = residentBesideHeap() - residentBefore;
  t.true(growth < IMAGES * 1400, `${growth >> 20} MB more`);
});

/**
 * Returns the resident bytes of this process without the heap of JavaScript, whose growth depends
 * on V8.
 */
function residentBesideHeap(): number {
  const { rss, heapTotal } = process.memoryUsage();
  return rss - heapTotal;
}

ava("without libunicorn: one line with the remedy, and tests are skipped on request", (t) => {
  const emulator = new URL("./emulator.js", import.meta.url).href;
  const available = new URL("../unicorn-available.js", import.meta.url).href;
  const script = `
    import { Emulator } from ${JSON.stringify(emulator)};
    import { emulatorTest } from ${JSON.stringify(available)};
    try {
      new Emulator("x64");
    } catch (error) {
      console.log(error.name + ": " + error.message);
    }
    const test = Object.assign(() => {}, { skip: () => {} });
    console.log(emulatorTest(test) === test.skip ? "skip" : "test");
  `;
  const outputWith = (allowMissing: string) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      env: {
        ...process.env,
        TOUCHSTONE_UNICORN: "/nonexistent",
        TOUCHSTONE_ALLOW_MISSING: allowMissing,
      },
    }).stdout;
  const message =
    "MissingLibrary: libunicorn does not load (tried /nonexistent): " +
    "run ci/setup, or install the package libunicorn2\n";
  t.is(outputWith("1"), `${message}skip\n`);
  t.is(outputWith("0"), `${message}test\n`);
});

const onLinux = process.platform === "linux" ? test : ava.skip;

onLinux(
  "a refusal of address space is an error that does not end the process",
  (t: ExecutionContext) => {
    const script = `
    import { readFileSync } from "node:fs";
    import koffi from "koffi";
    import { Emulator } from "./build/src/execute/emulator/emulator.js";
    const setLimit = koffi.load(null).func("int setrlimit(int, void *)");
    const sizeKb = Number(/VmSize:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "latin1"))[1]);
    const limit = BigInt(sizeKb) * 1024n + (1n << 29n);
    if (setLimit(9, new BigUint64Array([limit, limit])) !== 0) throw new Error("no limit");
    try {
      new Emulator("x64");
    } catch (error) {
      console.log(error.name, error.message);
    }
  `;
    const options = { encoding: "utf8", cwd: projectRoot() } as const;
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", script],
      options,
    );
    t.is(status, 0);
    t.regex(
      stdout,
      /^MachineError the emulator cannot reserve 1088 MB of address space .*ulimit -v/,
    );
  },
);
