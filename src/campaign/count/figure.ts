// A figure: a measured number, with its least accepted value.

export interface CampaignFigure {
  readonly name: string;
  /** A number, or the names of missing items. The floor of names is the empty list. */
  readonly value: number | string;
  /** The least accepted value; null if there is none. */
  readonly floor: number | null;
}

export const isBelowFloor = ({ value, floor }: CampaignFigure): boolean =>
  floor !== null && (typeof value === "string" ? value !== "" : value < floor);
