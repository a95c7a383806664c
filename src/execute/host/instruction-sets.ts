// Checks that the processor has the instructions that x64 code needs beyond every x86-64, by
// running them. The flags of CPUID are unreliable: a hypervisor hides some instructions that work
// (Firecracker hides LZCNT of AMD processors). A processor without LZCNT or TZCNT runs BSR or BSF
// in its place, without a fault (Intel SDM volume 2, LZCNT and TZCNT).

import { LAYOUT, PAGE_SIZE, REGISTERS, STACK_SIZE, setAddress } from "../machine/guest.js";
import { HostCpu } from "./host-cpu.js";

const RAX = 0;

/** Code that leaves `result` in EAX if the processor has the instruction. */
interface InstructionProbe {
  readonly instruction: string;
  readonly code: string;
  readonly result: number;
}

// biome-ignore format: a table
const PROBES: readonly InstructionProbe[] = [
  { instruction: "LZCNT",  result: 31, code: "bf01000000 f30fbdc7 c3" },     // mov edi, 1; lzcnt eax, edi; ret
  { instruction: "TZCNT",  result: 32, code: "31ff 31c0 f30fbcc7 c3" },      // xor edi, edi; xor eax, eax; tzcnt eax, edi; ret
  { instruction: "SSE4.1", result: 0,  code: "31c0 660f3a0bc001 c3" },       // xor eax, eax; roundsd xmm0, xmm0, 1; ret
];

/**
 * Returns the first instruction that this processor does not have; null if it has all. Throws
 * HostRefused.
 */
export function instructionMissing(probes: readonly InstructionProbe[] = PROBES): string | null {
  const cpu = new HostCpu();
  try {
    const lack = probes.find((probe) => !isThere(cpu, probe));
    return lack?.instruction ?? null;
  } finally {
    cpu.close();
  }
}

function isThere(cpu: HostCpu, { code, result }: InstructionProbe): boolean {
  cpu.load(new Uint8Array(Buffer.from(code.replaceAll(" ", ""), "hex")), PAGE_SIZE);
  cpu.registers.fill(0);
  setAddress(cpu.registers, REGISTERS.x64.stackPointer, LAYOUT.stack + STACK_SIZE - PAGE_SIZE);
  const { kind } = cpu.run(0, 10);
  return kind === "return" && cpu.registers[RAX] === result;
}
