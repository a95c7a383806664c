// Modules of the language as one C11 file that needs nothing but the standard library: it reads executions
// from its standard input, and writes what each left as records (../observation.ts). No program has undefined
// behaviour in C where the language defines it.

import { cloneModule } from "../../ir/clone.js";
import { type HostFunction, isObservable } from "../../ir/host-functions.js";
import { Module, type Procedure } from "../../ir/procedure.js";
import { nameOfType, sizeOf, Void } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { expand } from "../expand.js";
import { hostProcedure } from "../host-procedures.js";
import { EVENT, RETURN } from "../observation.js";
import type { Names } from "./names.js";
import { LACKING } from "./opcode-rows.js";
import { HEAD, MAIN } from "./runtime.js";
import { headOf, returnRecord, writeProcedure } from "./write-procedure.js";

/** Executions name the programs by their positions. The modules are not changed. */
export function exportC(modules: readonly Module[]): string {
  const programs = modules.map((module, p) => new ProgramWriter(module, `p${p}_`).write());
  const rows = modules.map(({ heapSize }, p) => `  { p${p}_run, p${p}_heap, ${heapSize} },`);
  const table = `
struct t_program { void (*run)(const uint8_t *words); uint8_t *heap; uint32_t size; };
static const struct t_program t_programs[] = {
${rows.join("\n")}
};
`;
  return HEAD + programs.join("\n") + table + MAIN;
}

class ProgramWriter implements Names {
  readonly heap: string;
  readonly heapSize: number;
  readonly returnTag = RETURN;
  private readonly module: Module;
  private readonly prefix: string;
  private readonly isFlagged: boolean;
  private readonly positions = new Map<Procedure, number>();
  /** Host functions that were asked for, and what each is written as. */
  private readonly hosts = new Map<HostFunction, string>();

  constructor(module: Module, prefix: string) {
    this.module = cloneModule(module);
    expand(this.module, LACKING);
    this.prefix = prefix;
    this.heap = `${prefix}heap`;
    this.heapSize = module.heapSize;
    this.isFlagged = module.continuations.size > 0;
    this.module.procedures.forEach((proc, position) => {
      this.positions.set(proc, position);
    });
  }

  write(): string {
    const { procedures, entry } = this.module;
    const heads = procedures.map((proc) => `${headOf(proc, this, this.isFlagged)};\n`);
    const bodies = procedures.map((proc) => writeProcedure(proc, this, this.isFlagged));
    const run = this.run(entry);
    const heap = `static uint8_t ${this.heap}[${this.heapSize}];\n`;
    return [heap, ...this.hosts.values(), ...heads, ...bodies, run].join("");
  }

  functionOf(proc: Procedure): string {
    const position = this.positions.get(proc);
    return position === undefined ? this.hostName(proc.name) : `${this.prefix}f${position}`;
  }

  positionOf(proc: Procedure): number {
    const position = this.positions.get(proc);
    assert(position !== undefined, () => `C: ${proc.name} is not of the module`);
    return position;
  }

  hostFunction(host: HostFunction): string {
    if (!this.hosts.has(host)) {
      const alone = new Module();
      const proc = hostProcedure(host, this.heapSize);
      alone.procedures.push(proc);
      expand(alone, LACKING);
      this.hosts.set(host, writeProcedure(proc, this, false, eventRecord(host, proc)));
    }
    return this.hostName(host.name);
  }

  continuationsOf(exit: number): readonly Procedure[] {
    return this.module.continuations.get(exit) ?? [];
  }

  private hostName(name: string): string {
    return `${this.prefix}host_${name}`;
  }

  private run(entry: Procedure): string {
    const args = entry.parameters.map(
      ({ type }, p) => `t_load_${nameOfType(type)}(words + ${8 * p})`,
    );
    if (this.isFlagged) args.push("0");
    const call = `${this.functionOf(entry)}(${args.join(", ")});`;
    const result = entry.result === Void ? null : "result";
    const typed = `${headOf(entry, this, this.isFlagged).split(" ")[1]} result = ${call}`;
    return `static void ${this.prefix}run(const uint8_t *words) {
  ${result === null ? call : typed}
  ${returnRecord(entry, this, result).join("\n  ")}
}
`;
  }
}

/** Statements that record a call with its arguments; nothing for a function that is not observed. */
function eventRecord(host: HostFunction, { parameters }: Procedure): string[] {
  if (!isObservable(host)) return [];
  const bytes = parameters.reduce((sum, { type }) => sum + sizeOf(type), 2 * 4);
  const lines = [
    "  {",
    `  uint8_t *r = t_reserve(${bytes});`,
    `  t_store_Int32(r, ${EVENT}u);`,
    `  t_store_Int32(r + 4, ${host.index}u);`,
  ];
  let at = 8;
  for (const { id, type } of parameters) {
    lines.push(`  t_store_${nameOfType(type)}(r + ${at}, v${id});`);
    at += sizeOf(type);
  }
  return [...lines, "  }"];
}
