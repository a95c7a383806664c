// Reads the campaigns that workers may help, and their tasks. The rows are read as hostile: a
// worker runs the subjects that a campaign names, but never a command from a database.

import { z } from "zod";
import { canaryNamed } from "../campaign/canary/canaries.js";
import { COUNT, hasShape, TEXT, TEXTS } from "../campaign/file/shapes.js";
import { outsideFault } from "../campaign/program/outside.js";
import { isProfile } from "../campaign/program/seeds.js";
import type { JudgeSettings } from "../campaign/run/judge-seed.js";
import { engineNamed } from "../engine/engines.js";
import { subjectNamed } from "../execute/subjects.js";
import type { StoreDatabase } from "../store/tables.js";
import { isRecord } from "../support/versioned-json.js";

/** The columns that each poll reads: few, because settings contain the programs from outside. */
export interface OpenCampaign {
  readonly id: number;
  readonly name: string;
  readonly build: string;
  readonly commit: string | null;
}

/**
 * The programs and settings of a campaign, as read from the database. They do not change while the
 * campaign exists.
 */
interface StoredTask {
  /** The first seed of the campaign, in decimal. */
  readonly first: string;
  readonly settings: unknown;
  /** Versions of engines, by name. */
  readonly engines: unknown;
}

export async function setOpen(db: StoreDatabase, campaign: number, isOpen: boolean): Promise<void> {
  await db.updateTable("campaigns").set({ is_open: isOpen }).where("id", "=", campaign).execute();
}

/** Returns the open campaigns, the oldest first. */
export const openCampaigns = (db: StoreDatabase): Promise<OpenCampaign[]> =>
  db
    .selectFrom("campaigns")
    .select(["id", "name", "build", "commit"])
    .where("is_open", "=", true)
    .orderBy("id")
    .execute();

export const taskOf = (db: StoreDatabase, campaign: number): Promise<StoredTask> =>
  db
    .selectFrom("campaigns")
    .select(["first", "settings", "engines"])
    .where("id", "=", campaign)
    .executeTakeFirstOrThrow();

export async function isOpen(db: StoreDatabase, campaign: number): Promise<boolean> {
  const row = await db
    .selectFrom("campaigns")
    .select("is_open")
    .where("id", "=", campaign)
    .executeTakeFirst();
  return row?.is_open ?? false;
}

/**
 * Checks that this machine can judge a task.
 * @returns the settings, or a string with the reason why not
 */
export function settingsOf({ settings, engines }: StoredTask): JudgeSettings | string {
  if (!isSettings(settings)) return "its settings do not have the form that this build reads";
  const { subjects, remote = [], profile, canary, outside } = settings;
  if (!isProfile(profile)) return `no profile is named ${profile}`;
  if (canary !== null && canaryNamed(canary) === null) return `no bug is named ${canary}`;
  const fault = outsideFault(outside);
  if (fault !== null) return fault;
  for (const name of subjects) {
    const subject = subjectNamed(name);
    const reason = subject === null ? "no such subject" : subject.missing();
    if (reason !== null) return `${name} cannot run: ${reason}`;
  }
  for (const { name, command } of remote) {
    const engine = command === undefined ? engineNamed(name) : null;
    const reason = engine === null ? "a command of another machine is not run" : engine.missing();
    if (reason !== null) return `${name} cannot run: ${reason}`;
    const theirs = isRecord(engines) ? engines[name] : undefined;
    const ours = engine?.version();
    if (ours !== theirs) {
      return `${name} is ${ours} here, and ${theirs} where the campaign began: results of two versions do not mix`;
    }
  }
  return settings;
}

const SETTINGS = z.object({
  subjects: TEXTS,
  canary: TEXT.nullable(),
  drawn: COUNT.nullable(),
  profile: TEXT,
  isQuick: z.boolean().exactOptional(),
  outside: TEXTS.exactOptional(),
  remote: z.array(z.object({ name: TEXT, oneIn: COUNT })).exactOptional(),
});
const isSettings = (value: unknown): value is JudgeSettings => hasShape(value, SETTINGS);
