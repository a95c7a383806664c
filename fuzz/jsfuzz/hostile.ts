// Makes deterministic hostile input: mutated programs of the repository and random bytes, by
// number. The replay test runs a part of them through the parser's target; ci/hostile.mjs runs all.

import { OPCODE_NAMES } from "../../src/ir/opcodes.js";
import { TYPE_NAMES } from "../../src/ir/types.js";
import { type ChoiceSource, SeedSource } from "../../src/support/source.js";

interface NamedText {
  readonly name: string;
  readonly text: string;
}

interface HostileInput {
  readonly what: string;
  readonly bytes: Uint8Array;
}

type TextMutator = (text: string, source: ChoiceSource) => string | Uint8Array;

// Numbers around the bounds of words and of ids.
const NUMBERS = [
  "0",
  "65536",
  "4194304",
  "2147483647",
  "2147483648",
  "9".repeat(30),
  "0x1p3",
  "1e999",
];
const PARTS = /([A-Za-z_$][\w$.]*|\d+|\s+)/;

/** Swaps two parts of a text. */
function swap(parts: string[], source: ChoiceSource): string[] {
  const i = source.below(parts.length);
  const j = source.below(parts.length);
  [parts[i], parts[j]] = [parts[j], parts[i]];
  return parts;
}

const MUTATIONS: readonly TextMutator[] = [
  function flipBytes(text, source) {
    const bytes = new TextEncoder().encode(text);
    const count = 1 + source.below(4);
    for (let i = 0; i < count; i++) bytes[source.below(bytes.length)] ^= 1 << source.below(8);
    return bytes;
  },
  (text, source) => swap(text.split(PARTS), source).join(""),
  (text, source) => swap(text.split("\n"), source).join("\n"),
  function deleteLine(text, source) {
    const lines = text.split("\n");
    return lines.toSpliced(source.below(lines.length), 1).join("\n");
  },
  function duplicateLine(text, source) {
    const lines = text.split("\n");
    const line = lines[source.below(lines.length)];
    return lines.toSpliced(source.below(lines.length), 0, line).join("\n");
  },
  function changeNumber(text, source) {
    const parts = text.split(/(\d+)/); // numbers have odd indices
    const at = 2 * source.below(parts.length >> 1) + 1;
    return parts.with(at, NUMBERS[source.below(NUMBERS.length)]).join("");
  },
  (text, source) => text.slice(0, source.below(text.length)),
  function changeOpcode(text, source) {
    const parts = text.split(/(?<== )(\w+)(?=\()/); // opcodes have odd indices
    if (parts.length === 1) return text;
    const at = 2 * source.below(parts.length >> 1) + 1;
    return parts.with(at, OPCODE_NAMES[source.below(OPCODE_NAMES.length)]).join("");
  },
];

const encode = (made: string | Uint8Array): Uint8Array =>
  typeof made === "string" ? new TextEncoder().encode(made) : made;

/** Returns one of the programs with one mutation. */
export function mutatedInput(seed: number, programs: readonly NamedText[]): HostileInput {
  const source = new SeedSource(BigInt(seed), "replay");
  const { name, text } = programs[source.below(programs.length)];
  const mutated = MUTATIONS[seed % MUTATIONS.length](text, source);
  return { what: `${name} mutated by seed ${seed}`, bytes: encode(mutated) };
}

const LENGTH_MAX = 400;
const WORDS = [
  ...["heap", "exit", "resumes", "proc", "slot", "anonymous", "locked", "snapshot", "block"],
  ...["frames", "dead", "deadHeap", "deadBytes", "class", "contents", "fields", "frequency"],
  ...["offset", "default", "inf", "nan:0x7fc00000", "@", "#", "^", "s", "stack", "f", "->", "="],
  ...["(", ")", "{", "}", "[", "]", "|", ",", ":", ";", "\n", '"'],
  ...["0", "1", "7", "-1", "-0.0", "0.5", "0xff", "99999999999999999999"],
  ...TYPE_NAMES,
  ...OPCODE_NAMES,
];

const many = <T>(source: ChoiceSource, make: () => T): T[] =>
  Array.from({ length: source.below(LENGTH_MAX) }, make);

// Makes one kind of input: random bytes, random bytes after a valid first line, ASCII characters,
// or words of the language in random order.
type InputMaker = (source: ChoiceSource) => Uint8Array | string;
const anyBytes: InputMaker = (source) => Uint8Array.from(many(source, () => source.below(256)));
const MAKERS: readonly InputMaker[] = [
  anyBytes,
  (source) =>
    Uint8Array.from([...encode("touchstone 1\n"), ...many(source, () => source.below(256))]),
  (source) =>
    `touchstone 1\n${many(source, () => String.fromCharCode(source.below(96) + 32)).join("")}`,
  function wordsInAnyOrder(source) {
    const word = (): string => WORDS[source.below(WORDS.length)];
    return `touchstone 1\nproc f() -> Int32\n#0:\n${many(source, word).join(" ")}`;
  },
];

/** Returns bytes that are not a program. */
export function randomInput(seed: number): HostileInput {
  const source = new SeedSource(BigInt(seed), "hostile");
  const made = MAKERS[seed % MAKERS.length](source);
  return { what: `random bytes of seed ${seed}`, bytes: encode(made) };
}
