// What each part of a program costs: counts of its parts at several sizes, and the cost of the
// whole at each, give a system of linear equations.

/**
 * Solves by elimination with the largest pivot first.
 * @param counts a row for each size, as many rows as columns
 * @param costs of the whole, for each size
 * @returns the cost of one of each column
 * @throws RangeError if the sizes do not tell the parts apart
 */
export function costsOfParts(
  counts: readonly (readonly number[])[],
  costs: readonly number[],
): number[] {
  const rows = counts.map((row, i) => [...row, costs[i]]);
  const order = rows.length;
  for (let column = 0; column < order; column++) {
    let pivot = column;
    for (let r = column + 1; r < order; r++) {
      if (Math.abs(rows[r][column]) > Math.abs(rows[pivot][column])) pivot = r;
    }
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    const head = rows[column];
    if (!(Math.abs(head[column]) > 0)) throw new RangeError("the sizes do not tell parts apart");
    for (let r = 0; r < order; r++) {
      if (r === column) continue;
      const factor = rows[r][column] / head[column];
      for (let c = column; c <= order; c++) rows[r][c] -= factor * head[c];
    }
  }
  return rows.map((row, i) => row[order] / row[i]);
}
