// Verifies LIR after lowering. It recomputes the facts that it checks, and collects every fault.
//
// 1. Each block ends with its only terminator, which has as many successors as its row requires.
//    The entry is the first instruction of block 0, and occurs once. No edge is critical. The
//    terminator of a block with one successor has no operands.
// 2. Each virtual register is defined once, by a definition, a temp or a Phi. Definitions dominate
//    uses; a Phi's inputs are defined at the ends of the predecessors, one for each Phi, of its
//    type.
// 3. Operands come in order: definitions, uses, temps, KEEPALIVEs. Each policy suits its role, and
//    the operands match those of the row. Rows whose operands lowering fills in (entry, calls,
//    return) have additional fixed ones.
// 4. Fixed registers are of the bank of their operand. No two uses, and no two definitions or
//    temps, name the same register. A temp may have the register of a use only if the use is at
//    start: a copy.
// 5. A definition that reuses a register has its use, at start and in a register of the bank.
//    Copied uses and their temps are equal in number, and of one bank. A redefinition is no wider
//    than the use that it renames, and has its root.
// 6. Each leaf of a guard that is no constant is in a late use or a stored argument of its
//    patchpoint, or has its KEEPALIVE, two if it is carried in halves. A call has one for each reference that it names, each an Int64 and once. Other instructions have
//    none. (The checker of allocations tests whether a call names all references that live across
//    it.)
// 7. Every index is in range: guards, cases, patchpoints. Cases are one fewer than successors.
// 8. The entry defines each virtual register that is in a slot of the caller, and no other in a
//    slot. These slots are incoming arguments, are aligned, and do not overlap.

import type { Value } from "../../../src/ir/procedure.js";
import { Int32, Int64, isFloating, isWide, nameOfType, type Type } from "../../../src/ir/types.js";
import { zeroedWords } from "../../../src/support/program-arrays.js";
import type { LoweringPlan } from "../../target/plan.js";
import {
  CONSTANT_LEAF,
  fixedOf,
  isVector,
  type Lir,
  OperandPolicy,
  OperandRole,
  outgoingOf,
  policyOf,
  roleOf,
  vregOf,
} from "../lir.js";
import { LirDominators } from "../lir-dominators.js";
import { isPatchpoint, isSwitch, POLICY_LETTERS } from "./text-form.js";

/** Returns every fault; none if the LIR is valid. */
export function verifyLir(lir: Lir, plan: LoweringPlan): string[] {
  return new LirVerifier(lir, plan).run();
}

const NOWHERE_DEFINED = -1;
/** In `definedAt`: the block's Phis define it. */
const AT_HEAD = -1;

class LirVerifier {
  private readonly lir: Lir;
  private readonly plan: LoweringPlan;
  private readonly faults: string[] = [];
  private readonly dominators: LirDominators;
  /** By virtual register: the block that defines it, and the instruction, or AT_HEAD. */
  private readonly definingBlock: Int32Array;
  private readonly definedAt: Int32Array;
  private readonly facts: RowFacts;

  constructor(lir: Lir, plan: LoweringPlan) {
    this.lir = lir;
    this.plan = plan;
    this.dominators = new LirDominators(lir);
    this.definingBlock = zeroedWords(lir.vregCount).fill(NOWHERE_DEFINED);
    this.definedAt = zeroedWords(lir.vregCount);
    const facts = FACTS.get(plan) ?? factsOf(plan);
    FACTS.set(plan, facts);
    this.facts = facts;
  }

  run(): string[] {
    const { lir } = this;
    for (let b = 0; b < lir.blockCount; b++) this.define(b);
    for (let b = 0; b < lir.blockCount; b++) this.verifyBlock(b);
    return this.faults;
  }

  private fault(place: string, text: string): void {
    this.faults.push(`${place}: ${text}`);
  }

  private at(i: number): string {
    return `instruction ${i} (${this.plan.rows[this.lir.opcode[i]].name})`;
  }

  // --- definitions ---

  private define(b: number): void {
    const { lir } = this;
    for (let k = lir.phiStart[b]; k < lir.phiStart[b + 1]; k++) {
      this.defineVreg(lir.phis[k], b, AT_HEAD);
    }
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
        const word = lir.operand[o];
        if (roleOf(word) >= OperandRole.Definition) this.defineVreg(vregOf(word), b, i);
      }
    }
  }

  private defineVreg(vreg: number, b: number, i: number): void {
    if (vreg >= this.lir.vregCount) {
      this.fault(`block ${b}`, `v${vreg} is not a virtual register`);
      return;
    }
    if (this.definingBlock[vreg] !== NOWHERE_DEFINED) {
      this.fault(`block ${b}`, `v${vreg} is defined twice`);
    }
    this.definingBlock[vreg] = b;
    this.definedAt[vreg] = i;
  }

  /**
   * Returns whether the definition of `vreg` comes before instruction i of block b on every path.
   */
  private isDefinedBefore(vreg: number, b: number, i: number): boolean {
    if (vreg >= this.lir.vregCount) return false;
    const block = this.definingBlock[vreg];
    if (block === NOWHERE_DEFINED) return false;
    if (block === b) return this.definedAt[vreg] < i;
    return this.dominators.dominates(block, b);
  }

  private typeOf(vreg: number): Type {
    return this.lir.typeOf(vreg);
  }

  private isOfBank(vreg: number, register: number): boolean {
    return isFloating(this.typeOf(vreg)) === isVector(register);
  }

  // --- blocks ---

  private verifyBlock(b: number): void {
    const { lir, plan } = this;
    const [first, end] = [lir.blockStart[b], lir.blockStart[b + 1]];
    if (first === end) {
      this.fault(`block ${b}`, "is empty");
      return;
    }
    for (let i = first; i < end; i++) {
      if (plan.rows[lir.opcode[i]].isTerminator !== (i === end - 1)) {
        this.fault(
          this.at(i),
          i === end - 1 ? "does not end its block" : "is a terminator within its block",
        );
      }
      if ((lir.opcode[i] === plan.entry) !== (i === 0)) {
        this.fault(this.at(i), "the entry must be the first instruction, and occurs once");
      }
      this.verifyInstruction(b, i);
    }
    this.verifyEdges(b, end - 1);
  }

  private verifyEdges(b: number, last: number): void {
    const { lir } = this;
    const count = lir.successorStart[b + 1] - lir.successorStart[b];
    const expected = this.successorCountOf(last);
    if (count !== expected) {
      this.fault(this.at(last), `has ${count} successors, expected ${expected}`);
    }
    if (count === 1 && lir.operandStart[last] !== lir.operandStart[last + 1]) {
      this.fault(this.at(last), "has operands, and one successor");
    }
    const inputs = lir.phiInputStart[b + 1] - lir.phiInputStart[b];
    if (count !== 1 && inputs > 0)
      this.fault(`block ${b}`, "has Phi inputs, but not one successor");
    for (let e = lir.successorStart[b]; e < lir.successorStart[b + 1]; e++) {
      const to = lir.successors[e];
      if (count > 1 && this.dominators.predecessorCount[to] > 1) {
        this.fault(`block ${b}`, `the edge to block ${to} is critical`);
      }
      const phis = lir.phiStart[to + 1] - lir.phiStart[to];
      if (phis !== inputs) {
        this.fault(`block ${b}`, `has ${inputs} Phi inputs, block ${to} has ${phis} Phis`);
      } else this.verifyInputs(b, to, last);
    }
  }

  private successorCountOf(last: number): number {
    const { lir, facts } = this;
    const ways = facts.ways[lir.opcode[last]];
    if (ways !== BY_CASES) return ways;
    return (lir.switches.at(lir.immLo[last])?.lo.length ?? 0) + 1;
  }

  private verifyInputs(b: number, to: number, last: number): void {
    const { lir } = this;
    const first = lir.phiInputStart[b];
    for (let k = first; k < lir.phiInputStart[b + 1]; k++) {
      const input = lir.phiInputs[k];
      const phi = lir.phis[lir.phiStart[to] + k - first];
      if (!this.isDefinedBefore(input, b, last)) {
        this.fault(
          `block ${b}`,
          `v${input} is not defined at the end of the block, as an input of v${phi}`,
        );
      } else if (this.typeOf(input) !== this.typeOf(phi)) {
        const types = `${nameOfType(this.typeOf(input))} goes to ${nameOfType(this.typeOf(phi))}`;
        this.fault(`block ${b}`, `v${input} to v${phi}: ${types}`);
      }
    }
  }

  // --- instructions ---

  private verifyInstruction(b: number, i: number): void {
    const { lir } = this;
    const [start, end] = [lir.operandStart[i], lir.operandStart[i + 1]];
    let stage = 0;
    for (let o = start; o < end; o++) {
      const word = lir.operand[o];
      const role = roleOf(word);
      const policy = policyOf(word);
      const now = policy === OperandPolicy.KeepAlive ? 3 : STAGES[role];
      if (now < stage) this.operandFault(i, o, "is after an operand that must follow it");
      stage = Math.max(stage, now);
      if (((LEGAL[role] >> policy) & 1) === 0)
        this.operandFault(i, o, "has a policy that its role does not allow");
      if (policy === OperandPolicy.Fixed && !this.isOfBank(vregOf(word), fixedOf(word))) {
        this.operandFault(i, o, "names a register of the other bank");
      }
      if (role <= OperandRole.Use && !this.isDefinedBefore(vregOf(word), b, i)) {
        this.operandFault(i, o, "is not defined on every path");
      }
      const root = lir.vregRoot[vregOf(word)];
      if (
        role >= OperandRole.Definition &&
        policy !== OperandPolicy.Redefined &&
        root !== vregOf(word)
      ) {
        this.operandFault(i, o, `has the root v${root}, but is not its redefinition`);
      }
    }
    this.verifyForms(i);
    this.verifyNames(i);
    this.verifyArguments(i);
    this.verifyPairs(i);
    this.verifyGuard(i);
    const hasCode = this.facts.isPatchpoint[lir.opcode[i]] === 1;
    if (hasCode && lir.immLo[i] >= lir.patchpoints.length) {
      this.fault(this.at(i), `patchpoint ${lir.immLo[i]} does not exist`);
    }
  }

  private operandFault(i: number, o: number, text: string): void {
    const word = this.lir.operand[o];
    const operand = `operand ${o - this.lir.operandStart[i]}`;
    const policy = POLICY_LETTERS[policyOf(word)] || `register ${fixedOf(word)}`;
    this.fault(`${this.at(i)}, ${operand} (v${vregOf(word)}:${policy})`, text);
  }

  /** Checks operands against the row's; KEEPALIVEs are not part of the row. */
  private verifyForms(i: number): void {
    const { lir, plan } = this;
    const row = lir.opcode[i];
    if (this.facts.isShape[row] === 1) return;
    const forms = plan.operands[row];
    let count = 0;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      if (policyOf(word) === OperandPolicy.KeepAlive) continue;
      const form = count < forms.length ? forms[count] : null;
      count++;
      if (form === word - vregOf(word)) continue;
      this.operandFault(i, o, "does not match the row's operand");
    }
    if (count < forms.length) this.fault(this.at(i), `has ${count} of ${forms.length} operands`);
  }

  /** Checks that no two operands need a fixed register at one time. */
  private verifyNames(i: number): void {
    const { lir } = this;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      if (policyOf(word) !== OperandPolicy.Fixed) continue;
      for (let other = lir.operandStart[i]; other < o; other++) {
        const before = lir.operand[other];
        if (policyOf(before) !== OperandPolicy.Fixed || fixedOf(before) !== fixedOf(word)) continue;
        if (conflict(roleOf(before), roleOf(word))) this.operandFault(i, o, "is named twice");
      }
    }
  }

  /** Checks the definitions in slots of the caller. */
  private verifyArguments(i: number): void {
    const { lir, plan } = this;
    const isEntry = lir.opcode[i] === plan.entry;
    let free = 0;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== OperandRole.Definition) continue;
      const unit = lir.vregArgumentUnit[vregOf(word)];
      const isIncoming = isEntry && policyOf(word) === OperandPolicy.Stack;
      if (unit >= 0 !== isIncoming) {
        const expected = isIncoming ? "has no slot of the caller" : "has a slot of the caller";
        this.operandFault(i, o, expected);
      }
      if (!isIncoming) continue;
      const units = isWide(this.typeOf(vregOf(word))) ? 2 : 1;
      if (unit < free || unit % units !== 0 || unit + units > lir.incomingUnits) {
        this.operandFault(i, o, `is in unit ${unit} of ${lir.incomingUnits}, which is not its own`);
      }
      free = unit + units;
    }
  }

  private verifyPairs(i: number): void {
    const { lir } = this;
    let use = lir.operandStart[i];
    while (use < lir.operandStart[i + 1] && roleOf(lir.operand[use]) === OperandRole.Definition)
      use++;
    const firstUse = use;
    let copied = firstUse - 1;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      const policy = policyOf(word);
      if (policy === OperandPolicy.MustReuseInput) this.verifyReuse(i, o, use++);
      if (policy === OperandPolicy.Redefined) this.verifyName(i, o, firstUse);
      if (policy !== OperandPolicy.Copy || roleOf(word) !== OperandRole.Temp) continue;
      copied = this.nextCopied(i, copied);
      if (copied < 0) this.operandFault(i, o, "has no copied use");
      else this.expectBank(i, o, copied);
    }
    if (copied >= 0 && this.nextCopied(i, copied) >= 0) {
      this.operandFault(i, this.nextCopied(i, copied), "has no temp for its copy");
    }
  }

  /** Returns the next copied use after operand `o`; -1 if there is none. */
  private nextCopied(i: number, o: number): number {
    const { operand, operandStart } = this.lir;
    for (let u = o + 1; u < operandStart[i + 1]; u++) {
      if (
        roleOf(operand[u]) === OperandRole.UseAtStart &&
        policyOf(operand[u]) === OperandPolicy.Copy
      )
        return u;
    }
    return -1;
  }

  private expectBank(i: number, o: number, use: number): void {
    const { operand } = this.lir;
    const type = this.typeOf(vregOf(operand[o]));
    const given = this.typeOf(vregOf(operand[use]));
    if (isFloating(type) !== isFloating(given)) {
      this.operandFault(i, o, `is ${nameOfType(type)}, its use ${nameOfType(given)}`);
    }
  }

  private verifyReuse(i: number, o: number, use: number): void {
    const { operand, operandStart } = this.lir;
    const word = use < operandStart[i + 1] ? operand[use] : -1;
    const isRegister = word >= 0 && policyOf(word) === OperandPolicy.Register;
    if (isRegister && roleOf(word) === OperandRole.UseAtStart) this.expectBank(i, o, use);
    else this.operandFault(i, o, "reuses no register");
  }

  private verifyName(i: number, o: number, use: number): void {
    const { operand, operandStart, vregRoot } = this.lir;
    if (o !== operandStart[i] || use !== o + 1 || use === operandStart[i + 1]) {
      this.operandFault(i, o, "has no use after it to rename");
      return;
    }
    const word = operand[use];
    const isReadable =
      policyOf(word) === OperandPolicy.Any || policyOf(word) === OperandPolicy.Register;
    if (roleOf(word) !== OperandRole.UseAtStart || !isReadable) {
      this.operandFault(i, use, "is renamed, but is no use at start in any location or a register");
    }
    const [name, named] = [vregOf(operand[o]), vregOf(word)];
    this.expectBank(i, o, use);
    if (isWide(this.typeOf(name)) && !isWide(this.typeOf(named))) {
      this.operandFault(i, o, "is wider than the use that it renames");
    }
    if (vregRoot[name] !== vregRoot[named]) {
      this.operandFault(i, o, `has the root v${vregRoot[name]}, expected v${vregRoot[named]}`);
    }
  }

  private verifyGuard(i: number): void {
    const { lir } = this;
    let kept = lir.operandStart[i + 1];
    while (
      kept > lir.operandStart[i] &&
      policyOf(lir.operand[kept - 1]) === OperandPolicy.KeepAlive
    )
      kept--;
    const guard = lir.guard[i] < 0 ? null : lir.guards.at(lir.guard[i]);
    if (guard === null && this.plan.rows[lir.opcode[i]].isCall) {
      this.verifyReferences(i, kept);
      return;
    }
    if (guard === undefined) {
      this.fault(this.at(i), `guard ${lir.guard[i]} does not exist`);
      return;
    }
    const { leaves, operands } = guard ?? { leaves: [], operands: [] };
    const first = kept;
    for (let k = 0; k < leaves.length; k++) {
      if (operands[k] === CONSTANT_LEAF) continue;
      if (outgoingOf(operands[k]) >= 0) {
        this.verifyStoredLeaf(i, outgoingOf(operands[k]), leaves[k]);
        continue;
      }
      if (operands[k] >= lir.operandStart[i] && operands[k] < first) {
        this.verifyPlacedLeaf(i, operands[k], leaves[k].type);
        continue;
      }
      if (operands[k] !== kept || kept >= lir.operandStart[i + 1]) {
        this.fault(this.at(i), `leaf @${leaves[k].id} is not in the next KEEPALIVE`);
        return;
      }
      kept += this.verifyLeaf(i, kept, leaves[k].type);
    }
    if (kept !== lir.operandStart[i + 1]) this.fault(this.at(i), "has a KEEPALIVE for no leaf");
  }

  /** Checks a leaf in an operand of a patchpoint: only a late use has its value at the exit. */
  private verifyPlacedLeaf(i: number, o: number, type: Type): void {
    const { lir } = this;
    const isPlaced = this.facts.isPatchpoint[lir.opcode[i]] === 1;
    if (!isPlaced || roleOf(lir.operand[o]) !== OperandRole.Use)
      this.operandFault(i, o, "is shown by the exit, but is no late use of a patchpoint");
    const found = this.typeOf(vregOf(lir.operand[o]));
    if (found !== type && !(type === Int32 && found === Int64))
      this.operandFault(i, o, `is ${nameOfType(found)}, its leaf ${nameOfType(type)}`);
  }

  /**
   * Checks a leaf among the outgoing arguments: a store before the patchpoint has written it there,
   * and no call or patchpoint between them may overwrite it.
   */
  private verifyStoredLeaf(i: number, offset: number, { id, type }: Value): void {
    const { lir, plan } = this;
    const isPlaced = this.facts.isPatchpoint[lir.opcode[i]] === 1;
    for (let at = i - 1; isPlaced && at >= 0; at--) {
      const row = lir.opcode[at];
      const { isCall, isTerminator } = plan.rows[row];
      if (isCall || isTerminator || this.facts.isPatchpoint[row] === 1) break;
      if (!plan.storeArgument.includes(row) || lir.immLo[at] !== offset) continue;
      if (plan.storeArgument[type] !== row)
        this.fault(this.at(i), `leaf @${id} is ${nameOfType(type)}, its store another type`);
      return;
    }
    this.fault(this.at(i), `leaf @${id} is at sp+${offset}, where no argument is stored`);
  }

  private verifyReferences(i: number, first: number): void {
    const { operand, operandStart, vregIsReference } = this.lir;
    for (let o = first; o < operandStart[i + 1]; o++) {
      const vreg = vregOf(operand[o]);
      const isReference = vregIsReference[vreg] === 1 && this.typeOf(vreg) === Int64;
      if (!isReference) this.operandFault(i, o, "is kept across a call, but is no reference");
      for (let other = first; other < o; other++) {
        if (vregOf(operand[other]) === vreg) this.operandFault(i, o, "is kept twice");
      }
    }
  }

  /** Checks the leaf's type against its KEEPALIVE; returns how many KEEPALIVEs it has. */
  private verifyLeaf(i: number, o: number, type: Type): number {
    const found = this.typeOf(vregOf(this.lir.operand[o]));
    if (type === Int64 && found === Int32) return 2; // in halves
    // The register of an Int32 may be kept in full width.
    if (found !== type && !(type === Int32 && found === Int64)) {
      this.operandFault(i, o, `is ${nameOfType(found)}, its leaf ${nameOfType(type)}`);
    }
    return 1;
  }
}

/** By role: its rank in the order of operands. */
const STAGES = [1, 1, 0, 2];
const maskOf = (policies: readonly OperandPolicy[]): number =>
  policies.reduce((mask: number, policy) => mask | (1 << policy), 0);
/** By role: a bit for each policy that it allows. */
const LEGAL: readonly number[] = [
  [
    OperandPolicy.Any,
    OperandPolicy.Register,
    OperandPolicy.Fixed,
    OperandPolicy.Stack,
    OperandPolicy.Copy,
  ],
  [
    OperandPolicy.Any,
    OperandPolicy.Register,
    OperandPolicy.Fixed,
    OperandPolicy.Stack,
    OperandPolicy.KeepAlive,
  ],
  [
    OperandPolicy.Register,
    OperandPolicy.Fixed,
    OperandPolicy.MustReuseInput,
    OperandPolicy.Stack,
    OperandPolicy.Redefined,
  ],
  [OperandPolicy.Register, OperandPolicy.Fixed, OperandPolicy.Copy],
].map(maskOf);

/** Facts by row, computed once for each plan. */
interface RowFacts {
  /** 1 if lowering fills the operands in. */
  readonly isShape: Uint8Array;
  readonly isPatchpoint: Uint8Array;
  /**
   * The number of successors of a block that ends with it; BY_CASES: one for each case, and the
   * default.
   */
  readonly ways: Int8Array;
}
const BY_CASES = -1;
const FACTS = new WeakMap<LoweringPlan, RowFacts>();

function factsOf(plan: LoweringPlan): RowFacts {
  const { entry, call, callIndirect, callHost, forms } = plan;
  const shapes = [entry, plan.return, call, callIndirect, callHost, forms.pool[callHost]];
  const flags = (has: (row: number) => boolean) =>
    Uint8Array.from(plan.rows, (_, row) => (has(row) ? 1 : 0));
  return {
    isShape: flags((row) => shapes.includes(row)),
    isPatchpoint: flags((row) => isPatchpoint(plan, row)),
    ways: Int8Array.from(plan.rows, ({ name }, row) => {
      if (isSwitch(plan, row)) return BY_CASES;
      return row === plan.jump ? 1 : name.startsWith("branch.") ? 2 : 0;
    }),
  };
}

/**
 * Returns whether operands of two roles in one fixed register conflict: the later one has role `y`.
 */
function conflict(x: OperandRole, y: OperandRole): boolean {
  const isCopy = x === OperandRole.UseAtStart && y === OperandRole.Temp;
  const isHandedOn = x === OperandRole.Definition && y === OperandRole.UseAtStart;
  return !isCopy && !isHandedOn;
}
