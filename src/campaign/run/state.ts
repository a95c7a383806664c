// Reads and writes `state.json`, the state from which a campaign resumes. It is written from time
// to time and at the end of the campaign, and is read as hostile. It contains the results of the
// programs before `committed`, and of no others. So a resumed campaign judges and counts the same
// as an uninterrupted one.

import { createHash } from "node:crypto";
import { basename } from "node:path";
import { z } from "zod";
import { generatorVersion } from "../../generate/version.js";
import { symptomOf } from "../../report/bucket.js";
import { parseVersioned } from "../../support/versioned-json.js";
import { EXTREMES } from "../count/extremes.js";
import { TALLY } from "../count/tally.js";
import { COMMON, type CorpusGeneration, ENTRIES_MAX } from "../evolved/corpus.js";
import { PROGRAM_NEWS, ROUNDS } from "../evolved/evolution.js";
import { FEATURE_COUNT, FEATURE_LIST, featuresVersion } from "../evolved/features.js";
import { FILING_RESULT } from "../file/filing.js";
import {
  AMOUNT,
  COUNT,
  COUNTS,
  hasShape,
  type ShapeOf,
  TEXT,
  wrongProperty,
} from "../file/shapes.js";
import { isLineage } from "../program/lineage.js";
import { EVOLVED, indexOf } from "../program/seeds.js";
import type { CampaignState } from "./campaign-state.js";
import { FOUND, parseFound, printFound } from "./found-text.js";
import { KEPT_PER_SYMPTOM } from "./jobs.js";
import { type JudgeSettings, subjectNames } from "./judge-seed.js";

const STATE_SCHEMA = "touchstone.campaign-state";
const STATE_VERSION = 5;
export const STATE_FILE = "state.json";

/**
 * Prints a state.
 * @param name the name of the campaign, which contains its programs and settings
 */
export function printState(name: string, state: CampaignState): string {
  const { kept, evolution } = state;
  const body = {
    name,
    generator: generatorVersion,
    features: featuresVersion,
    ...state,
    kept: kept.map(({ found, filed }) => ({
      found: printFound(found),
      filed,
    })),
    evolution:
      evolution === null
        ? null
        : {
            ...evolution,
            older: textOf(evolution.older),
            newer: textOf(evolution.newer),
          },
  };
  const head = { schema: STATE_SCHEMA, version: STATE_VERSION, checksum: checksumOf(body) };
  return JSON.stringify({ ...head, ...body });
}

/** Returns the checksum of all fields after it. Printing parsed JSON gives the same text again. */
const checksumOf = (body: object): string =>
  createHash("sha256").update(JSON.stringify(body)).digest("hex");

const textOf = ({ counts, entries }: CorpusGeneration): object => ({
  counts: Buffer.from(counts).toString("base64"),
  entries,
});

/**
 * Parses a state.
 * @param campaign the campaign that resumes: its name, settings, and the size of a round
 * @returns the state, or a string with the error
 */
export function parseState(text: string, campaign: ExpectedCampaign): CampaignState | string {
  const value = parseVersioned(text, STATE_SCHEMA, STATE_VERSION);
  if (typeof value === "string") return value;
  const { schema: _schema, version: _version, checksum, ...body } = value;
  if (checksum !== checksumOf(body)) {
    return "its checksum is wrong: it was damaged or edited; remove it to begin again";
  }
  if (value["name"] !== campaign.name) return "it is of another campaign";
  if (value["generator"] !== generatorVersion) return "it is of another version of the generator";
  if (!hasShape(value, STATE)) {
    return `"${wrongProperty(value, STATE)}" does not have the form of a campaign state`;
  }
  const { committed, seconds, tally, extremes, symptoms, kept, evolution } = value;
  const evolves = campaign.settings.profile === EVOLVED;
  // The numbers of features depend on the rules of the compiler.
  if (evolves && body["features"] !== featuresVersion) {
    return "its programs evolved under other rules of the compiler";
  }
  if ((evolution !== null) !== evolves)
    return "it contains rounds, or lacks them, against its profile";
  if (evolution !== null) {
    const { rounds, done, news } = evolution;
    if (rounds.length !== Math.floor(committed / campaign.roundPrograms)) {
      return "the number of its rounds does not match the number of its programs";
    }
    if (done !== committed % campaign.roundPrograms || news.some(({ at }) => at >= done)) {
      return "its last round does not match the number of its programs";
    }
  }
  const state = {
    committed,
    seconds,
    tally,
    extremes,
    symptoms,
    kept: kept.map(({ found, filed }) => ({
      found: parseFound(found),
      filed,
    })),
    evolution:
      evolution === null
        ? null
        : {
            ...evolution,
            older: generationOf(evolution.older),
            newer: generationOf(evolution.newer),
          },
  };
  return impossibleIn(state, campaign) ?? state;
}

export interface ExpectedCampaign extends CampaignBounds {
  readonly name: string;
  readonly roundPrograms: number;
}

const countsIn = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));

const generationOf = ({ counts, entries }: JsonGeneration): CorpusGeneration => ({
  counts: countsIn(counts),
  entries,
});

const GENERATION = z.object({
  counts: TEXT.refine((text) => {
    const counts = countsIn(text);
    return counts.length === FEATURE_COUNT && counts.every((count) => count <= COMMON);
  }),
  // The corpus has at most this many entries between rounds.
  entries: z
    .array(
      z.object({
        lineage: TEXT.refine(isLineage),
        size: COUNT,
        features: FEATURE_LIST,
        children: COUNT,
      }),
    )
    .max(ENTRIES_MAX),
});
type JsonGeneration = ShapeOf<typeof GENERATION>;

/** A state in the form of JSON. */
const STATE = z.object({
  committed: COUNT,
  seconds: AMOUNT,
  tally: TALLY,
  extremes: EXTREMES,
  symptoms: COUNTS,
  kept: z.array(z.object({ found: FOUND, filed: FILING_RESULT.nullable() })),
  evolution: z
    .object({
      rounds: ROUNDS,
      older: GENERATION,
      newer: GENERATION,
      done: COUNT,
      news: z.array(PROGRAM_NEWS),
    })
    .nullable(),
});

/**
 * The settings of a campaign that bound a valid state: subjects, first seed, number of programs.
 */
interface CampaignBounds {
  readonly settings: Pick<JudgeSettings, "subjects" | "remote" | "profile">;
  readonly first: bigint;
  /** Number of programs; Infinity if only another limit ends it. */
  readonly count: number;
}

/**
 * Returns in one line a fact that cannot be true of a campaign, although each part of the state has
 * the right form; null if there is none.
 */
function impossibleIn(state: CampaignState, bounds: CampaignBounds): string | null {
  const { committed, tally, symptoms, kept } = state;
  const { settings, first, count } = bounds;
  if (committed > count)
    return `it contains ${committed} programs, but the campaign has only ${count}`;
  if (tally.programs > committed) {
    return `it counts ${tally.programs} judged programs, but contains only ${committed}`;
  }
  const names = subjectNames(settings);
  const stranger = Object.keys(tally.subjects).find((name) => !names.includes(name));
  if (stranger !== undefined) return `${stranger} is not a subject of the campaign`;
  const counted: Record<string, number> = {};
  for (const { found, filed } of kept) {
    const { seed, subject, kind } = found;
    // Findings other than differences may come from later programs, so only the campaign's count
    // bounds them.
    const end = kind === "difference" ? committed : count;
    if (indexOf(first, seed) >= end) return `seed ${seed} is not among its programs`;
    if (subject !== null && !names.includes(subject)) {
      return `${subject}, the subject of the finding at seed ${seed}, is not a subject of the campaign`;
    }
    const symptom = symptomOf(found);
    counted[symptom] = (counted[symptom] ?? 0) + 1;
    if (counted[symptom] > Math.min(KEPT_PER_SYMPTOM, symptoms[symptom] ?? 0)) {
      return `${symptom} has more findings than it counts`;
    }
    if (filed?.kind === "report" && basename(filed.entry.path) !== filed.entry.id) {
      return `the report of seed ${seed} is not in a folder of its name`;
    }
  }
  return null;
}
