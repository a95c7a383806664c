/**
 * Where the machine meets its surroundings: the guest addresses that compiled code calls or jumps
 * to.
 */
export interface Environment {
  /** Address of host function `index`. */
  readonly hostFunction: (index: number) => readonly [lo: number, hi: number];
  /** Where exit stubs go after they have saved the registers. */
  readonly exit: readonly [lo: number, hi: number];
}
