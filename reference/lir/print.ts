// LIR as text, for people: before allocation each operand with its policy, after it with its
// location.
//
//   B1 -> B2 B3
//     phi v4:rax
//         rbx -> rcx, [8] -> rax
//     12: v5:rax = addl v3:rax v4:[0] ; @17
//
// Policies: R a register, A anywhere, S the spill slot, K kept for an exit, C a copy of its own, `=`
// the register of a use, `~` the use behind it under another name, a name: that register. `late`:
// alive until the instruction ends. `[n]` is the spill slot n units of four bytes into the spill area;
// `*n` is made anew by instruction n.

import { registerName as arm64Name } from "../arm64/registers.js";
import type { Plan } from "../lower/plan.js";
import type { TargetName } from "../lower/target.js";
import { type Allocation, MOVE_STRIDE } from "../regalloc/allocation.js";
import { REGISTER_NAMES } from "../x64/registers.js";
import {
  fixedOf,
  isGeneral,
  isRemat,
  isSlot,
  type Lir,
  NOWHERE,
  Policy,
  policyOf,
  REMAT,
  Role,
  roleOf,
  SLOT,
  VECTOR,
  vregOf,
} from "./lir.js";

/** @param allocation null before allocation */
export function printLir(lir: Lir, { rows, target }: Plan, allocation: Allocation | null): string {
  const printer = new Printer(lir, target.name, allocation);
  for (let b = 0; b < lir.blockCount; b++) {
    printer.blockHead(b);
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      printer.movesBefore(i);
      printer.instruction(i, rows[lir.opcode[i]].name);
    }
    printer.blockTail(b);
  }
  return `${printer.lines.join("\n")}\n`;
}

class Printer {
  readonly lines: string[] = [];
  private readonly lir: Lir;
  private readonly target: TargetName;
  private readonly allocation: Allocation | null;
  private nextMove = 0;

  constructor(lir: Lir, target: TargetName, allocation: Allocation | null) {
    this.lir = lir;
    this.target = target;
    this.allocation = allocation;
  }

  blockHead(b: number): void {
    const { lir, lines } = this;
    const successors = lir.successors.subarray(lir.successorStart[b], lir.successorStart[b + 1]);
    lines.push(
      `B${b}${[...successors].map((to, s) => (s === 0 ? ` -> B${to}` : ` B${to}`)).join("")}`,
    );
    const phis = lir.phis.subarray(lir.phiStart[b], lir.phiStart[b + 1]);
    if (phis.length > 0) lines.push(`  phi ${vregs(phis)}`);
  }

  blockTail(b: number): void {
    const { lir, lines } = this;
    const inputs = lir.phiInputs.subarray(lir.phiInputStart[b], lir.phiInputStart[b + 1]);
    if (inputs.length > 0) lines.push(`  phi inputs ${vregs(inputs)}`);
  }

  /** The moves of the gap, a line for each group: those of one line happen all at once. */
  movesBefore(i: number): void {
    if (this.allocation === null) return;
    const { moves, moveCount } = this.allocation;
    while (this.nextMove < moveCount && moves[this.nextMove * MOVE_STRIDE] >> 2 === i) {
      const group = moves[this.nextMove * MOVE_STRIDE];
      const pieces: string[] = [];
      for (
        ;
        this.nextMove < moveCount && moves[this.nextMove * MOVE_STRIDE] === group;
        this.nextMove++
      ) {
        const at = this.nextMove * MOVE_STRIDE;
        pieces.push(`${this.location(moves[at + 1])} -> ${this.location(moves[at + 2])}`);
      }
      this.lines.push(`        ${pieces.join(", ")}`);
    }
  }

  instruction(i: number, name: string): void {
    const { lir } = this;
    const definitions: string[] = [];
    const others: string[] = [];
    for (let k = lir.operandStart[i]; k < lir.operandStart[i + 1]; k++) {
      const isDefinition = roleOf(lir.operand[k]) === Role.Definition;
      (isDefinition ? definitions : others).push(this.operand(k));
    }
    let text = `  ${String(i).padStart(4)}: `;
    if (definitions.length > 0) text += `${definitions.join(" ")} = `;
    text += [name, ...others].join(" ");
    const lo = lir.immLo[i];
    const hi = lir.immHi[i];
    if (lo !== 0 || hi !== 0)
      text += hi === 0 || hi === lo >> 31 ? ` #${lo}` : ` #${hex(hi)}:${hex(lo)}`;
    if (lir.guard[i] >= 0) text += ` exits s${lir.guards[lir.guard[i]].snapshot.id}`;
    if (lir.origin[i] >= 0) text += ` ; @${lir.origin[i]}`;
    this.lines.push(text);
  }

  private operand(k: number): string {
    const { operand, location } = this.lir;
    const word = operand[k];
    const name = roleOf(word) === Role.Temp ? `temp v${vregOf(word)}` : `v${vregOf(word)}`;
    if (this.allocation !== null) return `${name}:${this.location(location[k])}`;
    const late = roleOf(word) === Role.Use && policyOf(word) !== Policy.KeepAlive ? " late" : "";
    return `${name}:${this.policy(word)}${late}`;
  }

  private policy(word: number): string {
    const policy = policyOf(word);
    return policy === Policy.Fixed ? this.location(fixedOf(word)) : POLICY_LETTERS[policy];
  }

  private location(location: number): string {
    if (location === NOWHERE) return "nowhere";
    if (isSlot(location)) return `[${location - SLOT}]`;
    if (isRemat(location)) return `*${location - REMAT}`;
    const number = location & (VECTOR - 1);
    if (this.target === "x64") return REGISTER_NAMES[isGeneral(location) ? "r64" : "x"][number];
    return arm64Name(isGeneral(location) ? "X" : "V", number);
  }
}

const POLICY_LETTERS: { readonly [P in Policy]: string } = {
  [Policy.Any]: "A",
  [Policy.Register]: "R",
  [Policy.Fixed]: "",
  [Policy.KeepAlive]: "K",
  [Policy.MustReuseInput]: "=",
  [Policy.Stack]: "S",
  [Policy.Copy]: "C",
  [Policy.Redefined]: "~",
};

const vregs = (list: Int32Array): string => Array.from(list, (vreg) => `v${vreg}`).join(" ");
const hex = (word: number): string => `0x${(word >>> 0).toString(16).padStart(8, "0")}`;
