// What a fence orders: the accesses of a kind before it, with those of the same kind behind it; `all` orders
// each with each. Programs have one thread, so it changes no value that they compute.

export interface FenceRow {
  readonly name: "loads" | "stores" | "all";
  /** No load moves across it. */
  readonly holdsLoads: boolean;
  /** No store moves across it. */
  readonly holdsStores: boolean;
}

/** By the number that a Fence has. */
export const FENCES: readonly FenceRow[] = [
  { name: "loads", holdsLoads: true, holdsStores: false },
  { name: "stores", holdsLoads: false, holdsStores: true },
  { name: "all", holdsLoads: true, holdsStores: true },
];
