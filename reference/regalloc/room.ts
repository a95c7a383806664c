// Checks whether all operands of one instruction find registers in one bank. Sets of registers are
// masks of their numbers within the bank.

/** The demands of one instruction on one bank; the caller adds the operands one by one. */
export class RegisterDemand {
  /** Masks of the registers that fixed operands name, in the input half and in the output half. */
  fixedInput = 0;
  fixedOutput = 0;
  /**
   * Counts of demands for any register: in both halves, only the input half, only the output half.
   */
  whole = 0;
  input = 0;
  output = 0;
  private bank = 0;
  private destroyed = 0;

  /**
   * Starts an instruction without demands.
   *
   * @param bank the mask of registers that may be allocated
   * @param destroyed the mask of registers that a call destroys at its output half; 0 if the instruction
   *   is no call
   */
  open(bank: number, destroyed: number): void {
    this.fixedInput = 0;
    this.fixedOutput = 0;
    this.whole = 0;
    this.input = 0;
    this.output = 0;
    this.bank = bank;
    this.destroyed = destroyed;
  }

  destroys(register: number): boolean {
    return ((this.destroyed >>> (register & 31)) & 1) === 1;
  }

  // The demands for both halves have the smallest choice, so they come first; the rest of each half
  // is for the other demands.
  fits(): boolean {
    const inputs = this.bank & ~this.fixedInput;
    const outputs = this.bank & ~this.fixedOutput & ~this.destroyed;
    return (
      this.whole <= countBits(inputs & outputs) &&
      this.whole + this.input <= countBits(inputs) &&
      this.whole + this.output <= countBits(outputs)
    );
  }
}

export const bitOf = (register: number): number => 1 << (register & 31);

export function maskOf(registers: readonly number[]): number {
  let mask = 0;
  for (let k = 0; k < registers.length; k++) mask |= bitOf(registers[k]);
  return mask;
}

/** Returns the mask of registers that a call destroys in the bank that starts at `first`. */
export function destroyedMask(callerSaved: Uint8Array, first: number): number {
  let mask = 0;
  for (let r = 0; r < 32; r++) if (callerSaved[first + r] === 1) mask |= bitOf(r);
  return mask;
}

export function countBits(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
