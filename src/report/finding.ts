// A finding: what differed, where it was seen, and how to see it again. `finding.json` is this
// object.

import { createHash } from "node:crypto";
import { join, relative, sep } from "node:path";
import { generatorVersion } from "../generate/version.js";
import type { Subset } from "../ir/subset.js";
import type { Cause } from "../localize/cause.js";
import type { WrongInstruction } from "../localize/first-wrong-instruction.js";
import { projectRoot } from "../support/project-root.js";
import { quoted } from "../support/shell-word.js";
import { bucketIdOf, bucketOf } from "./bucket.js";
import { type Versions, versions } from "./versions.js";

export const FINDING_SCHEMA = "touchstone.finding";
export const FINDING_VERSION = 2;

export const FINDING_KINDS = [
  "difference",
  /** An assertion of ours failed. */
  "internal-error",
  "worker-died",
  "worker-hung",
  /** The generator made what the verifier refuses. */
  "invalid-program",
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** A difference that does not show in every run is still a finding. */
export interface Confirmed {
  readonly runs: number;
  readonly differed: number;
}

export interface Finding {
  readonly schema: typeof FINDING_SCHEMA;
  readonly version: typeof FINDING_VERSION;
  /** From a hash; also the name of the report's folder. */
  readonly id: string;
  /** The same for findings of one cause; see bucket.ts. */
  readonly bucket: string;
  readonly bucketId: string;
  readonly kind: FindingKind;
  /** 64 bits, decimal; null for a program that came from a file. */
  readonly seed: string | null;
  /** What the seed means: `usual`, or another profile of `fuzz run`. */
  readonly profile: string;
  /** What the seed mutates, as `--parents` has it; empty, but in the profile `evolved`. */
  readonly parents: string;
  readonly generatorVersion: string;
  /** The simplest that shows it; null where no subject is at fault. */
  readonly subject: string | null;
  /** The one that showed it first. */
  readonly foundBy: string | null;
  /** Null unless the kind is `difference`. */
  readonly aspect: string | null;
  /** What differs, in one line; for errors the evidence. */
  readonly detail: string;
  /** The guilty part, as far as it was located. */
  readonly cause: Cause | null;
  /** What is written wrong in machine code; null where that is not to blame, or was not found. */
  readonly instruction: WrongInstruction | null;
  /** Of so many runs of the program as it was found, in fresh processes, how many differed; null if none was made. */
  readonly confirmed: Confirmed | null;
  /** Likewise of the reduced program, by `command`; null also if nothing was reduced. */
  readonly confirmedReduced: Confirmed | null;
  /** Of the reduced program, without parameters, constants and control; null if there is none. */
  readonly values: number | null;
  /** The execution that shows it, as run lines have it; null where none does. */
  readonly input: { readonly index: number; readonly text: string } | null;
  /** Name of the planted bug, if there was one. */
  readonly canary: string | null;
  readonly versions: Versions;
  /** What the subject says of its version, where it is an engine of others; missing where it is ours. */
  readonly engine?: string;
  /** The part of the language in which the seed was read, where a command supports no more; else missing. */
  readonly supports?: Subset;
  /** The argument vector that shows it again, in the report's folder, anywhere in a checkout. */
  readonly command: readonly string[];
}

/** What a finding is made from. */
export interface FindingFacts {
  readonly kind: FindingKind;
  readonly seed: bigint | null;
  readonly profile: string;
  readonly parents: string;
  readonly subject: string | null;
  readonly foundBy: string | null;
  /** Words of a command: how the subject compiles the reduced program (settings-words.ts). */
  readonly settings: readonly string[];
  readonly aspect: string | null;
  readonly detail: string;
  readonly input: { readonly index: number; readonly text: string } | null;
  readonly canary: string | null;
  readonly cause: Cause | null;
  readonly instruction: WrongInstruction | null;
  readonly confirmed: Confirmed | null;
  readonly confirmedReduced: Confirmed | null;
  readonly values: number | null;
  /** Of an engine of others, its version. */
  readonly engine?: string;
  readonly supports?: Subset;
  /** By which it has a bucket of its own beside that of its cause (bucket.ts). */
  readonly outline?: string | null;
  /** The program; null if it is no program, or was never seen because a worker died first. */
  readonly text: string | null;
}

export function makeFinding(facts: FindingFacts): Finding {
  const { kind, subject, aspect, canary, detail, input } = facts;
  const { cause, instruction, confirmed, confirmedReduced, values } = facts;
  const bucket = bucketOf(facts);
  const id = idOf(facts, bucket);
  return {
    schema: FINDING_SCHEMA,
    version: FINDING_VERSION,
    id,
    bucket,
    bucketId: bucketIdOf(bucket),
    kind,
    seed: facts.seed?.toString() ?? null,
    profile: facts.profile,
    parents: facts.parents,
    generatorVersion,
    subject,
    foundBy: facts.foundBy,
    aspect,
    detail,
    cause,
    instruction,
    confirmed,
    confirmedReduced,
    values,
    input,
    canary,
    versions: versions(),
    ...(facts.engine === undefined ? {} : { engine: facts.engine }),
    ...(facts.supports === undefined ? {} : { supports: facts.supports }),
    command: commandOf(facts),
  };
}

function idOf(
  { kind, seed, profile, parents, canary, text, foundBy }: FindingFacts,
  bucket: string,
): string {
  const program =
    seed === null ? text : [seed, ...profileWords(profile, parents), generatorVersion].join(" ");
  // One program may show one cause in several subjects: each is reduced to a program of its own.
  const hash = createHash("sha256").update(JSON.stringify([bucket, canary, program, foundBy]));
  return `${kind}-${hash.digest("hex").slice(0, 12)}`;
}

// Without a text only the seed is known.
function commandOf({
  seed,
  profile,
  parents,
  subject,
  canary,
  text,
  settings,
  supports,
}: FindingFacts): string[] {
  const fuzz = ["npx", "--no-install", "fuzz"];
  const what =
    text !== null
      ? ["exec", PROGRAM_FILE]
      : [
          ...["--seed", String(seed ?? 0), ...profileWords(profile, parents)],
          ...[...outsideWords(parents), ...subsetWords(supports)],
        ];
  const subjects = subject === null ? [] : ["--subjects", subject];
  return [
    ...fuzz,
    ...what,
    ...subjects,
    ...settings,
    ...(canary === null ? [] : ["--canary", canary]),
  ];
}

/** The options of `fuzz` for a profile: none for the usual one. */
export const profileWords = (profile: string, parents = ""): string[] => [
  ...(profile === "usual" ? [] : ["--profile", profile]),
  ...(parents === "" ? [] : ["--parents", parents]),
];

/** The option of `fuzz` for the part of the language in which a seed is read. */
export const subsetWords = (subset: Subset | undefined): string[] =>
  subset === undefined ? [] : ["--subject-supports", JSON.stringify(subset)];

/** The file of a program from outside, in reports and campaigns that name it. */
const outsideFile = (name: string): string => `outside-${name}.ir`;

/**
 * The option of `fuzz` for the programs from outside that parents name.
 * @param folder that has their files; this one, if it is not given
 */
export function outsideWords(parents: string, folder = "."): string[] {
  const names = parents.split(",").filter((step) => step.startsWith("o"));
  const files = [...new Set(names)].map((step) => join(folder, outsideFile(step.slice(1))));
  return files.length === 0 ? [] : ["--outside", files.join(",")];
}

/** Which program it was, in words; its parts are untrusted text. */
export function originOf({ seed, profile, parents, generatorVersion }: Finding): string {
  if (seed === null) return "from a file";
  const named = [`seed ${seed}`, ...profileWords(profile, parents)].join(" ");
  return `${named} of generator ${generatorVersion}`;
}

/** How the corpus calls a regression: the name of its file, and its first line. */
export interface CorpusEntry {
  readonly name: string;
  readonly says: string;
}

/** Proposes an entry of the corpus, named after the bucket: after the cause, where it is located. */
export function corpusEntryOf({ bucket, detail }: Pick<Finding, "bucket" | "detail">): CorpusEntry {
  const words = bucket.toLowerCase().match(/[a-z\d]+/g) ?? ["finding"];
  const says = `${bucket}: ${detail}`.replace(/[\s\p{C}]+/gu, " ").trim();
  return { name: words.slice(0, NAME_WORDS_MAX).join("-"), says };
}
const NAME_WORDS_MAX = 12;

/** The label of what differs each time. */
export const CONFIRMED = "confirmed";

/** What fresh processes made of the program as it was found, and of the reduced one: how far each can be relied on. */
export const confirmedFacts = ({
  confirmed,
  confirmedReduced,
}: Pick<Finding, "confirmed" | "confirmedReduced">): {
  readonly label: string;
  readonly text: string;
}[] => [...confirmedFact("as found", confirmed), ...confirmedFact("reduced", confirmedReduced)];

function confirmedFact(which: string, confirmed: Confirmed | null) {
  if (confirmed === null) return [];
  const { runs, differed } = confirmed;
  const label = differed === runs ? CONFIRMED : differed === 0 ? "not confirmed" : "flaky";
  return [{ label, text: `${which}, in ${differed} of ${runs} fresh processes` }];
}

/** Returns in which of the fresh processes the difference was missing; null if it came in each, or none ran. */
export function doubtOf(finding: Pick<Finding, "confirmed" | "confirmedReduced">): string | null {
  const doubts = confirmedFacts(finding).filter(({ label }) => label !== CONFIRMED);
  return doubts.length === 0
    ? null
    : doubts.map(({ label, text }) => `${label}: ${text}`).join("; ");
}

/** The reduced program, in the report's folder. */
export const PROGRAM_FILE = "program.ir";

/** The same command, from the project's root. */
export const commandFromRoot = ({ command }: Finding, folder: string): string[] =>
  command.map((word) => (word === PROGRAM_FILE ? join(pathFromRoot(folder), PROGRAM_FILE) : word));

function pathFromRoot(folder: string): string {
  const path = relative(projectRoot(), folder);
  return path === "" || path === ".." || path.startsWith(`..${sep}`) ? folder : path;
}

/**
 * Where the command of a finding is given. One of the user's is the line of a shell, with paths from where the campaign ran.
 * @param folder "this" or "its"
 */
export const placeOf = (command: readonly string[], folder: "this" | "its"): string =>
  command.includes("--subject-command")
    ? `where the campaign ran, with the path of ${folder} ${PROGRAM_FILE}`
    : `in ${folder} folder`;

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** The command as a line for a shell. */
export const commandLine = (command: readonly string[]): string =>
  command.map((word) => (PLAIN_WORD.test(word) ? word : quoted(word))).join(" ");
