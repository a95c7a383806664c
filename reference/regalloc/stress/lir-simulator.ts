// Runs LIR without the meanings of rows: a definition is a hash of the instruction's uses. Before
// allocation values are in virtual registers, after it in locations. If both runs read the same
// values at every use, the allocation is right on that path. It tests the allocation checker, and
// shares nothing with it.
//
// Wherever LIR defines no value, the machine contains junk. Temps hold junk before the first use is
// read, except copied uses, and after the last definition is written. A call leaves junk in the
// registers that it destroys. Late uses are read again at the end. The upper half of a register
// that holds 32 bits is junk.
//
// The simulator ignores the allocator's location where the LIR decides it: a fixed operand is in
// its register, a reused input in that of the definition, and a copied use in that of its temp. A
// redefinition has the value of its use: nothing is written.

import { isWide } from "../../../src/ir/types.js";
import {
  fixedOf,
  isRemat,
  isSlot,
  type Lir,
  type LirFacts,
  NOWHERE,
  OperandPolicy,
  OperandRole,
  policyOf,
  REMAT,
  type RegisterSet,
  roleOf,
  SLOT,
  slotAt,
  typeOfWord,
  vregOf,
} from "../../lir/lir.js";
import {
  type Allocation,
  derivingInstruction,
  MOVE_STRIDE,
  NO_DERIVATION,
  sourceType,
} from "../allocation.js";

/** Two words: the low one, and the high one of types of 64 bits. */
interface SimulatedWord {
  lo: number;
  hi: number;
}

interface SimulatedMachine {
  /** Executes everything between the previous instruction and this one's first read. */
  readonly begin: (instruction: number) => void;
  readonly use: (operand: number) => SimulatedWord;
  /** Overwrites the locations that the instruction destroys, before its definitions. */
  readonly destroy: (instruction: number) => void;
  readonly define: (operand: number, value: SimulatedWord) => void;
  readonly end: (instruction: number) => void;
  readonly edge: (from: number, to: number) => void;
}

/**
 * Returns a hash of all values read at uses, in order, on the path that `seed` takes; ends after
 * `fuel` blocks.
 */
function run(lir: Lir, machine: SimulatedMachine, seed: number, fuel: number): number {
  let trace = seed;
  let b = 0;
  for (let left = fuel; left > 0; left--) {
    let seen = 0;
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      machine.begin(i);
      seen = mix(mix(seed, i), usesOf(lir, machine, i, false));
      machine.destroy(i);
      for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
        if (roleOf(lir.operand[o]) !== OperandRole.Definition) continue;
        const isName = policyOf(lir.operand[o]) === OperandPolicy.Redefined;
        machine.define(o, isName ? machine.use(o + 1) : resultOf(seen, o));
      }
      machine.end(i);
      trace = mix(mix(trace, seen), usesOf(lir, machine, i, true));
    }
    const firstSuccessor = lir.successorStart[b];
    const count = lir.successorStart[b + 1] - firstSuccessor;
    if (count === 0) break;
    const to = lir.successors[firstSuccessor + ((seen >>> 8) % count)];
    machine.edge(b, to);
    b = to;
  }
  return trace;
}

/** Returns the value that an instruction with the inputs `seen` defines at operand `o`. */
const resultOf = (seen: number, o: number): SimulatedWord => ({
  lo: mix(seen, 2 * o),
  hi: mix(seen, 2 * o + 1),
});

function usesOf(lir: Lir, machine: SimulatedMachine, i: number, onlyLate: boolean): number {
  let seen = 0;
  for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
    const word = lir.operand[o];
    if (roleOf(word) > OperandRole.Use || (onlyLate && roleOf(word) !== OperandRole.Use)) continue;
    const value = machine.use(o);
    seen = mix(seen, value.lo);
    if (isWideVreg(lir, vregOf(word))) seen = mix(seen, value.hi);
  }
  return seen;
}

/** Runs the LIR on virtual registers. */
export function runVirtual(lir: Lir, seed: number, fuel: number): number {
  const values: SimulatedWord[] = [];
  const nothing = () => {};
  const machine: SimulatedMachine = {
    begin: nothing,
    use: (o) => values[vregOf(lir.operand[o])],
    destroy: nothing,
    define: (o, value) => {
      values[vregOf(lir.operand[o])] = value;
    },
    end: nothing,
    edge: (from, to) => {
      const inputs = lir.phiInputs.subarray(lir.phiInputStart[from], lir.phiInputStart[from + 1]);
      const arriving = [...inputs].map((input) => values[input]);
      for (const [k, value] of arriving.entries()) values[lir.phis[lir.phiStart[to] + k]] = value;
    },
  };
  return run(lir, machine, seed, fuel);
}

/** Runs the LIR on registers and slots. */
export function runAllocated(
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  allocation: Allocation,
  seed: number,
  fuel: number,
): number {
  const machine = new LocationMachine(lir, rows, registers, allocation, seed);
  return run(lir, machine, seed, fuel);
}

class LocationMachine implements SimulatedMachine {
  private readonly lir: Lir;
  private readonly rows: readonly LirFacts[];
  private readonly registers: RegisterSet;
  private readonly allocation: Allocation;
  private readonly seed: number;
  private readonly lo: Int32Array;
  private readonly hi: Int32Array;
  private junkCount = 0;
  /** By gap: its first move. */
  private readonly firstMove: Int32Array;

  constructor(
    lir: Lir,
    rows: readonly LirFacts[],
    registers: RegisterSet,
    allocation: Allocation,
    seed: number,
  ) {
    this.seed = seed;
    this.lir = lir;
    this.rows = rows;
    this.registers = registers;
    this.allocation = allocation;
    this.lo = new Int32Array(SLOT + allocation.spillUnits + 2).map(() => this.junk());
    this.hi = new Int32Array(SLOT).map(() => this.junk());
    this.firstMove = new Int32Array(lir.instructionCount + 1);
    let m = 0;
    for (let gap = 0; gap <= lir.instructionCount; gap++) {
      while (m < allocation.moveCount && allocation.moves[m * MOVE_STRIDE] >> 2 < gap) m++;
      this.firstMove[gap] = m;
    }
  }

  private junk(): number {
    return mix(0x1234_5678, this.junkCount++);
  }

  private read(location: number, isWideType: boolean): SimulatedWord {
    if (location === NOWHERE) return { lo: this.junk(), hi: this.junk() };
    if (isRemat(location)) return this.rematerialize(location - REMAT);
    const hi = !isWideType ? 0 : isSlot(location) ? this.lo[location + 1] : this.hi[location];
    return { lo: this.lo[location], hi };
  }

  /**
   * Returns the value that an instruction without uses defines; junk if it cannot be
   * rematerialized.
   */
  private rematerialize(i: number): SimulatedWord {
    const { lir, rows } = this;
    const isSound = i < lir.instructionCount && rows[lir.opcode[i]].rematerializable;
    if (!isSound) return { lo: this.junk(), hi: this.junk() };
    return resultOf(mix(mix(this.seed, i), 0), lir.operandStart[i]);
  }

  /** Returns the value that an instruction with that use defines; junk if it cannot be derived. */
  private derive(i: number, { lo, hi }: SimulatedWord, isWideUse: boolean): SimulatedWord {
    const { lir, rows } = this;
    const isSound = i < lir.instructionCount && rows[lir.opcode[i]].derivable;
    if (!isSound) return { lo: this.junk(), hi: this.junk() };
    const low = mix(0, lo);
    return resultOf(mix(mix(this.seed, i), isWideUse ? mix(low, hi) : low), lir.operandStart[i]);
  }

  private write(location: number, isWideType: boolean, { lo, hi }: SimulatedWord): void {
    if (location === NOWHERE) return;
    this.lo[location] = lo;
    if (!isSlot(location)) this.hi[location] = isWideType ? hi : this.junk();
    else if (isWideType) this.lo[location + 1] = hi;
  }

  private spoil(location: number): void {
    this.write(location, true, { lo: this.junk(), hi: this.junk() });
  }

  begin(i: number): void {
    const { moves } = this.allocation;
    const end = this.firstMove[i + 1];
    for (let first = this.firstMove[i]; first < end; ) {
      const arriving: SimulatedWord[] = [];
      let m = first;
      for (; m < end && moves[m * MOVE_STRIDE] === moves[first * MOVE_STRIDE]; m++) {
        const [, from, , type, derivation] = moves.subarray(m * MOVE_STRIDE, (m + 1) * MOVE_STRIDE);
        const isWideSource = isWide(sourceType(type, derivation));
        const value = this.read(from, isWideSource);
        arriving.push(
          derivation === NO_DERIVATION
            ? value
            : this.derive(derivingInstruction(derivation), value, isWideSource),
        );
      }
      for (const [k, value] of arriving.entries()) {
        const at = (first + k) * MOVE_STRIDE;
        this.write(moves[at + 2], isWideType(moves[at + 3]), value);
      }
      first = m;
    }
    this.spoilTemps(i, true);
  }

  use(o: number): SimulatedWord {
    return this.read(this.locationOf(o), isWideVreg(this.lir, vregOf(this.lir.operand[o])));
  }

  destroy(i: number): void {
    if (!this.rows[this.lir.opcode[i]].isCall) return;
    for (let r = 0; r < SLOT; r++) if (this.registers.callerSaved[r] === 1) this.spoil(r);
  }

  define(o: number, value: SimulatedWord): void {
    if (policyOf(this.lir.operand[o]) === OperandPolicy.Redefined) return;
    this.write(this.locationOf(o), isWideVreg(this.lir, vregOf(this.lir.operand[o])), value);
  }

  end(i: number): void {
    this.spoilTemps(i, false);
  }

  edge(): void {}

  private spoilTemps(i: number, isBefore: boolean): void {
    const { lir } = this;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      if (roleOf(lir.operand[o]) !== OperandRole.Temp) continue;
      if (!isBefore || !this.isCopy(i, o)) this.spoil(this.locationOf(o));
    }
  }

  /** Returns whether the temp holds a use of the instruction at its start. */
  private isCopy(i: number, temp: number): boolean {
    const { operand, operandStart } = this.lir;
    const word = operand[temp];
    if (policyOf(word) !== OperandPolicy.Fixed) return policyOf(word) === OperandPolicy.Copy;
    for (let o = operandStart[i]; o < temp; o++) {
      const isNamed =
        policyOf(operand[o]) === OperandPolicy.Fixed && fixedOf(operand[o]) === fixedOf(word);
      if (isNamed && roleOf(operand[o]) === OperandRole.UseAtStart) return true;
    }
    return false;
  }

  private locationOf(o: number): number {
    const { lir } = this;
    const word = lir.operand[o];
    if (policyOf(word) === OperandPolicy.Fixed) return fixedOf(word);
    if (roleOf(word) === OperandRole.Definition && lir.vregArgumentUnit[vregOf(word)] >= 0) {
      return slotAt(lir.vregArgumentUnit[vregOf(word)]); // the caller has written it there
    }
    if (roleOf(word) > OperandRole.Use) return lir.location[o];
    const start = this.instructionStart(o);
    if (policyOf(word) === OperandPolicy.Copy) return this.locationOfCopy(start, o);
    let ordinal = 0;
    for (let u = start; u < o; u++) if (roleOf(lir.operand[u]) <= OperandRole.Use) ordinal++;
    for (let d = start; d < o; d++) {
      if (policyOf(lir.operand[d]) !== OperandPolicy.MustReuseInput) continue;
      if (ordinal-- === 0) return lir.location[d];
    }
    return lir.location[o];
  }

  private locationOfCopy(start: number, use: number): number {
    const { operand, location } = this.lir;
    let ordinal = 0;
    for (let u = start; u < use; u++) {
      if (roleOf(operand[u]) <= OperandRole.Use && policyOf(operand[u]) === OperandPolicy.Copy)
        ordinal++;
    }
    for (let t = use; ; t++) {
      const isTemp =
        roleOf(operand[t]) === OperandRole.Temp && policyOf(operand[t]) === OperandPolicy.Copy;
      if (isTemp && ordinal-- === 0) return location[t];
    }
  }

  /** Returns the first operand of the instruction that operand `o` belongs to. */
  private instructionStart(o: number): number {
    const { operandStart, instructionCount } = this.lir;
    let [low, high] = [0, instructionCount - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (operandStart[middle] <= o) low = middle;
      else high = middle - 1;
    }
    return operandStart[low];
  }
}

// The helpers that turn words into types.
const isWideType = (word: number): boolean => isWide(typeOfWord(word));
const isWideVreg = (lir: Lir, vreg: number): boolean => isWide(lir.typeOf(vreg));

function mix(x: number, y: number): number {
  let z = Math.imul(x ^ (y + 0x9e3779b9), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 15), 0xc2b2ae35);
  return (z ^ (z >>> 13)) | 0;
}
