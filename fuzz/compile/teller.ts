// Collects the output of `fuzz compile`. Text is printed immediately, because the compiler may stop
// in the middle; with `--json` it is kept for one object.

import type { CodeImage } from "../../reference/compile.js";
import { describeSlot, type SlotLocation } from "../../reference/snapshot/record-slots.js";
import { type DecodedExit, decodeExits } from "../../src/execute/machine/decode-exits.js";
import {
  describeExit,
  describeLocation,
  hexDump,
} from "../../src/execute/machine/describe-image.js";
import type { OptimizeSettings } from "../../src/execute/unit.js";
import type { Procedure } from "../../src/ir/procedure.js";
import { printAnswer } from "../answers/print-answer.js";
import type { AnswerFields } from "../answers/schemas.js";
import { printJson, printLine, printText } from "../support/output.js";

type CompileAnswer = AnswerFields<"touchstone.compile">;
type CollectedFields = {
  -readonly [K in Exclude<keyof CompileAnswer, "target" | "level">]: CompileAnswer[K];
};

export class CompileOutput {
  private readonly json: boolean;
  private readonly printsHeadings: boolean;
  private readonly dumps: CompileAnswer["dumps"][number][] = [];
  private readonly lirs: CompileAnswer["lir"][number][] = [];
  private readonly collected: Omit<CollectedFields, "dumps" | "lir"> = {
    ...{
      chaos: null,
      ir: null,
      asm: null,
      code: null,
      exits: null,
      slots: null,
      allocationTrace: null,
      iongraph: null,
      error: null,
    },
  };

  /** @param heads whether a line with its name precedes each form */
  constructor(json: boolean, heads: boolean) {
    this.json = json;
    this.printsHeadings = heads;
  }

  /** Prints the settings that chaos drew. */
  chaos(settings: OptimizeSettings): void {
    const lines = describeChaos(settings);
    this.collected.chaos = lines;
    if (!this.json) for (const line of lines) printLine(`; ${line}`);
  }

  /** @param program null if it did not change */
  dump(says: readonly string[], program: string | null): void {
    this.dumps.push({ says, program });
    if (this.json) return;
    for (const line of says) printLine(`; ${line}`);
    if (program !== null) printText(program);
  }

  ir(program: string): void {
    this.collected.ir = program;
    this.form("ir", program);
  }

  /** @param isAsked whether --dump requested it, so that no heading is printed */
  lir(stage: "lower" | "allocate", procedure: string, text: string, isAsked: boolean): void {
    this.lirs.push({ stage, procedure, text });
    if (this.json) return;
    if (!isAsked) printLine(stage === "lower" ? "; lir" : "; lir, allocated");
    printText(text);
  }

  asm(listing: readonly string[]): void {
    this.collected.asm = listing;
    this.form("asm", listing.join("\n"));
  }

  bytes(code: Uint8Array): void {
    this.collected.code = Buffer.from(code).toString("hex");
    this.form("bytes", hexDump(code));
  }

  exits({ exits }: CodeImage): void {
    const decoded = decodeExits(exits);
    this.collected.exits = decoded.map(answerOfExit);
    this.form("exits", decoded.flatMap(describeExit).join("\n"));
  }

  slots({ slotPlaces }: CodeImage, procedures: readonly Procedure[]): void {
    const slots = slotPlaces();
    const nameOf = (place: SlotLocation): string => procedures[place.procedure].name;
    this.collected.slots = slots.map((place) => {
      const { slot, size, isLocked, register, frameOffset: offset, sharesWith } = place;
      return { procedure: nameOf(place), slot, size, isLocked, register, offset, sharesWith };
    });
    const lines = slots.map((place) => `${nameOf(place)}: ${describeSlot(place)}`);
    this.form("slots", lines.length === 0 ? "no stack slots" : lines.join("\n"));
  }

  allocationTrace(decisions: readonly string[]): void {
    this.collected.allocationTrace = decisions;
    this.form("allocation-trace", decisions.join("\n"));
  }

  /** Prints the graph unchanged, in the format of the viewer. */
  iongraph(graph: NonNullable<CompileAnswer["iongraph"]>): void {
    this.collected.iongraph = graph;
    if (!this.json) printJson(graph);
  }

  error(message: string): void {
    this.collected.error = message;
    if (!this.json) printLine(`; compile error: ${message}`);
  }

  end(about: Pick<CompileAnswer, "target" | "level">): void {
    const { dumps, lirs: lir, collected: seen } = this;
    if (this.json) printAnswer("touchstone.compile", { ...about, dumps, lir, ...seen });
  }

  private form(name: string, text: string): void {
    if (this.json) return;
    if (this.printsHeadings) printLine(`; ${name}`);
    printText(text);
  }
}

function describeChaos(settings: OptimizeSettings): string[] {
  const { phases, disabled, branchReach, pressure, halves } = settings;
  const lines = [`phases: ${phases?.join(",") ?? ""}`, `disabled: ${[...disabled].join(",")}`];
  if (branchReach !== null) lines.push(`branch reach: ${branchReach}`);
  if (halves) lines.push("64-bit values in halves");
  if (pressure !== null) {
    const { registers, ghosts, places, reorders } = pressure;
    lines.push(`registers: ${registers ?? "all"}${reorders ? ", in another order" : ""}`);
    if (ghosts > 0) lines.push(`one instruction in ${ghosts} has additional clobbers`);
    if (places > 0)
      lines.push(`one unconstrained use in ${places} must be in a register or in memory`);
  }
  return lines;
}

function answerOfExit({
  exit,
  procedure,
  snapshot,
  frameSize,
  saved,
  leaves,
  frames,
}: DecodedExit) {
  return {
    ...{ exit, procedure, snapshot, frameSize, saved, leaves: leaves.map(describeLocation) },
    frames: frames.map(({ name, point, slots }) => ({
      ...{ name, point, slots: slots.map(describeLocation) },
    })),
  };
}
