// Mutates texts for tests of parsers with malformed input.

import type { ChoiceSource } from "../support/source.js";

/**
 * Removes, replaces, repeats and moves up to three parts of a text.
 * @param token matches the parts; a global expression
 * @param strange texts in the place of a part
 */
export function mutatedText(
  text: string,
  token: RegExp,
  strange: readonly string[],
  source: ChoiceSource,
): string {
  let changed = text;
  for (let count = 1 + source.below(3); count > 0; count--) {
    const tokens = [...changed.matchAll(token)];
    const lines = changed.split("\n");
    const { 0: part, index } = tokens[source.below(tokens.length)];
    const replace = (by: string): string =>
      changed.slice(0, index) + by + changed.slice(index + part.length);
    switch (source.below(5)) {
      case 0:
        changed = replace(strange[source.below(strange.length)]);
        break;
      case 1:
        changed = replace(tokens[source.below(tokens.length)][0]);
        break;
      case 2:
        lines.splice(source.below(lines.length), 1 + source.below(3));
        changed = lines.join("\n");
        break;
      case 3:
        lines.splice(source.below(lines.length), 0, lines[source.below(lines.length)]);
        changed = lines.join("\n");
        break;
      default:
        changed = replace(`${part} `.repeat(1 + source.below(20)));
    }
  }
  return changed;
}
