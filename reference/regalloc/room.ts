// Whether the operands of one instruction all find registers in one bank. Sets of registers are
// masks of their numbers within the bank.

/** What one instruction demands of one bank, counted as its operands are met. */
export class Room {
  /** Named by operands, in the input half and in the output half. */
  fixedInput = 0;
  fixedOutput = 0;
  /** Demands for any register: in both halves, only the input half, only the output half. */
  whole = 0;
  input = 0;
  output = 0;
  private bank = 0;
  private destroyed = 0;

  /**
   * @param bank what may be allocated
   * @param destroyed what a call destroys at its output half; 0 where nothing is called
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

  // Registers for both halves are the fewest; what is left of each half goes to the other demands.
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

/** The registers of the bank that starts at `first` that a call destroys. */
export function destroyedMask(callerSaved: Uint8Array, first: number): number {
  let mask = 0;
  for (let r = 0; r < 32; r++) if (callerSaved[first + r] === 1) mask |= bitOf(r);
  return mask;
}

function countBits(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}
