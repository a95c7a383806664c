// Parses a log of JavaScriptCore, as the option `dumpB3GraphAtEachPhase` prints it, into the
// compiled procedures and their phases. It skips lines of other output (Air, disassembly, the
// program's own output).

/** A procedure after one phase. */
export interface B3Phase {
  /** The completed phase; `initial` for the input of B3. */
  readonly name: string;
  /** The next phase. */
  readonly next: string;
  /** The first line in the log, from 1. */
  readonly line: number;
  /** The text without the prefix of each line. */
  readonly text: string;
}

/** One procedure, from the input of B3 to its output. */
export interface B3Compilation {
  readonly phases: readonly B3Phase[];
}

const HEAD = /^B3 after (.+), before (.+):$/;
const PREFIX = "b3  ";
const FIRST = "initial";

/** Returns the procedures in the order of the log; none if the log contains no B3. */
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
