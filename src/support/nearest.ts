// Suggests the name that is most similar to an unknown word.

/** Returns the greatest number of edits of a suggestion: one in three letters, at least one. */
const editsMax = (word: string): number => Math.max(1, Math.floor(word.length / 3));

/** Returns the most similar name, the first of several; null if none is similar enough. */
export function nearestName(word: string, names: Iterable<string>): string | null {
  let best: string | null = null;
  let least = editsMax(word) + 1;
  for (const name of names) {
    const edits = editsBetween(word, name);
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}

/** Returns the suggestion that follows an error about an unknown word. */
export function didYouMean(word: string, names: Iterable<string>, prefix = ""): string {
  const name = nearestName(word, names);
  return name === null ? "" : `; did you mean ${prefix}${name}?`;
}

/** Returns the number of letters that are inserted, dropped, replaced, or exchanged with the next one. */
function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, t) => t);
  for (let f = 1; f <= from.length; f++) {
    const row = [f];
    for (let t = 1; t <= to.length; t++) {
      const isSame = from[f - 1] === to[t - 1];
      row[t] = Math.min(last[t] + 1, row[t - 1] + 1, last[t - 1] + (isSame ? 0 : 1));
      const isExchanged = f > 1 && t > 1 && from[f - 1] === to[t - 2] && from[f - 2] === to[t - 1];
      if (isExchanged) row[t] = Math.min(row[t], beforeLast[t - 2] + 1);
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length];
}
