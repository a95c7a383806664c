// Checks the operands of one instruction against their policies, and against each other
// (requirements 2, 3 and 7 of check.ts). It does not track the contents of locations.

import { isFloating, isWide, nameOfType } from "../../../src/ir/types.js";
import {
  fixedOf,
  isSlot,
  isVector,
  type Lir,
  OperandPolicy,
  OperandRole,
  policyOf,
  type RegisterSet,
  roleOf,
  SLOT,
  vregOf,
} from "../../lir/lir.js";
import type { Allocation } from "../allocation.js";
import { type CheckerFaults, nameOf } from "./check-faults.js";

/** The input of the checker. */
export interface AllocationUnderTest {
  readonly lir: Lir;
  readonly registers: RegisterSet;
  readonly allocation: Allocation;
}

// The purposes of a register, as bits.
const FREE_TO_CHOOSE = 1;
const NAMED = 2;
const SCRATCH = 4;

// The ways in which an instruction occupies a location, as bits.
const USED = 1;
const USED_LATE = 2;
const WRITTEN = 4;
/**
 * A fixed use at start. A temp fixed to the same register may share it, which makes the use a copy.
 */
const USED_BY_NAME = 8;

/**
 * For each instruction, the caller checks uses first, then temps, then definitions; then it calls
 * `vacate` for each location.
 */
export class OperandChecker {
  private readonly faults: CheckerFaults;
  /** By register: FREE_TO_CHOOSE, NAMED, SCRATCH. */
  private readonly purpose = new Uint8Array(64);
  /**
   * By location, in the current instruction: bits for its uses, late uses, definitions and temps.
   */
  private occupied = new Uint8Array(128);

  constructor(faults: CheckerFaults) {
    this.faults = faults;
  }

  /**
   * Starts an allocation.
   *
   * @param width the number of locations: registers and units of slots
   */
  prepare({ lir, registers }: AllocationUnderTest, width: number): void {
    if (this.occupied.length < width) this.occupied = new Uint8Array(2 * width);
    const { purpose } = this;
    purpose.fill(0);
    for (let k = 0; k < registers.general.length; k++)
      purpose[registers.general[k]] = FREE_TO_CHOOSE;
    for (let k = 0; k < registers.vector.length; k++) purpose[registers.vector[k]] = FREE_TO_CHOOSE;
    for (let o = 0; o < lir.operandCount; o++) {
      if (policyOf(lir.operand[o]) === OperandPolicy.Fixed)
        purpose[fixedOf(lir.operand[o])] |= NAMED;
    }
    purpose[registers.generalScratch] |= SCRATCH;
    purpose[registers.vectorScratch] |= SCRATCH;
  }

  /** Returns whether moves may read and write the register. */
  isMovable(register: number): boolean {
    return this.purpose[register] !== 0 && (this.purpose[register] & SCRATCH) === 0;
  }

  /** Frees the location for the next instruction. */
  vacate(location: number): void {
    this.occupied[location] = 0;
    if (isSlot(location)) this.occupied[location + 1] = 0;
  }

  /** Checks a use. Returns false if no value of its type can be in that location. */
  checkUse(subject: AllocationUnderTest, i: number, o: number, isCall: boolean): boolean {
    const { lir, registers, allocation } = subject;
    const word = lir.operand[o];
    const vreg = vregOf(word);
    const location = lir.location[o];
    const policy = policyOf(word);
    const type = lir.typeOf(vreg);
    const inSlot = isSlot(location);
    const isSound = inSlot
      ? location + (isWide(type) ? 1 : 0) < SLOT + allocation.spillUnits
      : location >= 0 && location < SLOT && isVector(location) === isFloating(type);
    if (!isSound) {
      this.faults.addOperand(lir, i, o, `a location for ${nameOfType(type)}`, nameOf(location));
      return false;
    }
    if (policy === OperandPolicy.Register && inSlot) {
      this.faults.addOperand(lir, i, o, "a register", nameOf(location));
    }
    if (policy === OperandPolicy.Stack && !inSlot) {
      this.faults.addOperand(lir, i, o, "its slot", nameOf(location));
    }
    if (policy === OperandPolicy.Fixed && location !== fixedOf(word)) {
      this.faults.addOperand(lir, i, o, nameOf(fixedOf(word)), nameOf(location));
    }
    if (policy === OperandPolicy.Copy) {
      if (inSlot) this.faults.addOperand(lir, i, o, "a register", nameOf(location));
      return true; // its temp occupies it
    }
    const isLate = roleOf(word) === OperandRole.Use || policy === OperandPolicy.KeepAlive;
    let occupation = policy === OperandPolicy.Fixed ? USED_BY_NAME : USED;
    if (isLate) occupation = USED | USED_LATE;
    this.occupied[location] |= occupation;
    if (inSlot) {
      if (isWide(type)) this.occupied[location + 1] |= occupation;
      return true;
    }
    if (isLate && isCall && registers.callerSaved[location] === 1) {
      this.faults.addOperand(lir, i, o, "a location that the call preserves", nameOf(location));
    }
    return true;
  }

  checkTemp(subject: AllocationUnderTest, i: number, o: number): void {
    const { lir } = subject;
    const policy = policyOf(lir.operand[o]);
    const others = policy === OperandPolicy.Fixed ? USED | WRITTEN : USED | USED_BY_NAME | WRITTEN;
    this.checkWritten(subject, i, o, others);
    if (policy === OperandPolicy.Copy) this.checkCopy(lir, i, o);
  }

  /**
   * Checks that the temp is in the location of its use: the n-th copied temp belongs to the n-th
   * copied use.
   */
  private checkCopy(lir: Lir, i: number, o: number): void {
    let before = 0;
    for (let t = lir.operandStart[i]; t < o; t++) {
      const word = lir.operand[t];
      if (roleOf(word) === OperandRole.Temp && policyOf(word) === OperandPolicy.Copy) before++;
    }
    for (let u = lir.operandStart[i]; u < o; u++) {
      const word = lir.operand[u];
      if (roleOf(word) > OperandRole.Use || policyOf(word) !== OperandPolicy.Copy || before-- > 0)
        continue;
      this.expectSame(lir, i, o, u);
      return;
    }
    this.faults.addOperand(lir, i, o, "a use that is copied", "none");
  }

  private expectSame(lir: Lir, i: number, o: number, use: number): void {
    if (lir.location[use] === lir.location[o]) return;
    const found = nameOf(lir.location[o]);
    this.faults.addOperand(lir, i, o, `its input's ${nameOf(lir.location[use])}`, found);
  }

  checkDefinition(subject: AllocationUnderTest, i: number, o: number): void {
    const policy = policyOf(subject.lir.operand[o]);
    if (policy === OperandPolicy.Redefined) this.checkRedefined(subject.lir, i, o);
    else if (policy === OperandPolicy.Stack) this.checkInSlot(subject, i, o);
    else this.checkWritten(subject, i, o, USED_LATE | WRITTEN);
    if (policy === OperandPolicy.MustReuseInput) this.checkReuse(subject.lir, i, o);
  }

  private checkRedefined(lir: Lir, i: number, o: number): void {
    const use = o + 1;
    const isFirst = o === lir.operandStart[i] && use < lir.operandStart[i + 1];
    if (!isFirst || roleOf(lir.operand[use]) > OperandRole.Use) {
      this.faults.addOperand(
        lir,
        i,
        o,
        "a position just before the use that it renames",
        "another position",
      );
      return;
    }
    const type = lir.typeOf(vregOf(lir.operand[o]));
    const named = lir.typeOf(vregOf(lir.operand[use]));
    const isNarrower = isWide(named) || !isWide(type);
    if (!isNarrower || isFloating(type) !== isFloating(named)) {
      const expected = `a type no wider than ${nameOfType(named)}, in its bank`;
      this.faults.addOperand(lir, i, o, expected, nameOfType(type));
    }
    this.expectSame(lir, i, o, use);
  }

  private checkInSlot({ lir, allocation }: AllocationUnderTest, i: number, o: number): void {
    const location = lir.location[o];
    const units = isWide(lir.typeOf(vregOf(lir.operand[o]))) ? 2 : 1;
    const unit = location - SLOT;
    if (unit < 0 || unit + units > allocation.spillUnits || unit % units !== 0) {
      this.faults.addOperand(lir, i, o, "its slot", nameOf(location));
      return;
    }
    const argument = lir.vregArgumentUnit[vregOf(lir.operand[o])];
    if (argument >= 0 && unit !== argument) {
      this.faults.addOperand(
        lir,
        i,
        o,
        `the caller's ${nameOf(SLOT + argument)}`,
        nameOf(location),
      );
    }
    for (let u = location; u < location + units; u++) {
      if ((this.occupied[u] & (USED_LATE | WRITTEN)) !== 0) {
        this.faults.addOperand(lir, i, o, "a slot of its own", `${nameOf(u)}, taken`);
      }
      this.occupied[u] |= WRITTEN;
    }
  }

  /**
   * Checks an operand in a register that must not be occupied by any of `others` in the
   * instruction.
   */
  private checkWritten(subject: AllocationUnderTest, i: number, o: number, others: number): void {
    const { lir, allocation } = subject;
    const word = lir.operand[o];
    const location = lir.location[o];
    const policy = policyOf(word);
    const type = lir.typeOf(vregOf(word));
    if (location < 0 || location >= SLOT || isVector(location) !== isFloating(type)) {
      this.faults.addOperand(lir, i, o, `a register for ${nameOfType(type)}`, nameOf(location));
      return;
    }
    if (policy === OperandPolicy.Fixed && location !== fixedOf(word)) {
      this.faults.addOperand(lir, i, o, nameOf(fixedOf(word)), nameOf(location));
    }
    const isFree = (this.purpose[location] & (FREE_TO_CHOOSE | SCRATCH)) === FREE_TO_CHOOSE;
    if (policy !== OperandPolicy.Fixed && !isFree) {
      this.faults.addOperand(lir, i, o, "an allocatable register", nameOf(location));
    }
    if ((this.occupied[location] & others) !== 0) {
      this.faults.addOperand(lir, i, o, "a register of its own", `${nameOf(location)}, taken`);
    }
    if (allocation.usedRegisters[location] === 0) {
      this.faults.addOperand(lir, i, o, "a register reported as used", nameOf(location));
    }
    this.occupied[location] |= WRITTEN;
  }

  private checkReuse(lir: Lir, i: number, o: number): void {
    let before = 0;
    for (let d = lir.operandStart[i]; d < o; d++) {
      if (policyOf(lir.operand[d]) === OperandPolicy.MustReuseInput) before++;
    }
    for (let u = o + 1; u < lir.operandStart[i + 1]; u++) {
      if (roleOf(lir.operand[u]) > OperandRole.Use || before-- > 0) continue;
      this.expectSame(lir, i, o, u);
      return;
    }
    this.faults.addOperand(lir, i, o, "an input to reuse", "none");
  }
}
