// Declares a finding: the difference, where it was found, and how to reproduce it. `finding.json`
// contains this object.

import { createHash } from "node:crypto";
import { join, relative, sep } from "node:path";
import { generatorVersion } from "../generate/version.js";
import type { LanguageSubset } from "../ir/subset.js";
import type { Cause } from "../localize/cause.js";
import type { WrongInstruction } from "../localize/first-wrong-instruction.js";
import { projectRoot } from "../support/project-root.js";
import { quoted } from "../support/shell-word.js";
import { bucketIdOf, bucketOf } from "./bucket.js";
import { type ToolVersions, versions } from "./versions.js";

export const FINDING_SCHEMA = "touchstone.finding";
export const FINDING_VERSION = 2;

export const FINDING_KINDS = [
  "difference",
  /** An assertion of Touchstone failed. */
  "internal-error",
  "worker-died",
  "worker-hung",
  /** The verifier rejects a generated program. */
  "invalid-program",
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** Results of repeated runs: a difference that only some runs show is still a finding. */
export interface ConfirmationRuns {
  readonly runs: number;
  readonly differed: number;
}

export interface Finding {
  readonly schema: typeof FINDING_SCHEMA;
  readonly version: typeof FINDING_VERSION;
  /** The identifier of the finding, derived from a hash; also the name of the report's folder. */
  readonly id: string;
  /** The name of the bucket: the same for all findings of one cause (bucket.ts). */
  readonly bucket: string;
  readonly bucketId: string;
  readonly kind: FindingKind;
  /** The seed of the program, 64 bits in decimal; null for a program from a file. */
  readonly seed: string | null;
  /** The profile by which the seed is read: `usual`, or another profile of `fuzz run`. */
  readonly profile: string;
  /**
   * The programs that the seed mutates, as `--parents` takes them; empty except in the profile
   * `evolved`.
   */
  readonly parents: string;
  readonly generatorVersion: string;
  /** The simplest subject that shows it; null if no subject is at fault. */
  readonly subject: string | null;
  /** The subject that showed it first. */
  readonly foundBy: string | null;
  /** The compared aspect that differs; null unless the kind is `difference`. */
  readonly aspect: string | null;
  /** The difference in one line; the evidence for errors. */
  readonly detail: string;
  /** The faulty part, as far as it was located. */
  readonly cause: Cause | null;
  /** The first wrong machine code; null if the code is right, or it was not found. */
  readonly instruction: WrongInstruction | null;
  /**
   * Runs of the original program in fresh processes, and how many differed; null if there were
   * none.
   */
  readonly confirmed: ConfirmationRuns | null;
  /**
   * Runs of the reduced program by `command`, and how many differed; null also if nothing was
   * reduced.
   */
  readonly confirmedReduced: ConfirmationRuns | null;
  /**
   * Size of the reduced program, without parameters, constants and control; null without a program.
   */
  readonly values: number | null;
  /** The execution that shows it, as in run lines; null if none does. */
  readonly input: { readonly index: number; readonly text: string } | null;
  /** Name of the planted bug; null without one. */
  readonly canary: string | null;
  readonly versions: ToolVersions;
  /** The version that a foreign engine reports; absent for our own subjects. */
  readonly engine?: string;
  /**
   * The part of the language in which the seed was read, if a command supports only a part; else
   * absent.
   */
  readonly supports?: LanguageSubset;
  /** The argument vector that reproduces it, in the report's folder, anywhere in a checkout. */
  readonly command: readonly string[];
}

/** The facts from which a finding is made. */
export interface FindingFacts {
  readonly kind: FindingKind;
  readonly seed: bigint | null;
  readonly profile: string;
  readonly parents: string;
  readonly subject: string | null;
  readonly foundBy: string | null;
  /**
   * Words of a command: the settings with which the subject compiles the reduced program
   * (settings-words.ts).
   */
  readonly settings: readonly string[];
  readonly aspect: string | null;
  readonly detail: string;
  readonly input: { readonly index: number; readonly text: string } | null;
  readonly canary: string | null;
  readonly cause: Cause | null;
  readonly instruction: WrongInstruction | null;
  readonly confirmed: ConfirmationRuns | null;
  readonly confirmedReduced: ConfirmationRuns | null;
  readonly values: number | null;
  /** The version of a foreign engine. */
  readonly engine?: string;
  readonly supports?: LanguageSubset;
  /**
   * Opcodes that distinguish the finding from others of its cause; if present, the finding has its
   * own bucket (bucket.ts).
   */
  readonly outline?: string | null;
  /** The program; null if it is invalid, or unknown because a worker died first. */
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
  // The subject is part of the identity, because reductions of one program by several subjects
  // differ.
  const hash = createHash("sha256").update(JSON.stringify([bucket, canary, program, foundBy]));
  return `${kind}-${hash.digest("hex").slice(0, 12)}`;
}

// Returns the command that reproduces a finding. Without a text, it names the seed.
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

/** Returns the options of `fuzz` for a profile: none for the usual one. */
export const profileWords = (profile: string, parents = ""): string[] => [
  ...(profile === "usual" ? [] : ["--profile", profile]),
  ...(parents === "" ? [] : ["--parents", parents]),
];

/** Returns the option of `fuzz` for the part of the language in which a seed is read. */
export const subsetWords = (subset: LanguageSubset | undefined): string[] =>
  subset === undefined ? [] : ["--subject-supports", JSON.stringify(subset)];

/** Returns the file name of a program from outside, in reports and campaigns. */
const outsideFile = (name: string): string => `outside-${name}.ir`;

/**
 * Returns the option of `fuzz` for the programs from outside that parents name.
 * @param folder the folder with their files; by default the current one
 */
export function outsideWords(parents: string, folder = "."): string[] {
  const names = parents.split(",").filter((step) => step.startsWith("o"));
  const files = [...new Set(names)].map((step) => join(folder, outsideFile(step.slice(1))));
  return files.length === 0 ? [] : ["--outside", files.join(",")];
}

/** Describes the origin of a program in words; its parts are untrusted text. */
export function originOf({ seed, profile, parents, generatorVersion }: Finding): string {
  if (seed === null) return "from a file";
  const named = [`seed ${seed}`, ...profileWords(profile, parents)].join(" ");
  return `${named} of generator ${generatorVersion}`;
}

/** The name of a regression's file in the corpus, and its first line. */
export interface CorpusEntry {
  readonly name: string;
  readonly says: string;
}

/**
 * Proposes an entry of the corpus, named after the bucket, and so after the cause if it is located.
 */
export function corpusEntryOf({ bucket, detail }: Pick<Finding, "bucket" | "detail">): CorpusEntry {
  const words = bucket.toLowerCase().match(/[a-z\d]+/g) ?? ["finding"];
  const says = `${bucket}: ${detail}`.replace(/[\s\p{C}]+/gu, " ").trim();
  return { name: words.slice(0, NAME_WORDS_MAX).join("-"), says };
}
const NAME_WORDS_MAX = 12;

/** The label of a program that differs in every run. */
export const CONFIRMED = "confirmed";

/** Returns the results of fresh processes for the original and the reduced program. */
export const confirmedFacts = ({
  confirmed,
  confirmedReduced,
}: Pick<Finding, "confirmed" | "confirmedReduced">): {
  readonly label: string;
  readonly text: string;
}[] => [...confirmedFact("as found", confirmed), ...confirmedFact("reduced", confirmedReduced)];

function confirmedFact(which: string, confirmed: ConfirmationRuns | null) {
  if (confirmed === null) return [];
  const { runs, differed } = confirmed;
  const label = differed === runs ? CONFIRMED : differed === 0 ? "not confirmed" : "flaky";
  return [{ label, text: `${which}, in ${differed} of ${runs} fresh processes` }];
}

/** Describes in how many fresh processes the difference was missing; null if it showed in all, or none ran. */
export function doubtOf(finding: Pick<Finding, "confirmed" | "confirmedReduced">): string | null {
  const doubts = confirmedFacts(finding).filter(({ label }) => label !== CONFIRMED);
  return doubts.length === 0
    ? null
    : doubts.map(({ label, text }) => `${label}: ${text}`).join("; ");
}

/** The file of the reduced program, in the report's folder. */
export const PROGRAM_FILE = "program.ir";

/** Returns the same command, for the project's root. */
export const commandFromRoot = ({ command }: Finding, folder: string): string[] =>
  command.map((word) => (word === PROGRAM_FILE ? join(pathFromRoot(folder), PROGRAM_FILE) : word));

function pathFromRoot(folder: string): string {
  const path = relative(projectRoot(), folder);
  return path === "" || path === ".." || path.startsWith(`..${sep}`) ? folder : path;
}

/**
 * Returns the place where a finding's command works. A user's command is a shell line with paths
 * relative to where the campaign ran.
 * @param folder "this" or "its"
 */
export const placeOf = (command: readonly string[], folder: "this" | "its"): string =>
  command.includes("--subject-command")
    ? `where the campaign ran, with the path of ${folder} ${PROGRAM_FILE}`
    : `in ${folder} folder`;

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Returns the command as a line for a shell. */
export const commandLine = (command: readonly string[]): string =>
  command.map((word) => (PLAIN_WORD.test(word) ? word : quoted(word))).join(" ");
