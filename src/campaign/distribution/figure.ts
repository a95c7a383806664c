// A figure: a number that is measured, with the least value that is accepted.

export interface Figure {
  readonly name: string;
  /**
   * A number, or the names of what is missing. The floor of names is the empty list.
   */
  readonly value: number | string;
  /** The least value that is accepted; null if there is none. */
  readonly floor: number | null;
}

export const isBelowFloor = ({ value, floor }: Figure): boolean =>
  floor !== null && (typeof value === "string" ? value !== "" : value < floor);
