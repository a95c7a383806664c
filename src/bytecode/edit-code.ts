// Removes or replaces words of bytecode. Jumps and calls keep their targets, or target the word
// after a removed target.

import { type Code, immediateOf, primitiveOf, wordOf } from "./code.js";
import type { Immediate } from "./primitives.js";
import { faultOf } from "./verify-code.js";

const ADDRESSES: ReadonlySet<Immediate> = new Set(["forward", "backward", "procedure"]);

/** Returns null if the result is not valid bytecode. */
export function withoutWords({ words }: Code, gone: ReadonlySet<number>): Code | null {
  const addresses: number[] = [];
  let kept = 0;
  for (let at = 0; at < words.length; at++) {
    addresses.push(kept);
    if (!gone.has(at)) kept++;
  }
  const left = words.flatMap((word, at) => {
    if (gone.has(at)) return [];
    const { name, immediate } = primitiveOf(word);
    return ADDRESSES.has(immediate) ? wordOf(name, addresses[immediateOf(word)]) : word;
  });
  return checked({ words: left });
}

/** Replacements for a word; the first that keeps the stack depths is used. */
const PLAIN = [wordOf("DROP"), wordOf("LITC", 0)] as const;

/** Returns null if the word is a replacement already, or cannot be replaced. */
export function withPlainWord({ words }: Code, at: number): Code | null {
  for (const plain of PLAIN) {
    if (words[at] === plain) return null;
    const code = checked({ words: words.with(at, plain) });
    if (code !== null) return code;
  }
  return null;
}

const checked = (code: Code): Code | null => (faultOf(code) === null ? code : null);
