// The remote subjects of a worker: what engines of others make of the programs of a campaign. They get many
// programs at once, because some start a process for each batch.

import { Judge, type SubjectResult } from "../../compare/judge-program.js";
import { commandSubject, type KnownCommand } from "../../engine/command-subject.js";
import type { EngineSubject } from "../../engine/engine-subject.js";
import { engineNamed } from "../../engine/engines.js";
import type { RemoteSubject } from "../../execute/subject.js";
import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { assert, InternalError } from "../../support/assert.js";
import { SeedSource } from "../../support/source.js";

/** A remote subject of a campaign, as it travels to workers. */
export interface RemoteShare {
  readonly name: string;
  /** It judges one program in so many, drawn by seed. */
  readonly oneIn: number;
  /** What is told of a command of the user's; missing where it is an engine. */
  readonly command?: KnownCommand;
}

/** What one remote subject made of a program: the error is one of its harness. */
export type Elsewhere = SubjectResult | InternalError;

interface Seeded {
  readonly seed: bigint;
  readonly module: Module;
  readonly inputs: readonly Input[];
}

interface Opened {
  readonly share: RemoteShare;
  readonly subject: RemoteSubject;
  /** Null until a program is asked. */
  judge: Judge | null;
}

export class RemoteJudges {
  private readonly opened: readonly Opened[];

  constructor(shares: readonly RemoteShare[]) {
    this.opened = shares.map((share) => ({ share, subject: remoteOf(share), judge: null }));
  }

  /** By program, in the order of subjects; all subjects are asked at the same time. */
  async judge(programs: readonly Seeded[]): Promise<(readonly Elsewhere[])[]> {
    const columns = await Promise.all(this.opened.map((opened) => askDrawn(opened, programs)));
    return programs.map((program) => columns.flatMap((column) => column.get(program) ?? []));
  }

  close(): void {
    for (const opened of this.opened) close(opened);
  }
}

/** @throws InternalError if there is none of that name: commands ask before */
export function remoteOf({ name, command }: RemoteShare): EngineSubject {
  if (command !== undefined) return commandSubject(command);
  const engine = engineNamed(name);
  assert(engine !== null, () => `no engine is named ${name}`);
  return engine;
}

/** By name: what each remote subject says of its version; nothing of one that says none. */
export const engineVersions = ({
  remote = [],
}: {
  readonly remote?: readonly RemoteShare[];
}): Readonly<Record<string, string>> =>
  Object.fromEntries(remote.map((share) => [share.name, remoteOf(share).version()]));

/** What `fuzz` is told of a subject beside its name. */
export const remoteWords = ({ command }: Pick<RemoteShare, "command">): string[] =>
  command === undefined
    ? []
    : [
        ...["--subject-command", command.line],
        ...["--subject-seconds", String(command.seconds)],
        ...["--subject-memory", String(command.memory)],
      ];

/** Programs that the subject does not judge are left out. */
async function askDrawn(
  opened: Opened,
  programs: readonly Seeded[],
): Promise<ReadonlyMap<Seeded, Elsewhere>> {
  const drawn = programs.filter(({ seed }) => isDrawn(opened.share, seed));
  const answers = await ask(opened, drawn);
  return new Map(drawn.map((program, p) => [program, answers[p]]));
}

/** Where the harness fails on a batch, each program alone says whether it is to blame. */
async function ask(opened: Opened, programs: readonly Seeded[]): Promise<readonly Elsewhere[]> {
  if (programs.length === 0) return [];
  opened.judge ??= new Judge({ subjects: [opened.subject], fuelMax: DEFAULT_FUEL });
  try {
    const judged = await opened.judge.judgeAll(programs);
    return judged.flatMap(({ results }) => results);
  } catch (error) {
    close(opened);
    if (!(error instanceof InternalError)) throw error;
    if (programs.length === 1) return [error];
    const alone: Elsewhere[] = [];
    for (const program of programs) alone.push(...(await ask(opened, [program])));
    return alone;
  }
}

function close(opened: Opened): void {
  opened.judge?.close();
  opened.judge = null;
}

/** The draw depends on the seed and the subject alone. */
const isDrawn = ({ name, oneIn }: RemoteShare, seed: bigint): boolean =>
  oneIn === 1 || new SeedSource(seed, `remote ${name}`).below(oneIn) === 0;
