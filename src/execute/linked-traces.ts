// Keeps the traces of a program in one code cache with linked exits. The stub of a linked exit is
// patched to jump to a link: code that passes the state on and enters the other trace.
// 1. An exit stays linked to one trace until all exits are unlinked. An unlinked stub has its
//    original bytes.
// 2. Nothing is patched while code runs.
// 3. A full cache is cleared. Traces that run later are compiled again, without links.

import type { CodeImage, GenerateOptions } from "../../reference/compile.js";
import { CompileError } from "../../reference/emit/compile-error.js";
import {
  type ExitLocation,
  type ExitRecord,
  LocationKind,
} from "../../reference/snapshot/exit-record.js";
import { canLink, generateJump, stateOf } from "../../reference/snapshot/link-exit.js";
import type { Outcome } from "../ir/outcome.js";
import type { Module, Procedure } from "../ir/procedure.js";
import type { DecodedModule } from "../oracle/fast/program.js";
import type { RecordedTrace, TraceExit } from "../record/recorded-trace.js";
import type { TraceRun, TraceRunner } from "../record/trace-runner.js";
import { countsOf, type TraceLinker } from "./linker.js";
import { CodeCache } from "./machine/code-cache.js";
import { placesOf, stackBytesOf } from "./machine/conventions.js";
import type { Cpu } from "./machine/cpu.js";
import { type DecodedExit, decodeExits } from "./machine/decode-exits.js";
import { PAGE_SIZE } from "./machine/guest.js";
import type { LoadedImage, SharedCode } from "./machine/loaded-image.js";
import type { MachineRunner } from "./machine/machine.js";
import type { ResumeFunction } from "./machine/resume.js";
import type { CompiledCodeCounts, ExecutionSettings, TraceCode } from "./subject.js";
import type { TraceUnits } from "./trace-units.js";

/** A trace as the compiler takes it, with the data that its code needs at run time. */
interface TraceUnit {
  readonly module: Module;
  readonly program: () => DecodedModule;
  readonly options: GenerateOptions;
  readonly resume: ResumeFunction;
}

interface LinkedOptions {
  readonly cpu: Cpu;
  readonly runner: MachineRunner;
  readonly linker: TraceLinker;
  readonly units: Pick<TraceUnits<unknown>, "textOf">;
  readonly unitOf: (trace: Module) => TraceUnit;
  readonly instructionsFor: (fuelUsed: number) => number;
  /** Plants a bug. */
  readonly exchangesRegisters: boolean;
  readonly codeMax?: number;
}

/** A stub that jumps to a link, and its original bytes. */
interface StubPatch {
  readonly place: number;
  readonly before: Uint8Array;
}

export class LinkedTraces implements TraceCode {
  readonly counts: CompiledCodeCounts[] = [];
  argumentBytes = 0;
  stackSize = 0;
  private readonly options: LinkedOptions;
  private readonly cache: CodeCache;
  /** Keyed by text; a compile error is stored as an outcome. */
  private readonly placed = new Map<string, PlacedTrace | Outcome>();
  private byTrace = new WeakMap<RecordedTrace, PlacedTrace | Outcome>();
  private readonly exits: { readonly image: PlacedTrace; readonly exit: DecodedExit }[] = [];
  private readonly patches: StubPatch[] = [];
  /** Addresses of links, by stub and trace; they remain when exits are unlinked. */
  private readonly links = new Map<string, number>();
  private clears = 0;

  constructor(options: LinkedOptions) {
    this.options = options;
    this.cache = new CodeCache(options.cpu, options.codeMax);
  }

  get code(): Uint8Array {
    return this.cache.bytes;
  }

  begin(execution: ExecutionSettings): TraceRunner {
    this.unlink();
    return {
      run: (trace, words, heap) => this.run(trace, words, heap, execution),
      link: (from, exit, to) => this.link(from, exit, to),
      unlink: () => this.unlink(),
    };
  }

  exitAt(index: number): { readonly image: PlacedTrace; readonly exit: DecodedExit } | null {
    return this.exits[index] ?? null;
  }

  private run(
    trace: RecordedTrace,
    words: Int32Array,
    heap: Uint8Array,
    { poison, fuelUsed, fuelMax }: ExecutionSettings,
  ): TraceRun {
    const placed = this.placedOf(trace);
    if (!(placed instanceof PlacedTrace)) return { outcome: placed, last: trace };
    const { runner, instructionsFor } = this.options;
    const limits = { poison, instructionsMax: instructionsFor(fuelUsed), fuelMax };
    const outcome = runner.call(placed, words, heap, limits);
    const { exited } = runner;
    const isOther = outcome.ending.kind === "exit" && exited instanceof PlacedTrace;
    return { outcome, last: isOther ? exited.trace : trace };
  }

  private placedOf(trace: RecordedTrace): PlacedTrace | Outcome {
    let placed = this.byTrace.get(trace);
    if (placed === undefined) {
      const text = this.options.units.textOf(trace.module);
      placed = this.placed.get(text);
      if (placed === undefined) {
        placed = this.place(trace);
        this.placed.set(text, placed);
      }
      this.byTrace.set(trace, placed);
    }
    if (placed instanceof PlacedTrace) placed.trace = trace;
    return placed;
  }

  private place(trace: RecordedTrace): PlacedTrace | Outcome {
    try {
      const unit = this.options.unitOf(trace.module);
      return this.tryPlace(trace, unit) ?? this.tryPlaceAlone(trace, unit);
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      return { events: [], ending: { kind: "compile-error", message: error.message } };
    }
  }

  /** Returns null if the cache has no room. */
  private tryPlace(trace: RecordedTrace, unit: TraceUnit): PlacedTrace | null {
    const { linker, cpu } = this.options;
    const firstExit = this.exits.length;
    const image = linker.compile(unit.module, { ...unit.options, firstExit });
    const place = this.cache.placeFor(image.code.length, alignmentOf(image));
    if (place === null) return null;
    this.cache.add(image.code, place);
    const placed = new PlacedTrace(this, image, unit, place, trace);
    for (const exit of decodeExits(image.exits)) this.exits.push({ image: placed, exit });
    const types = placed.entryProcedure.parameters.map(({ type }) => type);
    const argumentBytes = stackBytesOf(placesOf(cpu.architecture, types));
    this.argumentBytes = Math.max(this.argumentBytes, argumentBytes);
    this.stackSize = Math.max(this.stackSize, image.stackSize);
    this.counts.push(countsOf(image));
    return placed;
  }

  private tryPlaceAlone(trace: RecordedTrace, unit: TraceUnit): PlacedTrace {
    this.clear();
    const placed = this.tryPlace(trace, unit);
    if (placed === null) throw new CompileError(`${trace.name} is larger than the code cache`);
    return placed;
  }

  private clear(): void {
    this.clears++;
    this.cache.clear();
    this.placed.clear();
    this.byTrace = new WeakMap();
    this.exits.length = 0;
    this.patches.length = 0;
    this.links.clear();
    this.argumentBytes = 0;
    this.stackSize = 0;
  }

  private link(from: RecordedTrace, { number }: TraceExit, to: RecordedTrace): boolean {
    const { clears } = this;
    const [source, target] = [this.placedOf(from), this.placedOf(to)];
    if (!(source instanceof PlacedTrace && target instanceof PlacedTrace)) return false;
    if (clears !== this.clears) return false;
    let linked = 0;
    source.image.records.forEach((record, index) => {
      const isIt = record.exit === number && record.procedure === source.image.root;
      if (isIt && this.linkStub(source, index, target)) linked++;
    });
    return linked > 0;
  }

  private linkStub(source: PlacedTrace, index: number, target: PlacedTrace): boolean {
    const { image, sharing } = source;
    const stub = image.stubs[index];
    const place = sharing.entry + stub;
    const link = this.linkBetween(source, index, target);
    if (link === null) return false;
    const jump = generateJump(this.options.linker.target, link - place);
    this.patches.push({ place, before: image.code.slice(stub, stub + jump.length) });
    this.cache.write(jump, place);
    return true;
  }

  /** Returns the address of the link from the exit to the trace; null if there can be none. */
  private linkBetween(source: PlacedTrace, index: number, target: PlacedTrace): number | null {
    const record = source.image.records[index];
    const { parameters } = target.entryProcedure;
    if (!canLink(record) || stateOf(record).length !== parameters.length) return null;
    const key = `${source.sharing.entry} ${index} ${target.sharing.entry}`;
    const known = this.links.get(key);
    if (known !== undefined) return known;
    const { linker, exchangesRegisters } = this.options;
    const place = this.cache.placeFor(0, LINK_ALIGNMENT);
    if (place === null) return null;
    const exit = exchangesRegisters ? exchanged(record) : record;
    const code = linker.link(exit, target.entryProcedure, target.sharing.entry - place);
    if (this.cache.placeFor(code.length, LINK_ALIGNMENT) === null) return null;
    this.cache.add(code, place);
    this.links.set(key, place);
    return place;
  }

  private unlink(): void {
    for (const { place, before } of this.patches) this.cache.write(before, place);
    this.patches.length = 0;
  }
}

const LINK_ALIGNMENT = 16;
const IMAGE_ALIGNMENT = 64;

/** Code with page addresses must keep its offset within a page. */
const alignmentOf = ({ longBranches }: CodeImage): number =>
  longBranches > 0 ? PAGE_SIZE : IMAGE_ALIGNMENT;

/** The image of one trace within the shared code. */
class PlacedTrace implements LoadedImage {
  readonly sharing: SharedCode;
  readonly module: Module;
  readonly program: () => DecodedModule;
  readonly resume: ResumeFunction;
  readonly root: number;
  readonly exits: Uint8Array;
  readonly image: CodeImage;
  /** The recorded trace of the current execution. */
  trace: RecordedTrace;
  private readonly all: LinkedTraces;

  constructor(
    all: LinkedTraces,
    image: CodeImage,
    { module, program, resume }: TraceUnit,
    entry: number,
    trace: RecordedTrace,
  ) {
    this.all = all;
    this.image = image;
    this.module = module;
    this.program = program;
    this.resume = resume;
    this.root = image.root;
    this.exits = image.exits;
    this.trace = trace;
    this.sharing = {
      entry,
      exitAt: (index) => all.exitAt(index),
      get argumentBytes() {
        return all.argumentBytes;
      },
    };
  }

  get code(): Uint8Array {
    return this.all.code;
  }

  get stackSize(): number {
    return this.all.stackSize;
  }

  get entryProcedure(): Procedure {
    return this.module.procedures[this.root];
  }
}

/** Plants a bug: exchanges the first two values of one type that are in registers. */
function exchanged(record: ExitRecord): ExitRecord {
  const isInRegister = ({ place }: ExitLocation): boolean =>
    place === LocationKind.General || place === LocationKind.Vector;
  const state = stateOf(record).filter(isInRegister);
  for (const one of state) {
    const other = state.find(({ type, index }) => type === one.type && index !== one.index);
    if (other === undefined) continue;
    const instead = new Map([
      [one, other],
      [other, one],
    ]);
    const frames = record.frames.map((frame) => ({
      ...frame,
      slots: frame.slots.map((slot) => instead.get(slot) ?? slot),
    }));
    return { ...record, frames };
  }
  return record;
}
