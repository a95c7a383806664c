// Checks which changes of the sources compile. Only the changed files are checked again. That
// suffices for mutants and planted bugs, because types that modules share are declared explicitly.

import { join } from "node:path";
import { API } from "typescript/unstable/sync";
import { assert } from "../../../src/support/assert.js";
import { type Mutant, mutated } from "./mutants.js";

/** Codes for unused declarations, which do not prevent code from running. */
const UNUSED_CODES: ReadonlySet<number> = new Set([6133, 6192, 6196, 6198, 6199, 6205]);

export class TypeChecker {
  private readonly root: string;
  private readonly read: (file: string) => string;
  private readonly config: string;
  private readonly parser: API;
  /** The texts that differ from the disk, by path. */
  private overlay: ReadonlyMap<string, string> = new Map();

  /**
   * @param root the root of the project
   * @param read returns the text of a file
   */
  constructor(root: string, read: (file: string) => string) {
    this.root = root;
    this.read = read;
    this.config = join(root, "tsconfig.json");
    const readFile = (path: string): string | undefined => this.overlay.get(path);
    this.parser = new API({ cwd: root, fs: { readFile } });
    this.parser.updateSnapshot({ openProjects: [this.config] });
  }

  /** @returns the compiler's error; null if there is none */
  faultOf(mutant: Mutant): string | null {
    const { file } = mutant;
    return this.faultIn(new Map([[file, mutated(this.read(file), mutant)]]));
  }

  /**
   * @param texts by path of the changed files, relative to the root
   * @returns the compiler's error in these files; null if there is none
   */
  faultIn(texts: ReadonlyMap<string, string>): string | null {
    const before = [...this.overlay.keys()];
    this.overlay = new Map([...texts].map(([file, text]) => [join(this.root, file), text]));
    const paths = [...this.overlay.keys()];
    const changed = [...new Set([...before, ...paths])];
    const snapshot = this.parser.updateSnapshot({ fileChanges: { changed } });
    const program = snapshot.getProject(this.config)?.program;
    assert(program !== undefined, () => `the compiler does not open ${this.config}`);
    const [fault] = paths
      .flatMap((path) => [
        ...program.getSyntacticDiagnostics(path),
        ...program.getSemanticDiagnostics(path),
      ])
      .filter(({ code }) => !UNUSED_CODES.has(code));
    return fault?.text ?? null;
  }

  close(): void {
    this.parser.close();
  }
}
