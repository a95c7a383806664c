// Defines the kinds of fences. A fence orders the accesses of its kind before it with those after it; `all` orders each
// access with each. Programs have one thread, so a fence changes no value that they compute.

export interface FenceRow {
  readonly name: "loads" | "stores" | "all";
  /** No load moves across it. */
  readonly holdsLoads: boolean;
  /** No store moves across it. */
  readonly holdsStores: boolean;
}

/** The kinds of fences, by the number in a Fence. */
export const FENCES: readonly FenceRow[] = [
  { name: "loads", holdsLoads: true, holdsStores: false },
  { name: "stores", holdsLoads: false, holdsStores: true },
  { name: "all", holdsLoads: true, holdsStores: true },
];
