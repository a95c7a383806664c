// Tests libunicorn on this machine: one `mov` and one `ret` on each architecture.
//
// Status 0: both work; 3: no candidate loads; 1: one loads, but gives wrong results. One line each.
// It imports nothing of the project, by intent: it must work before anything else does.

import koffi from "koffi";
import { unicornCandidates } from "../build/src/execute/emulator/unicorn-library.js";

const CODE = 0x10000;
const STACK = 0x20000;
const PAGE_SIZE = 0x1000;
const RETURN_ADDRESS = 0x30000; // never mapped: arriving there is the end of the run
const PERMIT_ALL = 7;
const INSTRUCTION_COUNT_MAX = 10;
const ANSWER = 42;

// Numbers from the public headers of Unicorn 2: uc_arch, uc_mode, and the register lists.
// biome-ignore format: a table
const MACHINES = [
  { name: "x64",   arch: 4, mode: 8, pc: 41,  sp: 44, link: null, result: 35,  code: [0xb8, ANSWER, 0, 0, 0, 0xc3] }, // mov eax, 42; ret
  { name: "arm64", arch: 2, mode: 0, pc: 260, sp: 4,  link: 2,    result: 199, code: [0x40, 0x05, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6] }, // mov w0, #42; ret
];

function load() {
  for (const path of unicornCandidates()) {
    try {
      return { path, library: koffi.load(path) };
    } catch {
      // The next candidate may load; if none does, the last line reports it.
    }
  }
  return null;
}

const bind = (library) => ({
  version: library.func("unsigned int uc_version(_Out_ unsigned int *, _Out_ unsigned int *)"),
  open: library.func("int uc_open(int, int, _Out_ uintptr_t *)"),
  close: library.func("int uc_close(uintptr_t)"),
  map: library.func("int uc_mem_map(uintptr_t, uint64_t, size_t, uint32_t)"),
  write: library.func("int uc_mem_write(uintptr_t, uint64_t, const void *, size_t)"),
  setRegister: library.func("int uc_reg_write(uintptr_t, int, const void *)"),
  getRegister: library.func("int uc_reg_read(uintptr_t, int, void *)"),
  start: library.func("int uc_emu_start(uintptr_t, uint64_t, uint64_t, uint64_t, size_t)"),
});

function check(error, what) {
  if (error !== 0) throw new Error(`${what}: uc_err ${error}`);
}

function word(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function runOn(unicorn, machine) {
  const handle = [0];
  check(unicorn.open(machine.arch, machine.mode, handle), "uc_open");
  const engine = handle[0];
  const read = (register) => {
    const bytes = Buffer.alloc(8);
    check(unicorn.getRegister(engine, register, bytes), "uc_reg_read");
    return Number(bytes.readBigUInt64LE());
  };
  check(unicorn.map(engine, CODE, PAGE_SIZE, PERMIT_ALL), "uc_mem_map");
  check(unicorn.map(engine, STACK, PAGE_SIZE, PERMIT_ALL), "uc_mem_map");
  check(unicorn.write(engine, CODE, Buffer.from(machine.code), machine.code.length), "code");
  check(unicorn.write(engine, STACK, word(RETURN_ADDRESS), 8), "stack");
  check(unicorn.setRegister(engine, machine.sp, word(STACK)), "uc_reg_write");
  if (machine.link !== null) {
    check(unicorn.setRegister(engine, machine.link, word(RETURN_ADDRESS)), "uc_reg_write");
  }
  check(unicorn.start(engine, CODE, RETURN_ADDRESS, 0, INSTRUCTION_COUNT_MAX), "uc_emu_start");
  // Error 0 alone is no success: a used-up instruction count returns it too.
  const answer = { pc: read(machine.pc), result: read(machine.result) };
  unicorn.close(engine);
  if (answer.pc !== RETURN_ADDRESS || answer.result !== ANSWER) {
    throw new Error(`stopped at ${answer.pc} with ${answer.result}, not ${ANSWER}`);
  }
}

function smoke({ path, library }) {
  const unicorn = bind(library);
  for (const machine of MACHINES) {
    try {
      runOn(unicorn, machine);
    } catch (error) {
      console.log(`smoke: ${machine.name} under ${path} does not work: ${error.message}`);
      return 1;
    }
  }
  const [major, minor] = [[0], [0]];
  unicorn.version(major, minor);
  console.log(`smoke: Unicorn ${major[0]}.${minor[0]} (${path}) runs x64 and arm64`);
  return 0;
}

const loaded = load();
if (loaded === null) {
  console.log(`smoke: libunicorn is missing (tried ${unicornCandidates().join(", ")})`);
  process.exitCode = 3;
} else {
  process.exitCode = smoke(loaded);
}
