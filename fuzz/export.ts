// Implements `fuzz export FILE.ir --to wasm|c|llvm|lua|js|jar|lir`: writes a self-contained program in another
// format.
//
// With --form the program has another form. With --facts it states facts that hold in the executions of the file's run lines. The output is
// then valid only for these executions.

import { statedFor } from "../src/engine/facts/see-facts.js";
import { exportC } from "../src/export/c/export-c.js";
import { FACT_KINDS, type FactKind, type StatedFacts } from "../src/export/facts.js";
import {
  type FormName,
  formsOf,
  isFormName,
  type SourceForm,
  type SourceFormat,
} from "../src/export/forms.js";
import { exportJs } from "../src/export/js/export-js.js";
import { exportJar } from "../src/export/jvm/export-jar.js";
import { exportLir } from "../src/export/lir/export-lir.js";
import { exportLlvm } from "../src/export/llvm/export-llvm.js";
import { exportLua } from "../src/export/lua/export-lua.js";
import { ExportRefusal } from "../src/export/refusal.js";
import { exportWasm } from "../src/export/wasm/export-wasm.js";
import { NOTHING_HIDDEN } from "../src/export/wasm/hidden.js";
import { type Input, isJudged } from "../src/ir/outcome.js";
import type { Module } from "../src/ir/procedure.js";
import { decodeModule } from "../src/oracle/fast/decode.js";
import { Oracle } from "../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { didYouMean } from "../src/support/nearest.js";
import { printAnswer } from "./answers/print-answer.js";
import { parseForm, parseNames } from "./support/arguments.js";
import { printLine, STATUS, usageError } from "./support/output.js";
import { readProgram } from "./support/program-file.js";
import { writeOut } from "./support/write-out.js";

interface ExportArgs {
  readonly file: string;
  readonly to: string;
  readonly out: string | undefined;
  readonly facts?: string | undefined;
  readonly form?: string | undefined;
  readonly json: boolean;
}

/** By format: the exporter. */
const FORMATS = new Map<string, (module: Module, inputs: readonly Input[]) => Uint8Array | string>([
  ["wasm", (module) => exportWasm(module).bytes],
  ["c", (module) => exportC([module])],
  ["lua", (module) => exportLua([module])],
  ["llvm", (module) => exportLlvm([module])],
  ["js", (module, inputs) => exportJs([{ module, inputs }])],
  ["jar", (module) => refusing("jar", "a class file", () => exportJar([module]))],
  ["lir", lirText],
]);
interface FormExporter {
  readonly format: SourceFormat;
  readonly hasFacts: boolean;
  readonly text: (
    module: Module,
    stated: readonly StatedFacts[],
    form: SourceForm,
    inputs: readonly Input[],
  ) => Uint8Array | string;
}
const WITH_FORMS: readonly FormExporter[] = [
  { format: "c", hasFacts: true, text: (module, stated, form) => exportC([module], stated, form) },
  {
    format: "llvm",
    hasFacts: true,
    text: (module, stated, form) => exportLlvm([module], stated, form),
  },
  {
    format: "wasm",
    hasFacts: false,
    text: (module, _, form) => exportWasm(module, NOTHING_HIDDEN, form).bytes,
  },
  { format: "lua", hasFacts: false, text: (module, _, form) => exportLua([module], form) },
  {
    format: "js",
    hasFacts: false,
    text: (module, _, form, inputs) => exportJs([{ module, inputs }], { form }),
  },
];

export async function run({ file, to, out, facts, form, json }: ExportArgs): Promise<number> {
  const format = FORMATS.get(to);
  if (format === undefined) {
    throw usageError(`--to ${to}: expected one of ${[...FORMATS.keys()].join(", ")}`);
  }
  const { module, lines } = readProgram(file, undefined);
  const inputs = lines.map(({ input }) => input);
  const isPlain = facts === undefined && form === undefined;
  const content = isPlain
    ? format(module, inputs)
    : formed({ to, facts, form, file }, module, inputs);
  const bytes = Buffer.from(content);
  if (out !== undefined) writeOut(out, bytes);
  if (json) {
    const isText = typeof content === "string";
    const text = out === undefined && isText ? content : null;
    const base64 = out === undefined && !isText ? bytes.toString("base64") : null;
    const about = { format: to, bytes: bytes.length, out: out ?? null };
    printAnswer("touchstone.export", { ...about, text, base64 });
  } else if (out === undefined) process.stdout.write(bytes);
  else printLine(`${out}: ${bytes.length} bytes`);
  return STATUS.nothingFound;
}

/** @throws UserError if there is no run line, or Nanojit cannot say the program */
function lirText(module: Module, inputs: readonly Input[]): string {
  const [input] = inputs;
  if (input === undefined)
    throw usageError("--to lir: expected a run line: its first input becomes a part of the text");
  return refusing("lir", "Nanojit", () => exportLir(module, input).text);
}

/** @throws UserError if the format cannot express the program */
function refusing<T>(format: string, target: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof ExportRefusal)) throw error;
    throw usageError(`--to ${format}: ${target} cannot express ${error.message}`);
  }
}

/** @throws UserError if there are no facts, or the format cannot express facts or the form */
function formed(
  { to, facts, form, file }: Pick<ExportArgs, "to" | "facts" | "form" | "file">,
  module: Module,
  inputs: readonly Input[],
): Uint8Array | string {
  const known = WITH_FORMS.filter(({ hasFacts }) => hasFacts || facts === undefined);
  const exporter = known.find(({ format }) => format === to);
  if (exporter === undefined) {
    const expected = known.map(({ format }) => format).join(" or ");
    const option = facts === undefined ? "--form" : "--facts";
    throw usageError(`${option}: the format ${to} cannot express this: expected --to ${expected}`);
  }
  const names: ReadonlySet<FormName> = new Set(
    form === undefined ? [] : parseForm(form).filter(isFormName),
  );
  const lacking = [...names].find((name) => !formsOf(exporter.format).flat().includes(name));
  if (lacking !== undefined) throw usageError(`--form ${lacking}: ${to} has no such form`);
  if (facts === undefined) return exporter.text(module, [], names, inputs);
  const program = decodeModule(module);
  const oracle = new Oracle();
  const judged = inputs.filter((input) => isJudged(oracle.run(program, input, DEFAULT_FUEL)));
  if (judged.length === 0) {
    throw usageError(
      `${file}: --facts: expected a line '; run: ${module.entry.name}(...)' that the oracle judges`,
    );
  }
  return exporter.text(module, [statedFor(judged, kindsOf(facts))], names, inputs);
}

const ALL = "all";

function kindsOf(text: string): ReadonlySet<FactKind> {
  if (text === ALL) return new Set(FACT_KINDS);
  return new Set(
    parseNames(text).map((name) => {
      const kind = FACT_KINDS.find((known) => known === name);
      if (kind !== undefined) return kind;
      const guess = didYouMean(name, FACT_KINDS);
      throw usageError(
        `--facts ${name}: expected ${ALL}, or some of ${FACT_KINDS.join(", ")}${guess}`,
      );
    }),
  );
}
