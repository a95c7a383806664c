// Represents disjoint sets of numbers by union-find. Each number leads towards the representative of its set, which
// leads to itself. To join two sets, let the representative of one lead to that of the other.

/** Returns the representative of the number's set; each step halves the path for later searches. */
export function representativeOf(towards: { [number: number]: number }, number: number): number {
  let current = number;
  while (towards[current] !== current) {
    towards[current] = towards[towards[current]];
    current = towards[current];
  }
  return current;
}
