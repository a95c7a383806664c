// A log of JavaScriptCore in, the procedures that it compiled out: what B3 made of each, phase by phase, as the
// option `dumpB3GraphAtEachPhase` prints it. Lines that are no B3 (Air, disassembly, what a program printed)
// are passed over.

/** A procedure as it stands behind a phase. */
export interface B3Phase {
  /** The phase that has run; `initial` for what B3 was given. */
  readonly name: string;
  /** The phase that runs on it next. */
  readonly next: string;
  /** Where it begins in the log, from 1. */
  readonly line: number;
  /** Without what begins each line of the log. */
  readonly text: string;
}

/** One procedure, from what B3 was given to what it hands on. */
export interface B3Compilation {
  readonly phases: readonly B3Phase[];
}

const HEAD = /^B3 after (.+), before (.+):$/;
const PREFIX = "b3  ";
const FIRST = "initial";

/** In the order of the log; none where it has no B3. */
export function readB3Dump(log: string): readonly B3Compilation[] {
  const compilations: { phases: B3Phase[] }[] = [];
  let name: string | null = null;
  let next = "";
  let line = 0;
  let text: string[] = [];
  const finish = (): void => {
    if (name === null) return;
    if (name === FIRST || compilations.length === 0) compilations.push({ phases: [] });
    compilations[compilations.length - 1].phases.push({ name, next, line, text: text.join("\n") });
    name = null;
  };
  let at = 0;
  for (const each of log.split("\n")) {
    at++;
    if (name !== null && each.startsWith(PREFIX)) {
      text.push(each.slice(PREFIX.length));
      continue;
    }
    const head = HEAD.exec(each);
    if (head === null) continue;
    finish();
    [name, next] = head.slice(1).map((said) => said.replace(/^B3::/, ""));
    [line, text] = [at, []];
  }
  finish();
  return compilations;
}
