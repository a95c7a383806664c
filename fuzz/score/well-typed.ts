// Which mutants the compiler of TypeScript takes. Each is laid over its file, and that file is checked
// again: what a mutant breaks it breaks there, since types that modules share are written out.

import { join } from "node:path";
import { API } from "typescript/unstable/sync";
import { assert } from "../../src/support/assert.js";
import { type Mutant, mutated } from "./mutants.js";

/** Something is declared and not used: no reason why code could not run. */
const UNUSED_CODES: ReadonlySet<number> = new Set([6133, 6192, 6196, 6198, 6199, 6205]);

export class TypeChecker {
  private readonly root: string;
  private readonly read: (file: string) => string;
  private readonly config: string;
  private readonly parser: API;
  /** The file that is not what it is on the disk, and its text. */
  private laid: { readonly path: string; readonly text: string } | null = null;

  /** @param root of the project; @param read a file of it */
  constructor(root: string, read: (file: string) => string) {
    this.root = root;
    this.read = read;
    this.config = join(root, "tsconfig.json");
    const readFile = (path: string): string | undefined =>
      path === this.laid?.path ? this.laid.text : undefined;
    this.parser = new API({ cwd: root, fs: { readFile } });
    this.parser.updateSnapshot({ openProjects: [this.config] });
  }

  /** @returns what the compiler says against it; null if nothing */
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
