/**
 * Returns the text of a small program around some lines of its first block, from value @3 on, for tests. The result is
 * Void.
 * @param head the declarations before the blocks
 */
export function programAround(lines: readonly string[], head = ""): string {
  return [
    "touchstone 1",
    "proc f(Int32 @0, Int64 @1, Double @2) -> Void",
    ...(head === "" ? [] : [head]),
    "#0:",
    ...lines,
    "  Void @99 = Return()",
    "",
  ].join("\n");
}
