// Sets of numbers that become one set by and by, told apart by one number of each: a number leads towards that of its
// set, which leads to itself. To join two sets, let the number of one lead to that of the other.

/** The number of the set; each step halves the path for later searches. */
export function nameOfSet(towards: { [number: number]: number }, number: number): number {
  let at = number;
  while (towards[at] !== at) {
    towards[at] = towards[towards[at]];
    at = towards[at];
  }
  return at;
}
