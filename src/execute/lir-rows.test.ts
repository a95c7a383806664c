// Pins the results of each LIR row in the interpreter. Each row runs as a program of one instruction, over boundary
// values of its operands and of its immediate. `lir-rows.json` has a digest of all results by row. A change of a
// row's meaning changes its digest.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { MEANINGS as ARM64_MEANINGS } from "../../reference/arm64/meanings.js";
import { blockAt } from "../../reference/lir/indices.js";
import { type InstructionMeaning, LirMachine } from "../../reference/lir/interpret/lir-machine.js";
import { LirProgram, offsetInFrame } from "../../reference/lir/interpret/lir-procedure.js";
import { meaningsOf } from "../../reference/lir/interpret/machine-rows.js";
import { Lir } from "../../reference/lir/lir.js";
import { PARTS } from "../../reference/parts.js";
import { Allocation } from "../../reference/regalloc/allocation.js";
import { MoveList } from "../../reference/regalloc/parallel-moves.js";
import { CONDITION_NAMES } from "../../reference/target/conditions.js";
import { TARGET_NAMES, type TargetName } from "../../reference/target/target.js";
import { MEANINGS as X64_MEANINGS } from "../../reference/x64/meanings.js";
import { boundaryOf } from "../compare/boundary-values.js";
import { Double, Float, Int32, Int64, VALUE_TYPES } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import { projectRoot } from "../support/project-root.js";
import { type ChoiceSource, SeedSource } from "../support/source.js";

const TABLES = { x64: X64_MEANINGS, arm64: ARM64_MEANINGS } as const;
const PATH = join(projectRoot(), "src", "execute", "lir-rows.json");
/** Rows whose results depend on other procedures, on calls or on kinds of patchpoints. */
const APART = /^(patchpoint\.|call|return$|entry$|functionAddress$)/;

const HEAP_ADDRESS = 0x11_8000_0000;
const HEAP_SIZE = 256;
const STACK_SIZE = 1024;
const SLOTS = [1, 2] as const;
const DRAWS = 600;

// The most critical values, of which all pairs run.
const WORDS: { readonly [kind: string]: readonly WordPair[] } = {
  integer: [
    [0, 0],
    [1, 0],
    [-1, -1],
    [-1, 0],
    [0x8000_0000 | 0, 0],
    [0x8000_0000 | 0, -1],
    [0x7fff_ffff, 0],
    [0, 0x8000_0000 | 0],
    [-1, 0x7fff_ffff],
    [2, 0],
    [-7, -1],
    [31, 0],
    [63, 0],
    [0x1234_5678, 0x0abc_def0],
  ],
  single: [...boundaryOf(Float)].filter((_, i) => i % 3 === 0),
  double: [...boundaryOf(Double)].filter((_, i) => i % 3 === 0),
};
const ANY: readonly WordPair[] = VALUE_TYPES.flatMap((type) => [...boundaryOf(type)]);

const kindOf = (name: string): string =>
  /ss/.test(name) ? "single" : /sd/.test(name) ? "double" : "integer";
const accessesMemory = (name: string): boolean =>
  /Load|Store|\.load|^ldu?r|^stu?r|^atomic\./.test(name);

/** Draws an operand: near an address of the heap, a small number, or a boundary value. */
function drawWords(source: ChoiceSource, name: string): WordPair {
  const roll = source.below(4);
  if (accessesMemory(name)) {
    if (roll < 2)
      return [(HEAP_ADDRESS | 0) + source.below(HEAP_SIZE + 8), Math.floor(HEAP_ADDRESS / 2 ** 32)];
    if (roll === 2) return [source.below(40) - 8, source.below(8) === 0 ? -1 : 0];
  }
  return roll === 0
    ? WORDS[kindOf(name)][source.below(WORDS[kindOf(name)].length)]
    : ANY[source.below(ANY.length)];
}

/** Draws an immediate that the row can have: a slot, a condition, a displacement or a constant. */
function drawImmediate(source: ChoiceSource, name: string): WordPair {
  const ints = boundaryOf(Int32);
  const [lo] = ints[source.below(ints.length)];
  const displacement = accessesMemory(name) ? 4 * source.below(8) - 8 : lo;
  if (name === "slotAddress") return [SLOTS[source.below(SLOTS.length)], 0];
  if (/^switch/.test(name)) return [0, 0];
  if (/(load|store)Argument/.test(name)) return [8 * source.below(4), 0];
  const condition = /^(branch|check|set|select\w+)\.(cmp|test|bits|ucomi)/.exec(name);
  if (condition !== null) {
    // Bits are tested for eq or ne only.
    const count = condition[2] === "bits" ? 2 : 10;
    const code =
      condition[2] === "ucomi"
        ? 10 + source.below(CONDITION_NAMES.length - 10)
        : source.below(count);
    return [displacement, code];
  }
  // No row of ARM64 has a displacement beside an index.
  if (/^(ld|st)u?r\w*\.[xus]\d/.test(name)) return [0, 0];
  if (/\.slot/.test(name)) return [displacement & 31, SLOTS[source.below(SLOTS.length)]];
  return /Imm|const|\.pool/.test(name) && kindOf(name) !== "integer"
    ? ANY[source.below(ANY.length)]
    : [displacement, source.below(2) === 0 ? displacement >> 31 : lo];
}

/** Runs one row, as the first instruction of three blocks. */
class RowRunner {
  private readonly lir = new Lir();
  private readonly stack = new Uint8Array(STACK_SIZE);
  private readonly heap = new Uint8Array(HEAP_SIZE);
  private readonly machine: LirMachine;
  private readonly program = new LirProgram();
  private readonly view = new DataView(this.stack.buffer);
  private readonly name: string;
  readonly operandCount: number;

  constructor(target: TargetName, row: number, meanings: readonly InstructionMeaning[]) {
    const { lir } = this;
    const plan = PARTS.plans[target];
    this.name = plan.rows[row].name;
    const operands = plan.operands[row];
    this.operandCount = operands.length;
    const registers = new Int32Array(256);
    this.machine = new LirMachine(
      {
        registers,
        vectors: 64,
        stackPointerWord: 8,
        framePointer: 5,
        stack: this.stack,
        stackAddress: 0x33_c000_0000,
        heapAddress: HEAP_ADDRESS,
        codeAddress: 0x22_4000_0000,
        returnAddress: 0x44_8000_0000,
        hostCall: () => {},
      },
      meanings,
    );
    lir.reset();
    for (let b = 0; b < 3; b++) {
      lir.beginBlock();
      for (const operand of operands) lir.addOperand(operand | lir.newVreg(Int64));
      lir.endInstruction(row, 0, 0, -1);
      if (b === 0) for (const next of [1, 2]) lir.addSuccessor(blockAt(next));
      lir.endBlock();
    }
    lir.slotPlaces = {
      depths: new Map([
        [1, 32],
        [2, 64],
      ]),
      size: 64,
      isShared: false,
    };
    lir.switches = [{ lo: [-7], hi: [-1], count: 1 }];
    lir.outgoingSize = 32;
    const preparation = {
      stage: "lower",
      plan,
      vectors: 64,
      sequentialize: PARTS.sequentialize,
      recordExits: () => [],
      singles: new MoveList(),
    } as const;
    this.program.add(lir, new Allocation(), preparation, 0);
    this.machine.load(this.program.procedures);
  }

  /** Returns the state after the instruction. */
  run(operands: readonly WordPair[], [lo, hi]: WordPair, hasJunkAbove: boolean): string {
    const { machine, view, stack, heap } = this;
    const [procedure] = this.program.procedures;
    for (let i = 0; i < heap.length; i++) heap[i] = (i * 37 + 11) & 0xff;
    for (let i = 0; i < stack.length; i++) stack[i] = (i * 29 + 5) & 0xff;
    procedure.lir.immLo[0] = lo;
    procedure.lir.immHi[0] = hi;
    machine.guest.registers.fill(0);
    machine.guest.registers[8] = (0x33_c000_0000 | 0) + STACK_SIZE - 64;
    machine.guest.registers[9] = 0x33;
    machine.start(0, heap, hasJunkAbove);
    operands.forEach(([low, high], k) => {
      view.setInt32(machine.frame + offsetInFrame(procedure.places[k]), low, true);
      view.setInt32(machine.frame + offsetInFrame(procedure.places[k]) + 4, high, true);
    });
    machine.execute();
    const ending = machine.ending === null ? "" : Object.values(machine.ending).join();
    return `${ending} ${machine.next} ${latin(stack)} ${latin(heap)}`;
  }

  /** Returns a digest of the results of all its executions. */
  digest(): string {
    const hash = createHash("sha256");
    const source = new SeedSource(BigInt(this.name.length));
    const critical = WORDS[kindOf(this.name)];
    const operandsOf = (): WordPair[] =>
      Array.from({ length: this.operandCount }, () => drawWords(source, this.name));
    for (const x of critical) {
      for (const y of critical) {
        // Definitions and temps are operands too, so the pair is at two positions.
        const operands = operandsOf();
        if (operands.length > 1) operands[1] = x;
        if (operands.length > 2) operands[2] = y;
        if (operands.length < 3) operands[0] = y;
        hash.update(this.run(operands, drawImmediate(source, this.name), source.below(2) === 0));
      }
    }
    for (let n = 0; n < DRAWS; n++) {
      hash.update(this.run(operandsOf(), drawImmediate(source, this.name), source.below(2) === 0));
    }
    return hash.digest("hex").slice(0, 12);
  }
}

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

type Digests = { readonly [row: string]: string };

function digestsOf(target: TargetName, table: ReadonlyMap<string, InstructionMeaning>): Digests {
  const { rows } = PARTS.plans[target];
  const meanings = meaningsOf(rows, table);
  return Object.fromEntries(
    rows.flatMap(({ name }, row) =>
      APART.test(name)
        ? []
        : [[`${target} ${name}`, new RowRunner(target, row, meanings).digest()]],
    ),
  );
}

function digestsOfAll(tables: typeof TABLES): Digests {
  return Object.assign({}, ...TARGET_NAMES.map((target) => digestsOf(target, tables[target])));
}

test("each row gives the recorded results over boundary values", (t) => {
  const found = digestsOfAll(TABLES);
  if (process.env["TOUCHSTONE_UPDATE"] === "1") {
    writeFileSync(PATH, `${JSON.stringify(found, null, 1)}\n`);
  }
  const recorded: Digests = JSON.parse(readFileSync(PATH, "utf8"));
  const changed = Object.keys({ ...recorded, ...found }).filter(
    (row) => recorded[row] !== found[row],
  );
  t.deepEqual(
    changed,
    [],
    "rows with other results; TOUCHSTONE_UPDATE=1 npm test -- src/execute/lir-rows.test.ts records them",
  );
});

test("a wrong meaning of a row changes its digest, and no other", (t) => {
  const recorded: Digests = JSON.parse(readFileSync(PATH, "utf8"));
  for (const target of TARGET_NAMES) {
    const { rows } = PARTS.plans[target];
    const meanings = meaningsOf(rows, TABLES[target]);
    for (const row of rows.keys()) {
      const { name } = rows[row];
      // A row without effect has no wrong result to change.
      if (row % WRONG_STRIDE !== 0 || APART.test(name) || /^fence|^oops/.test(name)) continue;
      const wrong = meanings.map((meaning, r) => (r === row ? lastBitChanged(meaning) : meaning));
      t.not(new RowRunner(target, row, wrong).digest(), recorded[`${target} ${name}`], name);
    }
  }
});
const WRONG_STRIDE = 40;

/** Returns the meaning with a change of the result's last bit for one in eight immediates. */
const lastBitChanged =
  (meaning: InstructionMeaning): InstructionMeaning =>
  (m) => {
    meaning(m);
    if (m.ending === null && (m.lo & 7) === 0) m.setWords(0, m.low(0) ^ 1, m.high(0));
  };
