// Runs the attempts to leave the native child. confinement.test.ts starts this file as a process of
// its own, as one user or another. Prints the ending of each attempt, as JSON.
//   node attempt-all.js FOLDER PID

import { LAYOUT, PAGE_SIZE, REGISTERS, STACK_SIZE, setAddress } from "../machine/guest.js";
import { attemptsAt } from "./attempts.js";
import { HostCpu } from "./host-cpu.js";
import { type Confinement, sharedHostProcess } from "./host-process.js";

export interface AttemptReport {
  readonly endings: readonly {
    readonly name: string;
    readonly ending: string;
    /** True if code still runs correctly afterwards. */
    readonly isWell: boolean;
  }[];
  readonly confinement: Confinement | null;
}

const CONSTANT = new Uint8Array([0xb8, 42, 0, 0, 0, 0xc3]); // mov eax, 42; ret

const [folder, pid] = process.argv.slice(2);
const attempts = attemptsAt({ folder, pid: Number(pid) });
const cpu = new HostCpu();
const { confinement } = sharedHostProcess();
const endings = attempts.map(({ name, code }) => ({ name, ending: run(code), isWell: isWell() }));
const report: AttemptReport = { endings, confinement };
process.stdout.write(JSON.stringify(report));
cpu.discardChild();

function run(code: Uint8Array): string {
  cpu.load(code, 2 * PAGE_SIZE);
  cpu.registers.fill(0);
  setAddress(cpu.registers, REGISTERS.x64.stackPointer, LAYOUT.stack + STACK_SIZE - PAGE_SIZE);
  return cpu.run(0, 1000).kind;
}

/** Runs code in a new child, as after every difference. */
function isWell(): boolean {
  cpu.discardChild();
  return run(CONSTANT) === "return" && cpu.registers[0] === 42;
}
