// Treats the passes of Binaryen as parts that can be switched off: it lists the passes of a level,
// and runs a given list of passes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RemoteSubject } from "../../execute/subject.js";
import { PLAIN_FORM, type SourceForm } from "../../export/forms.js";
import { exportWasm } from "../../export/wasm/export-wasm.js";
import { NOTHING_HIDDEN } from "../../export/wasm/hidden.js";
import type { CompilerSteps } from "../engine-subject.js";
import type { ExternalOptimizer } from "../optimizer.js";
import { runCommand } from "../run-command.js";

const LOGGED_PASS = /running pass: (\S+?)\.\.\./g;
const LIST_MS = 60_000;

/** Returns true for features and numbers; a level and passes are passed one by one. */
const isKept = (flag: string): boolean => /^--enable-|=/.test(flag);
const levelOf = (flags: readonly string[]): string =>
  flags.find((flag) => /^-O\d$/.test(flag))?.slice(2) ?? "0";

/** @param by returns the engine with other flags for wasm-opt */
export const binaryenPasses = (
  { path, flags }: ExternalOptimizer,
  by: (flags: readonly string[]) => RemoteSubject,
  form: SourceForm = PLAIN_FORM,
): CompilerSteps => ({
  async list({ module }) {
    const folder = mkdtempSync(join(tmpdir(), "touchstone-passes-"));
    try {
      const [input, output] = [join(folder, "in.wasm"), join(folder, "out.wasm")];
      writeFileSync(input, exportWasm(module, NOTHING_HIDDEN, form).bytes);
      const args = [input, ...flags, "--debug", "-o", output];
      const { errors } = await runCommand({ path, args }, [], LIST_MS);
      return [...errors.matchAll(LOGGED_PASS)].map(([, name]) => name);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  rest: "without passes",
  upTo: (count, names) => {
    const passes = names.slice(0, count).map((name) => `--${name}`);
    return by([...flags.filter(isKept), `--optimize-level=${levelOf(flags)}`, ...passes]);
  },
});
