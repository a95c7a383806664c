// Checks which mutants compile. Each mutant replaces its file, and only that file is checked again.
// That suffices, because types that modules share are declared explicitly.

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
  /** The file whose text differs from the disk, and its text. */
  private laid: { readonly path: string; readonly text: string } | null = null;

  /**
   * @param root the root of the project
   * @param read returns the text of a file
   */
  constructor(root: string, read: (file: string) => string) {
    this.root = root;
    this.read = read;
    this.config = join(root, "tsconfig.json");
    const readFile = (path: string): string | undefined =>
      path === this.laid?.path ? this.laid.text : undefined;
    this.parser = new API({ cwd: root, fs: { readFile } });
    this.parser.updateSnapshot({ openProjects: [this.config] });
  }

  /** @returns the compiler's error; null if there is none */
  faultOf(mutant: Mutant): string | null {
    const path = join(this.root, mutant.file);
    const before = this.laid === null ? [] : [this.laid.path];
    this.laid = { path, text: mutated(this.read(mutant.file), mutant) };
    const snapshot = this.parser.updateSnapshot({ fileChanges: { changed: [...before, path] } });
    const program = snapshot.getProject(this.config)?.program;
    assert(program !== undefined, () => `the compiler does not open ${this.config}`);
    const [fault] = [
      ...program.getSyntacticDiagnostics(path),
      ...program.getSemanticDiagnostics(path),
    ].filter(({ code }) => !UNUSED_CODES.has(code));
    return fault?.text ?? null;
  }

  close(): void {
    this.parser.close();
  }
}
