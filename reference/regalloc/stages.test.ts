// Tests the stages of register allocation one by one, on LIR of a few lines. A row names the source
// file of its stage. Other stages have tests of their own, which OTHERS lists; a file without either
// fails.

import { existsSync, readdirSync } from "node:fs";
import test from "ava";
import {
  type Block,
  blockAt,
  columnOf,
  FIRST_BLOCK,
  FIRST_INSTRUCTION,
  type Index,
  type IndexArray,
  type Instruction,
  indexAfter,
  type None,
  newColumn,
  newDoubles,
  type VirtualRegister,
  vregAt,
} from "../lir/indices.js";
import { type Lir, NOWHERE, type RegisterSet, SLOT } from "../lir/lir.js";
import { parseLir } from "../lir/text/parse-lir.js";
import { PARTS } from "../parts.js";
import { NONE, sized, widen } from "./arenas.js";
import { BlockWeights } from "./block-weights.js";
import { FIRST_NODE, type GraphNode, InterferenceGraph } from "./colouring/interference-graph.js";
import { measureSpillCosts } from "./colouring/spill-costs.js";
import { NextUses } from "./linear-scan/next-uses.js";
import { LiveIntervals, type LiveRange } from "./live-intervals.js";
import { Liveness } from "./liveness.js";
import { HomeSlots } from "./one-pass/home-slots.js";
import { VregReferences } from "./one-pass/references.js";
import { WalkOrder } from "./one-pass/walk-order.js";
import { firstPieceOf, type IntervalPiece, IntervalPieces } from "./pieces.js";
import { PositionHeap } from "./position-heap.js";
import { inputOf, resolveOf, startOf as startOfInstruction } from "./positions.js";
import { destroyedMask, maskOf, RegisterDemand } from "./room.js";
import { SlotMap } from "./share-slots.js";

/** A loop that counts v2 down; v1 passes through it. */
const LOOP = `lir x64 f
B0 -> B1
  0: v0<i>:rdi v1<i>:rsi = entry
  1: jump
  inputs v0
B1 -> B2 B3
  phi v2<i>
  2: v3<i>:R = addlImm v2:R #-1
  3: branch.testl v3:R if ne
B2 -> B1
  4: jump
  inputs v3
B3
  5: v4<i>:= = subl v3:R v1:A
  6: return v4:rax
`;

/** The loop uses v1, which nothing uses after it. */
const USED_IN_LOOP = `lir x64 f
B0 -> B1
  0: v0<i>:rdi v1<i>:rsi = entry
  1: jump
  inputs v0
B1 -> B2 B3
  phi v2<i>
  2: v3<i>:R = addlImm v2:R #-1
  3: branch.cmpl v3:R v1:A if lt
B2 -> B1
  4: v4<i>:R = constl #3
  5: jump
  inputs v4
B3
  6: v5<i>:= = negl v3:R
  7: return v5:rax
`;

/** A call, a wide and a narrow value that live across it, and a constant. */
const CALL = `lir x64 f
B0
  0: v0<l>:rdi v1<i>:rsi = entry
  1: v2<l>:R = constq #7
  2: v3<i>:rax = callHost v0:rdi #7
  3: v4<i>:= = addl v3:R v1:A
  4: v5<l>:= = addq v2:R v0:A
  5: v6<l>:= = addq v5:R v0:A
  6: v7<i>:= = addl v1:R v4:A
  7: return v7:rax
`;

/** v1 has a hole: the block that returns v0 does not need it. */
const HOLE = `lir x64 f
B0 -> B2 B1
  0: v0<i>:rdi v1<i>:rsi = entry
  1: branch.testl v0:R if ne
B1
  2: return v0:rax
B2
  3: v2<i>:R = constl #5
  4: v3<i>:= = subl v1:R v2:A
  5: return v3:rax
`;

/** A part of an instruction: the position modulo four. */
const PARTS_OF_INSTRUCTION = ["start", "resolve", "in", "out"];
const at = (position: number): string => `${position >> 2}.${PARTS_OF_INSTRUCTION[position & 3]}`;

const { x64 } = PARTS.plans;
const { registers } = x64.target;
/** Returns the n-th instruction of the layout. */
const instruction = (n: number): Instruction => {
  let found = FIRST_INSTRUCTION;
  for (let i = 0; i < n; i++) found = indexAfter(found);
  return found;
};
/** Three registers of each bank. */
const FEW: RegisterSet = {
  ...registers,
  general: registers.general.slice(0, 3),
  vector: registers.vector.slice(0, 3),
};
const [RDI] = registers.general.filter((register) => Number(register) === 7);
const [RAX] = registers.general.filter((register) => Number(register) === 0);

const numbers = (count: number): number[] => Array.from({ length: count }, (_, k) => k);
const vregsOf = ({ vregCount }: Lir): VirtualRegister[] => numbers(vregCount).map(vregAt);
const startOf = (live: LiveIntervals, v: VirtualRegister): number =>
  live.rangeStart[live.firstRange[v]];
const rangeIn =
  ({ rangeStart, rangeEnd }: LiveIntervals) =>
  (range: LiveRange): string =>
    `[${at(rangeStart[range])}, ${at(rangeEnd[range])})`;

function showIntervals(lir: Lir): string {
  const { live } = intervalsOf(lir);
  return byVreg(lir, (v) => {
    const ranges = listOf(live.firstRange[v], live.rangeNext, rangeIn(live));
    const demands = listOf(live.firstUse[v], live.useNext, (use) => at(live.usePosition[use]));
    const wishes = listOf(live.firstWish[v], live.wishNext, (wish) => at(live.wishPosition[wish]));
    const hint = live.hintVreg[v] === NONE ? "" : ` hint v${live.hintVreg[v]}`;
    const register = live.hintRegister[v] === NONE ? "" : ` fixed ${live.hintRegister[v]}`;
    return `${ranges} demands ${demands} wishes ${wishes}${hint}${register}`;
  });
}

function graphOf(lir: Lir) {
  const arenas = intervalsOf(lir);
  const graph = new InterferenceGraph();
  graph.build(lir, arenas.live, arenas.pieces, FEW);
  return { ...arenas, graph };
}

function showCosts(lir: Lir): string {
  const { live, weights, pieces, graph } = graphOf(lir);
  const cost = newDoubles<GraphNode>(graph.count);
  const blockOf = newColumn<Block, Instruction>(lir.instructionCount);
  for (let b = FIRST_BLOCK; b < lir.blockCount; b++)
    blockOf.fill(b, lir.blockStart[b], lir.blockStart[b + 1]);
  measureSpillCosts(lir, live, weights, pieces, graph, blockOf, cost);
  return byVreg(lir, (v) => cost[graph.nodeOf[firstPieceOf(v)]].toFixed(2));
}

function walkOf(lir: Lir): WalkOrder {
  const walk = new WalkOrder();
  walk.compute(lir);
  return walk;
}

function referencesOf(lir: Lir) {
  const walk = walkOf(lir);
  const references = new VregReferences(walk);
  references.collect(lir, x64.rows, registers);
  return { walk, references };
}

/** Returns lines by virtual register, without empty ones. */
const byVreg = ({ vregCount }: Lir, line: (vreg: VirtualRegister) => string): string =>
  Array.from({ length: vregCount }, (_, v) => line(vregAt(v)))
    .map((text, v) => (text === "" ? "" : `v${v} ${text}`))
    .filter((text) => text !== "")
    .join("\n");

function listOf<I extends Index<string>>(
  first: I | None,
  next: IndexArray<I, I>,
  name: (entry: I) => string,
): string {
  const names: string[] = [];
  for (let entry = first; entry !== NONE; ) {
    const known: I = entry as I;
    names.push(name(known));
    entry = next[known];
  }
  return names.join(" ");
}

/** The arenas that later stages read. */
function intervalsOf(lir: Lir) {
  const live = new LiveIntervals();
  const weights = new BlockWeights();
  const pieces = new IntervalPieces(live);
  weights.compute(lir);
  live.compute(lir, x64.rows, registers);
  pieces.reset(lir.vregCount);
  return { live, weights, pieces };
}

/** By file: the test of a stage that has no row in STAGES. */
const OTHERS: { readonly [file: string]: string } = {
  "assign-locations.ts": "reference/lir/text/golden-lir.test.ts",
  "block-weights.ts": "reference/regalloc/block-weights.test.ts",
  "check/check-faults.ts": "reference/regalloc/stress/regalloc.test.ts",
  "check/check-operands.ts": "reference/regalloc/stress/regalloc.test.ts",
  "check/check-safepoints.ts": "reference/regalloc/stress/regalloc.test.ts",
  "check/check.ts": "reference/regalloc/stress/regalloc.test.ts",
  "check/vreg-sets.ts": "reference/regalloc/stress/regalloc.test.ts",
  "clean-up.ts": "reference/lir/text/golden-lir.test.ts",
  "colouring/colour-graph.ts": "reference/lir/text/golden-lir.test.ts",
  "colouring/colouring.ts": "reference/regalloc/colouring/colouring.test.ts",
  "colouring/copies.ts": "reference/regalloc/colouring/colouring.test.ts",
  "colouring/split-around-loops.ts": "reference/regalloc/colouring/colouring.test.ts",
  "colouring/split-spilled.ts": "reference/lir/text/golden-lir.test.ts",
  "events.ts": "reference/lir/text/golden-lir.test.ts",
  "examples/spill-everywhere.ts": "reference/regalloc/examples/spill-everywhere.test.ts",
  "interval-allocation.ts": "reference/lir/text/golden-lir.test.ts",
  "linear-scan/linear-scan.ts": "reference/lir/text/golden-lir.test.ts",
  "one-pass/holdings.ts": "reference/lir/text/golden-lir.test.ts",
  "one-pass/loop-entries.ts": "reference/lir/text/golden-lir.test.ts",
  "one-pass/one-pass-instruction.ts": "reference/lir/text/golden-lir.test.ts",
  "one-pass/one-pass.ts": "reference/lir/text/golden-lir.test.ts",
  "parallel-moves.ts": "reference/regalloc/stress/regalloc.test.ts",
  "positions.ts": "reference/regalloc/indices.test.ts",
  "pressure.ts": "reference/regalloc/stress/pressure.test.ts",
  "trace.ts": "reference/regalloc/trace.test.ts",
};
/** Files without a computation. */
const NO_STAGE = ["allocation.ts", "allocator-names.ts", "allocator.ts"];
/** Files whose tests are written out below STAGES. */
const WRITTEN_OUT = ["arenas.ts", "position-heap.ts", "room.ts"];

test("every file has a test of its stage", (t) => {
  const folder = "reference/regalloc";
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith("stress/"))
    .sort();
  const tested = [
    ...new Set(STAGES.map(({ file }) => file)),
    ...Object.keys(OTHERS),
    ...NO_STAGE,
    ...WRITTEN_OUT,
  ];
  t.deepEqual(tested.sort(), files);
  for (const path of Object.values(OTHERS)) t.true(existsSync(path), path);
});

interface Stage {
  readonly name: string;
  /** The path of the source from this folder. */
  readonly file: string;
  readonly text: string;
  readonly show: (lir: Lir) => string;
  readonly expected: string;
}

const STAGES: readonly Stage[] = [
  {
    name: "the values that moves derive from their bases",
    file: "derivations.ts",
    // v2 ends before its base. v3 and v12 outlive theirs. v4 is the base of v5, which is derived
    // instead. v6 is an input of a Phi.
    text: `lir x64 f
B0 -> B1
  0: v0<i>:rdi v1<i>:rsi = entry
  1: v2<l>:R = movslq v0:A
  2: v3<l>:R = movslq v1:A
  3: v4<i>:R = addlImm.free v0:R #4
  4: v5<l>:R = movslq v4:A
  5: v6<i>:R = addlImm.free v0:R #8
  6: v7<l>:= = addq v2:R v3:A
  7: v8<l>:= = addq v7:R v5:A
  8: jump
  inputs v6
B1
  phi v9<i>
  9: v10<i>:= = addl v9:R v4:A
  10: v11<i>:= = addl v10:R v0:A
  11: v12<l>:R = movslq v11:A
  12: v13<l>:= = addq v12:R v8:A
  13: return v13:rax
`,
    show: (lir) => {
      const { live } = intervalsOf(lir);
      return byVreg(lir, (v) =>
        live.base[v] === NONE ? "" : `from v${live.base[v]} by ${live.remat[v]}`,
      );
    },
    expected: `v2 from v0 by 1
v5 from v4 by 4`,
  },
  {
    name: "the registers that are live on entry to each block",
    file: "liveness.ts",
    text: LOOP,
    show: (lir) => {
      const liveness = new Liveness();
      liveness.compute(lir);
      const isLiveIn = (b: number, v: VirtualRegister): boolean => {
        const g = [...liveness.globals].indexOf(v);
        return g >= 0 && ((liveness.liveIn[b * liveness.words] >> g) & 1) === 1;
      };
      return numbers(lir.blockCount)
        .map((b) => {
          const live = vregsOf(lir).filter((v) => isLiveIn(b, v));
          return `B${b} ${live.map((v) => `v${v}`).join(" ")}`;
        })
        .join("\n");
    },
    expected: `B0 
B1 v1
B2 v1 v3
B3 v1 v3`,
  },
  {
    name: "ranges, demands and wishes of each interval",
    file: "live-intervals.ts",
    text: LOOP,
    show: showIntervals,
    expected: `v0 [1.start, 2.start) demands  wishes  hint v2 fixed 7
v1 [1.start, 5.out) demands  wishes 5.in fixed 6
v2 [2.start, 2.out) demands 2.in wishes  hint v0
v3 [2.out, 5.in) demands 2.out 3.in wishes 5.in hint v4 fixed 0
v4 [5.in, 6.in) demands 5.in wishes  fixed 0`,
  },
  {
    name: "a fixed register, a call and a constant",
    file: "live-intervals.ts",
    text: CALL,
    show: (lir) => {
      const { live } = intervalsOf(lir);
      const calls = [...live.calls.subarray(live.callStart)].map(at);
      const blocked = listOf(live.firstBlocked[RDI], live.rangeNext, rangeIn(live));
      const constants = byVreg(lir, (v) => (live.remat[v] === NONE ? "" : `by ${live.remat[v]}`));
      return `calls ${calls}\nrdi ${blocked}\n${constants}\n${showIntervals(lir)}`;
    },
    expected: `calls 2.out
rdi [0.out, 1.start) [2.in, 2.out)
v2 by 1
v0 [1.start, 5.out) demands  wishes 4.in 5.in fixed 7
v1 [1.start, 6.in) demands  wishes 3.in 6.in hint v7 fixed 6
v2 [1.out, 4.in) demands 1.out wishes 4.in hint v5
v3 [3.start, 3.in) demands  wishes 3.in hint v4 fixed 0
v4 [3.in, 6.out) demands 3.in wishes 6.in
v5 [4.in, 5.in) demands 4.in wishes 5.in hint v6
v6 [5.in, 6.start) demands 5.in wishes 
v7 [6.in, 7.in) demands 6.in wishes  fixed 0`,
  },
  {
    name: "a cut in a range, and one in a hole, whose rest begins after the hole",
    file: "pieces.ts",
    text: HOLE,
    show: (lir) => {
      const { live, pieces } = intervalsOf(lir);
      const show = (piece: IntervalPiece): string => {
        const ranges = listOf(pieces.firstRange[piece], live.rangeNext, rangeIn(live));
        const demand = pieces.firstDemand(piece, NONE);
        return `v${pieces.vreg[piece]} ${ranges} demand ${demand === NONE ? "none" : at(demand)}`;
      };
      const [first, second] = vregsOf(lir).map(firstPieceOf);
      const inRange = pieces.cut(first, resolveOf(instruction(1)), "a test");
      const inHole = pieces.cut(second, inputOf(instruction(2)), "a test");
      return [first, inRange, second, inHole]
        .map(show)
        .concat(listOf(second, pieces.next, String))
        .join("\n");
    },
    expected: `v0 [1.start, 1.resolve) demand none
v0 [1.resolve, 2.in) demand 1.in
v1 [1.start, 2.start) demand none
v1 [3.start, 4.in) demand none
1 5`,
  },
  {
    name: "values with disjoint lives share a slot, and a wide slot starts at an even unit",
    file: "share-slots.ts",
    text: CALL,
    show: (lir) => {
      const { live, pieces } = intervalsOf(lir);
      const slots = new SlotMap();
      const order = vregsOf(lir).sort((a, b) => startOf(live, a) - startOf(live, b));
      pieces.inMemory.fill(1);
      const words = Int32Array.from(order.map(firstPieceOf));
      const units = slots.share(lir, live, pieces, columnOf(words), lir.vregCount);
      return `${units} units, ${slots.shared} shared\n${byVreg(lir, (v) => String(slots.unit[v]))}`;
    },
    expected: `7 units, 4 shared
v0 0
v1 2
v2 4
v3 6
v4 6
v5 4
v6 4
v7 2`,
  },
  {
    name: "a value that a loop does not use is used later than all that it uses",
    file: "linear-scan/next-uses.ts",
    text: LOOP,
    show: (lir) => {
      const { live, weights, pieces } = intervalsOf(lir);
      const uses = new NextUses(live, weights, pieces);
      uses.reset(lir);
      const inLoop = resolveOf(instruction(2));
      uses.advance(lir, inLoop);
      const [, passingPiece, phiPiece] = vregsOf(lir).map(firstPieceOf);
      const [passing, phi] = [passingPiece, phiPiece].map((piece) =>
        uses.lateness(lir, piece, uses.nextDemand(piece)),
      );
      return [
        `later ${passing > phi}`,
        `leaves at ${at(uses.leavingPosition(lir, passingPiece))}`,
        `leaves before ${at(uses.leavingBefore(lir, passingPiece, inLoop))}`,
        `is loaded at ${at(uses.reloadPosition(lir, startOfInstruction(instruction(1)), inputOf(instruction(2))))}`,
        `costs ${uses.memoryCost(lir, passingPiece, inLoop)}, ${uses.memoryCost(lir, phiPiece, inLoop)}`,
      ].join("\n");
    },
    expected: `later true
leaves at 2.start
leaves before 2.start
is loaded at 2.start
costs 2, 16`,
  },
  {
    name: "neighbours of each node, and the registers that it cannot have",
    file: "colouring/interference-graph.ts",
    text: CALL,
    show: (lir) => {
      const { graph } = graphOf(lir);
      return byVreg(lir, (v) => {
        const node = graph.nodeOf[firstPieceOf(v)];
        const neighbours: GraphNode[] = [];
        for (let n = FIRST_NODE; n < graph.count; n++)
          if (n !== node && graph.interfere(n, node)) neighbours.push(n);
        const names = neighbours.map((n) => `v${graph.piece[n]}`).join(" ");
        const barred = FEW.general.filter((r) => ((graph.forbidden[node] >> r) & 1) === 1);
        return `beside ${names}; not ${barred}; degree ${graph.degree[node]}`;
      });
    },
    expected: `v0 beside v1 v2 v3 v4 v5 v6; not 0,1,2; degree 9
v1 beside v0 v2 v3 v4 v5 v6; not 0,1,2; degree 9
v2 beside v0 v1 v3 v4; not 0,1,2; degree 7
v3 beside v0 v1 v2; not ; degree 3
v4 beside v0 v1 v2 v5 v6 v7; not ; degree 6
v5 beside v0 v1 v4; not ; degree 3
v6 beside v0 v1 v4; not ; degree 3
v7 beside v4; not ; degree 1`,
  },
  {
    name: "a demand in a loop costs more than a wish after it",
    file: "colouring/spill-costs.ts",
    text: LOOP,
    show: showCosts,
    expected: `v0 1.01
v1 1.31
v2 16.01
v3 16.01
v4 1.01`,
  },
  {
    name: "a piece that one demand covers cannot be in memory",
    file: "colouring/spill-costs.ts",
    text: CALL,
    show: showCosts,
    expected: `v0 1.61
v1 1.31
v2 0.01
v3 1.01
v4 1.31
v5 1.01
v6 Infinity
v7 1.01`,
  },
  {
    name: "a block comes after its dominators, and a back edge is a retreat",
    file: "one-pass/walk-order.ts",
    text: LOOP,
    show: (lir) => {
      const walk = walkOf(lir);
      return `order ${walk.order.subarray(0, walk.count)}\nretreat ${walk.retreatStart[0]} to ${walk.retreatEnd[0]}`;
    },
    expected: `order 0,1,2,3
retreat 4 to 10`,
  },
  {
    name: "a layout in which a block precedes its dominator is not the order",
    file: "one-pass/walk-order.ts",
    text: `lir x64 f
B0 -> B2
  0: entry
  1: jump
B1
  2: v0<i>:= = negl v1:R
  3: return v0:rax
B2 -> B1
  4: v1<i>:R = constl #1
  5: jump
`,
    show: (lir) => {
      const walk = walkOf(lir);
      return `order ${walk.order.subarray(0, walk.count)}`;
    },
    expected: "order 0,2,1",
  },
  {
    name: "definitions, ends, fixed registers and the uses of a loop",
    file: "one-pass/references.ts",
    text: LOOP,
    show: (lir) => {
      const references = referencesOf(lir).references;
      const { defined, end, hint, useNext, useVreg, useWeight, barrier } = references;
      const used = listOf(
        references.firstUse[blockAt(1)],
        useNext,
        (u) => `v${useVreg[u]} x${useWeight[u]}`,
      );
      const lives = byVreg(lir, (v) => {
        const hinted = hint[v] === NOWHERE ? "" : `, hint ${hint[v]}`;
        return `${defined[v]} to ${end[v]}${hinted}`;
      });
      return `${lives}\nB1 uses ${used}\nlast fixed rax ${barrier[RAX]}`;
    },
    expected: `v0 1 to 3, hint 7
v1 1 to 11, hint 6
v2 4 to 5
v3 5 to 11
v4 11 to 13
B1 uses v2 x1
last fixed rax 13`,
  },
  {
    name: "a value that lives into a loop keeps its slot to the end of the loop",
    file: "one-pass/home-slots.ts",
    text: USED_IN_LOOP,
    show: (lir) => {
      const { walk, references } = referencesOf(lir);
      const slots = new HomeSlots();
      const { defined } = references;
      const spilled = vregsOf(lir).sort((a, b) => defined[b] - defined[a] || a - b);
      const words = Int32Array.from(spilled);
      const units = slots.assign(lir, walk, references, columnOf(words), spilled.length);
      return `${units} units\n${byVreg(lir, (v) => String(slots.locationOf[v] - SLOT))}`;
    },
    expected: `3 units
v0 1
v1 0
v2 1
v3 2
v4 1
v5 0`,
  },
];

test("position-heap.ts: entries leave by position, equal ones by value", (t) => {
  const heap = new PositionHeap();
  for (const [k, key] of [5, 3, 9, 3, 1, 7].entries()) heap.push(key, k);
  const left: string[] = [];
  while (heap.count > 0) left.push(`${heap.firstKey()}:${heap.pop()}`);
  t.is(left.join(" "), "1:4 3:1 3:3 5:0 7:5 9:2");
});

test("room.ts: a demand for both halves needs a register that the call does not destroy", (t) => {
  const room = new RegisterDemand();
  const callerSaved = Uint8Array.of(1, 1, 0, 0);
  room.open(maskOf([0, 1, 2]), destroyedMask(callerSaved, 0));
  t.true(room.destroys(1) && !room.destroys(2));
  room.input = 2;
  room.whole = 1;
  t.true(room.fits());
  room.output = 1;
  t.false(room.fits());
  room.output = 0;
  room.fixedInput = maskOf([0]);
  t.false(room.fits());
});

test("arenas.ts: larger arrays keep their contents", (t) => {
  const array = Int32Array.of(4, 5, 6);
  t.deepEqual([...widen(array).subarray(0, 3)], [4, 5, 6]);
  t.true(widen(array).length > 3 && sized(array, 100).length >= 100);
});

for (const { name, file, text, show, expected } of STAGES) {
  test(`${file}: ${name}`, (t) => {
    t.is(show(parseLir(text, x64, null).lir), expected);
  });
}
