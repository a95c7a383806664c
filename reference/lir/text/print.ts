// Prints LIR as text, for people and for parse-lir.ts: before allocation each operand with its
// policy, after it also with its location, and the moves.
//
//   lir x64 f incoming 2 outgoing 16
//   B0 -> B1 B2
//        0: v0<i>:rdi v1<l>:rsi v8<l>:S[0] = entry
//        1: v2<i>:= = addlImm v0:R #5 @4
//        2: branch.cmpl v2:R v0:A if lt @5
//   B1 -> B3
//     phi v4<i>
//        3: check.testl v4:R v0:K #0 if ne exits s3 [@4=1 @7=-] @9
//           ...
//     inputs v4
//
// After `lir`: the target, the procedure, the units of incoming stack arguments and the bytes of
// outgoing ones, if there are any; after allocation `allocated N`, N the units of the spill area
// with the incoming arguments, and the registers in use. A definition
// and a temp have their type: <i> Int32, <l> Int64, <r> Int64 that is a reference, <f> Float, <d>
// Double. Then follows the policy. R is a register, A any location, S the spill slot, S[0] the
// caller's slot of a stack argument, K kept for an
// exit or a call, C a copy of its own, `=` the register of a use, `~` the use after it under
// another name. The name of a register is that register. `late`: alive until the instruction ends
// (a K always is). `@rax` or `@[2]` after that is the location; `[n]` is the spill slot n units of
// four bytes into the spill area. `*n`, in moves only, is rematerialized by instruction n; `*n(rax<i>)`
// by instruction n from its use in that location.
//
// `#5` is the immediate; `#1:5` its high and its low word, if the high one is not the sign of the
// other. `if`: the condition; `cases`: the keys of a Switch in the order of its successors.
// `exits`: the snapshot, and for each of its leaves the number of the operand, `-` for a constant.
// `@9` at the end is the value that the instruction comes from. A line with the moves of each group
// in a gap, which happen all at once:
//
//           before rbx -> rcx<i>, [8] -> rax<l>

import { Int64 } from "../../../src/ir/types.js";
import { wideBits } from "../../../src/ir/words.js";
import {
  type Allocation,
  derivingInstruction,
  MOVE_STRIDE,
  NO_DERIVATION,
  sourceType,
} from "../../regalloc/allocation.js";
import { CONDITION_NAMES } from "../../target/conditions.js";
import type { LoweringPlan } from "../../target/plan.js";
import type { IndexArray } from "../indices.js";
import {
  CONSTANT_LEAF,
  fixedOf,
  type Lir,
  OperandPolicy,
  OperandRole,
  outgoingOf,
  policyOf,
  roleOf,
  SLOT,
  vregOf,
} from "../lir.js";
import {
  isPatchpoint,
  isSwitch,
  locationName,
  MOVE_ORDERS,
  POLICY_LETTERS,
  REFERENCE_LETTER,
  TYPE_LETTERS,
  takesCondition,
} from "./text-form.js";

/**
 * Prints a procedure.
 *
 * @param name the procedure's name
 * @param allocation null before allocation
 */
export function printLir(
  lir: Lir,
  plan: LoweringPlan,
  name: string,
  allocation: Allocation | null,
): string {
  const printer = new LirPrinter(lir, plan, allocation);
  printer.head(name);
  for (let b = 0; b < lir.blockCount; b++) printer.block(b);
  return `${printer.lines.join("\n")}\n`;
}

/** Prints one instruction, without its number, for listings and graphs. */
export const printInstruction = (
  lir: Lir,
  plan: LoweringPlan,
  allocation: Allocation | null,
  i: number,
): string => new LirPrinter(lir, plan, allocation).instruction(i);

class LirPrinter {
  readonly lines: string[] = [];
  private readonly lir: Lir;
  private readonly plan: LoweringPlan;
  private readonly allocation: Allocation | null;
  private nextMove = 0;

  constructor(lir: Lir, plan: LoweringPlan, allocation: Allocation | null) {
    this.lir = lir;
    this.plan = plan;
    this.allocation = allocation;
  }

  head(name: string): void {
    const { lir, plan, allocation } = this;
    let text = `lir ${plan.target.name} ${name}`;
    if (lir.incomingUnits > 0) text += ` incoming ${lir.incomingUnits}`;
    if (lir.outgoingSize > 0) text += ` outgoing ${lir.outgoingSize}`;
    if (allocation !== null) {
      text += ` allocated ${allocation.spillUnits}`;
      allocation.usedRegisters.subarray(0, SLOT).forEach((isUsed, register) => {
        if (isUsed === 1) text += ` ${this.location(register)}`;
      });
    }
    this.lines.push(text);
  }

  block(b: number): void {
    const { lir, lines } = this;
    const slice = <Element extends number>(array: IndexArray<Element>, start: Int32Array) => [
      ...array.subarray(start[b], start[b + 1]),
    ];
    const successors = slice(lir.successors, lir.successorStart).map((to) => ` B${to}`);
    lines.push(`B${b}${successors.length > 0 ? " ->" : ""}${successors.join("")}`);
    const phis = slice(lir.phis, lir.phiStart).map((vreg) => ` ${this.typed(vreg)}`);
    if (phis.length > 0) lines.push(`  phi${phis.join("")}`);
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      this.movesBefore(i);
      lines.push(`${String(i).padStart(6)}: ${this.instruction(i)}`);
    }
    const inputs = slice(lir.phiInputs, lir.phiInputStart).map((vreg) => ` v${vreg}`);
    if (inputs.length > 0) lines.push(`  inputs${inputs.join("")}`);
  }

  private movesBefore(i: number): void {
    if (this.allocation === null) return;
    const { moves, moveCount } = this.allocation;
    while (this.nextMove < moveCount && moves[this.nextMove * MOVE_STRIDE] >> 2 === i) {
      const group = moves[this.nextMove * MOVE_STRIDE];
      const singles: string[] = [];
      let at = this.nextMove * MOVE_STRIDE;
      for (; this.nextMove < moveCount && moves[at] === group; at += MOVE_STRIDE) {
        const [from, to] = [this.source(moves, at), this.location(moves[at + 2])];
        singles.push(`${from} -> ${to}<${TYPE_LETTERS[moves[at + 3]]}>`);
        this.nextMove++;
      }
      this.lines.push(`        ${MOVE_ORDERS[group & 3]} ${singles.join(", ")}`);
    }
  }

  private source(moves: Int32Array, at: number): string {
    const location = this.location(moves[at + 1]);
    const derivation = moves[at + 4];
    if (derivation === NO_DERIVATION) return location;
    const letter = TYPE_LETTERS[sourceType(moves[at + 3], derivation)];
    return `*${derivingInstruction(derivation)}(${location}<${letter}>)`;
  }

  instruction(i: number): string {
    const { lir, plan } = this;
    const definitions: string[] = [];
    const others: string[] = [];
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const isDefinition = roleOf(lir.operand[o]) === OperandRole.Definition;
      (isDefinition ? definitions : others).push(this.operand(o));
    }
    let text = definitions.length > 0 ? `${definitions.join(" ")} = ` : "";
    text += [plan.rows[lir.opcode[i]].name, ...others].join(" ") + this.immediate(i);
    if (lir.guard[i] >= 0) text += this.exit(i);
    if (lir.origin[i] >= 0) text += ` @${lir.origin[i]}`;
    return text;
  }

  private immediate(i: number): string {
    const { lir, plan } = this;
    const row = lir.opcode[i];
    const [lo, hi] = [lir.immLo[i], lir.immHi[i]];
    if (isPatchpoint(plan, row)) return "";
    if (isSwitch(plan, row)) {
      const keys = lir.switches[lo];
      const isWideKey = row === plan.switch[Int64];
      return ` cases${keys.lo.map((key, k) => ` ${isWideKey ? wideBits(key, keys.hi[k]) : key}`).join("")}`;
    }
    if (takesCondition(plan.rows[row].name)) {
      return `${lo === 0 ? "" : ` #${lo}`} if ${CONDITION_NAMES[hi]}`;
    }
    if (hi === lo >> 31) return lo === 0 ? "" : ` #${lo}`;
    return hi >>> 0 < SMALL ? ` #${hi}:${lo}` : ` #${hex(hi)}:${hex(lo)}`;
  }

  private exit(i: number): string {
    const { lir } = this;
    const { snapshot, leaves, operands } = lir.guards[lir.guard[i]];
    const places = leaves.map(({ id }, k) => {
      const operand = operands[k];
      if (operand === CONSTANT_LEAF) return `@${id}=-`;
      const outgoing = outgoingOf(operand);
      return `@${id}=${outgoing >= 0 ? `sp+${outgoing}` : operand - lir.operandStart[i]}`;
    });
    return ` exits s${snapshot.id} [${places.join(" ")}]`;
  }

  private operand(o: number): string {
    const word = this.lir.operand[o];
    const role = roleOf(word);
    const policy = policyOf(word);
    const vreg = vregOf(word);
    let text = role >= OperandRole.Definition ? this.typed(vreg) : `v${vreg}`;
    if (role === OperandRole.Temp) text = `temp ${text}`;
    text += `:${policy === OperandPolicy.Fixed ? this.location(fixedOf(word)) : POLICY_LETTERS[policy]}`;
    const unit = this.lir.vregArgumentUnit[vreg];
    if (role === OperandRole.Definition && unit >= 0) text += `[${unit}]`;
    if (this.allocation !== null) text += `@${this.location(this.lir.location[o])}`;
    return role === OperandRole.Use && policy !== OperandPolicy.KeepAlive ? `${text} late` : text;
  }

  private typed(vreg: number): string {
    const { vregType, vregIsReference } = this.lir;
    const letter = vregIsReference[vreg] === 1 ? REFERENCE_LETTER : TYPE_LETTERS[vregType[vreg]];
    return `v${vreg}<${letter}>`;
  }

  private location(location: number): string {
    return locationName(this.plan.target.name, location);
  }
}

/** High words below this are written in decimal: they are numbers of slots and conditions. */
const SMALL = 1 << 16;
const hex = (word: number): string => `0x${(word >>> 0).toString(16).padStart(8, "0")}`;
