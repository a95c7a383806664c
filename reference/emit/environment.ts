/** The guest addresses outside the image that compiled code calls or jumps to. */
export interface ExternalAddresses {
  /** Address of host function `index`. */
  readonly hostFunction: (index: number) => readonly [lo: number, hi: number];
  /** Address to which exit stubs jump after they have saved the registers. */
  readonly exit: readonly [lo: number, hi: number];
}
