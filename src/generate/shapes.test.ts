// Draws each shape of the generator alone in a small program, and requires its properties.
//
// A line of SHAPES_TEXT is `name: property | property ...`. A property is a chain of opcodes: a value
// of the shape, an operand of it, an operand of that, and so on; a Phi has the values that its
// Upsilons write. `same` ends a chain at a value whose operands are one value. `back edge` and `two
// entries` describe the blocks of the shape. Each property occurs in one of the drawn programs at
// least. Every program is valid, and every execution ends and is defined.

import test from "ava";
import { nameOfOpcode, OPCODE_NAMES, Op } from "../ir/opcodes.js";
import { isJudged } from "../ir/outcome.js";
import { type BasicBlock, forEachOperand, type Value } from "../ir/procedure.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { SeedSource } from "../support/source.js";
import { emitPlain } from "./contents/contents.js";
import { FOLDED_OPERANDS } from "./contents/folded-operands.js";
import { IDIOMS } from "./contents/idioms.js";
import { MOVED_LOOP } from "./contents/moved-values.js";
import { RELATIONS } from "./contents/relations.js";
import { BOXES } from "./control/boxes.js";
import { CORNER_JOINS } from "./control/corner-joins.js";
import { CORNER_LOOPS } from "./control/corner-loops.js";
import { FACT_JOINS } from "./control/fact-joins.js";
import { SHAPES, STRUCTURES } from "./control/shape.js";
import { generateAround } from "./generate-program.js";
import type { MakerRow, MakerSpan } from "./maker/maker.js";
import { setPointer } from "./maker/objects.js";
import { run } from "./maker/rows.js";

const PROGRAMS = 120;
/** Programs that run. */
const EXECUTED = 4;
const PROFILE = { off: 0, typeOff: 0, objects: 100 };
const CHAIN_MAX = 4;
/** The properties of blocks. */
const LOOPS = ["back edge", "two entries"];

const ROWS: readonly MakerRow[] = [
  ...IDIOMS,
  ...RELATIONS,
  ...FOLDED_OPERANDS,
  ...STRUCTURES.map(({ name, make }) => ({
    name,
    weight: 1,
    make: (maker: Parameters<typeof make>[0]) => make(maker, 30, 1),
  })),
  ...[...CORNER_LOOPS, MOVED_LOOP, ...CORNER_JOINS, ...FACT_JOINS, ...BOXES],
];

const SHAPES_TEXT = `
float identity: Add ConstFloat | Mul ConstDouble | Div ConstDouble | Sub Opaque | Store PurifyNaN
extended result: ZExt32 Shl | SExt32 SShr | LessThan ZExt32 | Add ZExt32 | ZShr Const32
overlap: Load Add Const64 | Store Add | Store16 Add | Store8 | Load16S
forward: Store Add | Store8 Add | Load Add | Load Parameter
overwrite: Store Phi Add | Add Phi Add Const64 | Store Add | Store8 Add | Check Equal | back edge
chain of comparisons: Select Equal Const32 | Select NotEqual Const32 | Equal LessEqual | NotEqual LessThan
chain of selects: Select Select Select | Select LessThan | Select Equal
Selects by one comparison: Select LessThan | Select Equal | Depend | Select Const64
order of floats: Select LessThan | Select Equal GreaterEqual | Equal LessThan | Select Opaque
pair of shifts: ZShr Shl Const32 | BitOr ZShr | BitOr Shl | BitOr SShr Const32 | Add ZShr
chain of constants: Add Add Const32 | Mul Mul Const32 | BitAnd BitAnd Const32 | BitXor BitXor Const32
strength: Mul Const32 | Mul Const64 | BitAnd Const32
same operands: Sub same | Equal same | LessEqual same | Mul same | Div same | BitXor same
round trip: FloatToDouble DoubleToFloat | DoubleToFloat FloatToDouble | Trunc SExt32 | SExt32 Trunc | Trunc Neg
narrow mask: SExt8 BitAnd Const32 | SExt16 BitAnd Const32 | Trunc BitAnd Const64
scaled index: Load Add Shl ZExt32 | Store Add Shl ZExt32 | ZExt32 BitAnd Const32 | Add Shl Const32
negations: Neg Neg | Add Neg | Sub Neg | Mul Neg | Abs Neg | BitXor Neg
range after a guard: Check GreaterEqual Const32 | Store LessThan Const32 | Store Above | NotEqual
division after a guard: Check Equal Const32 | Store UMod | Store UDiv
integers as doubles: Add IToD BitAnd | Mul IToD Sub | IToD BitAnd Const32 | Neg IToD
fraction in bounds: Div IToD BitAnd | Div UToD BitAnd | Div ConstDouble | Store TruncS32 Div | Store TruncU32
floats as doubles: DoubleToFloat Add FloatToDouble | DoubleToFloat Mul FloatToDouble | DoubleToFloat Div FloatToDouble | Select FloatToDouble
rule by hand: BitXor Const32 | Select LessThan | Add BitXor
nothing: Nop
mask of a shift: BitAnd Shl Const32 | BitAnd SShr Const32 | BitAnd ZShr Const32 | BitAnd Const64
extract of two words: BitOr Shl Const32 | BitOr ZShr Const32 | Add ZShr | BitXor Shl
mask of an inverse: BitAnd BitXor Const32 | BitOr BitXor | BitXor BitXor Const64
bits below a shift: BitOr Shl Const32 | BitOr BitAnd Const64 | BitXor Shl | Add BitAnd Shl
bits of a high half: SShr MulHigh | ZShr UMulHigh | MulHigh BitAnd Const32 | MulHigh ZShr
sign of a sum: LessThan Add | GreaterEqual Add | Store LessThan Sub | Select LessEqual | Phi Const32
order of a negation: BelowEqual Neg | GreaterThan Neg | Sub Const32 | Select Equal | Check
sum, truncated and compared: LessThan Add BitAnd | BitAnd BitOr Const32 | BitAnd Add BitAnd
conversion of a sum: TruncS64 Add ConstDouble | TruncU32 Mul | TruncS32 Sub | TruncU64 Add
sums beyond 2^53: TruncS64 Add IToD | TruncS64 Sub IToD | IToD Const64 | IToF Const64
comparison of widened floats: Add FloatToDouble | Div FloatToDouble | FloatToDouble Add | LessThan FloatToDouble | Sqrt FloatToDouble | TruncS64
both zeros: Select ConstDouble | CopySign ConstDouble | Identity ConstFloat | Store Identity
extension of a load: SExt32 Load | SExt32 Add Load | BitOr Load16Z | BitXor Load8Z
least integer by itself: UMod Const64 | UDiv Const64 | ChillMod | Mod Const32
divisions of one number: UDiv BitOr BitAnd | UMod BitOr BitAnd | ChillMod | Div Opaque | UDiv Const32
overflow and carry: Store MulOverflows | Select AddOverflows | Branch SubOverflows | AddCarries
equal parameters: GreaterEqual Parameter | Select LessThan | Check | Phi Const32
chain of widths: Store Shl Const32 | Store ZShr Const32 | Store SShr | Trunc ZExt32 | Trunc SExt32
narrow store, extending load: Store8 Add | Store16 Add | Load8Z Add | Load16S Add | Load8S
last bytes of the heap: Load Add Const64 | Store Add Const64
index that wraps: Add Opaque Sub BitAnd | ZExt32 Mul BitOr | ZExt32 Shl BitOr | BitOr BitAnd Const32
index beyond the scales: Add Shl Shl ZExt32 | Add Shl Opaque Shl | Load Add Shl Shl
adjacent accesses: Store8 Add | Store Add Const64 | Load Add Const64 | Load Parameter
adjacent constant stores: Store8 Const32 | Store16 Const32 | Store Const32 | Load Parameter
loaded address: Load Load | Load Add Load | Store Add Const64
selected address: Load Select Add | Store Select Add | Load Phi Add | Phi Add Const64
loaded index: Load Add ZExt32 BitAnd | ZExt32 BitAnd Load8Z | Store Add ZExt32 BitAnd | Store8
one address, several forms: Load Add Add ZExt32 | Load Sub Add ZExt32 | Store Add Add ZExt32 | Sub Const64
overlapping accesses: Store Add Const64 | Store8 Add Const64 | Load Add Const64 | Load Parameter
end of an indexed range: Load Add | Store Load | Store Add | Add Add
store that exits do not need: Check Equal | Check GreaterThan BitAnd | Store Add Const64
slots of one section: Store SlotBase | Store16 SlotBase | Load SlotBase | Load8Z SlotBase | Opaque SlotBase
constant indices: Check AboveEqual Const32 | Check BelowEqual BitAnd Const32
guard with an unused result: CheckAdd Const32 | CheckSub Const32 | CheckMul Const32 | Identity CheckAdd
consecutive guards: Check Equal ConstFloat | Check Equal Const64 | ChillDiv | MulHigh | Shl
guards of one sum: Store CheckAdd | Store CheckSub | CheckMul Const64 | Store Add
result beside its overflow: Check AddOverflows | Check SubOverflows | Check MulOverflows | Store Mul | Store Sub
negation that may overflow: Store CheckSub Const32 | Store CheckSub Const64
negated comparison: Check Equal LessThan | Check Equal EqualOrUnordered | Store Equal
conversion in a snapshot: Store IToD | Mul IToD | Check Equal | Store SlotBase
slots in snapshots: Store SlotBase | Store Add SlotBase | Load8Z SlotBase | Check Equal
values used only by exits: Check Equal | Mul ZExt32 | Add DoubleToFloat | BitXor
permuted arguments: CCall UToD | CCall IToF | CCall Trunc | CCall SExt32
call with permuted parameters: CCall Parameter | Extract CCall
references over a call: Add BitXor Patchpoint | BitXor BitXor Patchpoint | Sub Patchpoint | CCall
slot address kept by the host: CCall SlotBase | Load Add SlotBase | Store Add SlotBase | Load8Z Add ZExt32
values only moved: Store Stitch | Stitch TruncHigh | Trunc Stitch | Select CCall | TruncHigh Opaque
number in bounds: Store TruncS32 | Store TruncU64 | Add ConstDouble | IToD BitAnd | Add UToD
comparison beside another: Below Parameter | LessThan Const32 | Equal Const64 | GreaterThan ConstDouble | Check
condition on a loop's counter: Below Parameter | LessThan Const32 | Equal Const64
constants that cancel: Sub Add Const32 | BitXor BitXor Const32 | Add Sub Const32 | BitXor BitAnd Const64
truncation and extension: SExt32 Trunc | ZExt32 SExt8 Trunc | Sub SExt32 | SExt8 Trunc
one operation on two values: Sub Add Const32
expression of a newer value: Sub Add Const32 | BitXor BitXor Const32
store of the loaded value: Store Load Parameter | Store Load Add | Load Add Const64
call with other arguments: CCall Parameter | CCall Const32 | CallIndirect FunctionAddress
load within an operation: Mul Load Add | Load Add Shl Const32 | Add Opaque Add | Opaque Trunc BitAnd
load within a comparison: Equal Load Add | Load Add Shl Const32 | Add Opaque Add | Branch
access at a scaled index: Load Add Shl | Store Add Shl | Opaque BitAnd Const32 | Add Opaque Add
shifted operand: Sub Shl Const32 | SExt32 Opaque | Add ZExt32
loop: back edge | Add Phi Add | Phi Add Phi | Branch LessThan Phi | BitAnd Phi
irreducible loop: two entries | Branch GreaterThan Sub Phi | Sub Phi Sub
corner loop: back edge | Sub Phi Sub | Phi Add Phi
diamond: Branch | Jump | Phi
chain: Branch Equal BitAnd Const32 | Branch NotEqual BitAnd | Branch GreaterEqual BitAnd | Phi
switch: Switch BitAnd Const32 | Switch Add BitAnd | Phi
decoy: Branch Equal NotEqual BitAnd | NotEqual BitAnd Trunc | Oops | Branch GreaterThan BitAnd
choice: Branch Phi | Phi Const32 | Branch Equal | Phi Parameter
corner join: Branch | Phi BitXor RotL | Jump
joined facts: Phi Opaque | Select Select | Store Opaque
boxes: Stitch Const32 | Check NotEqual TruncHigh | Check Above Const32 | Trunc Phi Stitch | Select Stitch
comparison as a number: Store BitAnd | Store SExt32 | Select Equal | Switch | Branch
rotation: back edge | Phi Phi Phi Phi | Phi Add Phi | Sub Phi Sub
loop that tests the old value: back edge | Branch GreaterThan Phi Sub | Branch Phi Sub Phi | Select Phi Select
store over a loaded location: back edge | Phi Add Load | Store Parameter | Load Parameter
load beside a call that writes: back edge | Phi Add Load | Patchpoint | CCall
guard that is not reached: back edge | Branch NotEqual BitAnd Trunc | Store CheckSub BitXor | CheckSub BitXor BitOr
store at the latch: back edge | Phi Add Load | Add Add Load | Store Phi Sub Phi
carried value used only by a call: back edge | Mul Phi Mul | CCall Phi
swapped arrays: back edge | Check AboveEqual Phi Phi | Load Add Phi Phi | Phi Phi Add Const64 | Add ZExt32
counter at the end of its type: back edge | Add Phi Add Phi | ZExt32 Phi Add | SExt32 Phi Add | Phi Const64
load below two guards: back edge | Check AboveEqual Const32 | Load Add ZExt32 | Load Add SExt32
exit by overflow or carry: back edge | AddCarries Phi Add | Branch AddOverflows Phi Add | Store AddCarries Phi
bound and step in memory: back edge | Add Phi Load | Phi Add Load | AboveEqual Load | Branch GreaterEqual Load
loop with several exits: back edge | Branch Equal Phi Sub | Branch Equal Const32
calls with many live values: back edge | CCall Phi | BitXor BitwiseCast | Add BitOr Shl
element of the previous iteration: back edge | Add Load Add Shl | Store Add Shl | Branch LessThan BitAnd | LessThan Phi Const32
Phis that forward constants: back edge | Branch NotEqual Phi Const32 | Phi Const32 | Phi Add Phi | Phi BitAnd Phi
address of the last iteration: back edge | Add Shl ZExt32 BitAnd | ZExt32 BitAnd Phi Sub | Load Add Shl
loop of drawn parts: back edge | Mul Phi Add | BitAnd Phi Add | BitwiseCast Load Add | Trunc BitXor ZShr
initial value by path: back edge | Branch LessThan Add Phi | Phi Const32 | Select Phi Select
walk along links: back edge | Load Phi Load Phi | Load Load Phi | Store Add Const64
walk by a step: back edge | Add Phi Add Const64 | Load Add Phi Add | Load Phi Add
loop of values moved: back edge | Phi Phi Stitch | TruncHigh Phi Phi | Trunc Phi Phi | Phi CCall
expression past a join: Branch GreaterEqual | Phi Mul | Phi Sub | Store
comparison past a join: Phi Add Equal | Add LessThan | Add Phi Const32 | Check
one comparison, many times: Phi Phi Mul | Phi Phi Phi | Branch Equal Const32 | Branch NotEqual
edge that folds: Branch LessThan Const32 | Branch BitXor same | Branch GreaterThan BitAnd | Phi Mul | Phi Div
edges with moves: Branch NotEqual | Phi ConstFloat | Phi Const64 | Store Phi
nest of switches: Switch Sub BitAnd | Switch BitAnd Const32 | Store Phi Add Phi
long straight block: Div Sub | Mul Sub | Add Div Mul | BitAnd BitOr
deep expression: Add Mul Sub Add | Mul Add Sub | Div Div
one value, many users: Mul Add | Sub Add | BitOr Mul | Mul Mul
many values, one user: BitXor BitwiseCast | BitOr Shl Add | BitXor Add BitOr
Switch on constants by path: Switch Phi Const32 | Switch Phi Const64 | Switch Phi Phi | Branch LessThan
end of a narrower range: Phi BitXor RotL BitXor | RotL ZExt32 | BitXor SExt32 Trunc
short circuit: Branch BelowEqual Add Const32 | Branch LessEqual Const32 | Phi Add
facts joined by a Phi: Phi Opaque | Phi Abs | Branch GreaterEqual
facts joined in a loop: back edge | Phi Opaque | LessEqual Phi | Sub Phi Sub
facts joined by a Select: Select Select | Select Opaque | Select LessThan
facts joined in memory: Store Opaque | Load Add | Branch NotEqual | Load Parameter
fact implied by an edge: Branch GreaterEqual | Check | Store Depend | Phi | FTrunc
fact implied by a Switch: Switch | Store Phi Const32 | Store Depend | UMulHigh | SExt8
box of a loop: back edge | Check NotEqual TruncHigh Phi | Trunc Phi Stitch Const32 | CheckAdd Trunc Phi | Phi Select Stitch
boxes of several tags: Branch NotEqual TruncHigh Phi | Phi Stitch Const32 | Trunc Phi Stitch | BitOr ZExt32
box in memory: Check NotEqual TruncHigh Load | Trunc Load Add | Store Add Load | Stitch Const32
box in the frame: TruncHigh Load SlotBase | Trunc Load SlotBase | Store Stitch Const32 | BitwiseCast Load SlotBase
known tag: NotEqual TruncHigh Stitch | TruncHigh Select Stitch | Equal Stitch | TruncHigh Load | Stitch Const32
`;

const PROPERTIES = new Map(
  SHAPES_TEXT.trim()
    .split("\n")
    .map((line): [string, string[]] => {
      const [name, properties] = line.split(": ");
      return [name, properties.split(" | ")];
    }),
);

/** The values of a shape, and the values that are written to Phis. */
interface DrawnShape {
  readonly values: readonly Value[];
  readonly inputs: ReadonlyMap<Value, readonly Value[]>;
  readonly blocks: readonly BasicBlock[];
}

function drawnBy({ proc, from, to }: MakerSpan): DrawnShape {
  const inputs = new Map<Value, Value[]>();
  const values: Value[] = [];
  proc.forEachValue((value) => {
    if (value.id >= from && value.id < to) values.push(value);
    if (value.opcode !== Op.Upsilon || value.a === null) return;
    inputs.set(value.phi, [...(inputs.get(value.phi) ?? []), value.a]);
  });
  proc.computePredecessors();
  const blocks = proc.blocks.filter((block) =>
    block.values.some((value) => values.includes(value)),
  );
  return { values, inputs, blocks };
}

/** Adds the chains of the drawn shape. */
function addChains({ values, inputs }: DrawnShape, found: Set<string>): void {
  const own = new Set(values);
  const walk = (value: Value, before: string, left: number): void => {
    const chain = `${before}${nameOfOpcode(value.opcode)}`;
    found.add(chain);
    if (value.a !== null && value.a === value.b) found.add(`${chain} same`);
    if (left === 0 || !own.has(value)) return;
    const visit = (next: Value): void => walk(next, `${chain} `, left - 1);
    if (value.opcode === Op.Phi) inputs.get(value)?.forEach(visit);
    else forEachOperand(value, visit);
  };
  for (const value of values) if (value.opcode !== Op.Upsilon) walk(value, "", CHAIN_MAX - 1);
}

/** Adds the properties of the blocks of the drawn shape. */
function addLoops({ blocks }: DrawnShape, found: Set<string>): void {
  for (const head of blocks) {
    const loop = reachedFrom(head.successors);
    if (!loop.has(head)) continue;
    found.add("back edge");
    const isInLoop = (block: BasicBlock): boolean =>
      loop.has(block) && reachedFrom(block.successors).has(head);
    const entries = blocks.filter(
      (block) => isInLoop(block) && block.predecessors.some((before) => !isInLoop(before)),
    );
    if (entries.length > 1) found.add("two entries");
  }
}

function reachedFrom(start: readonly BasicBlock[]): Set<BasicBlock> {
  const reached = new Set(start);
  for (const block of reached) for (const next of block.successors) reached.add(next);
  return reached;
}

const oracle = new Oracle();

for (const row of ROWS) {
  test(row.name, (t) => {
    const wanted = PROPERTIES.get(row.name) ?? [];
    const found = new Set<string>();
    for (let seed = 0; seed < PROGRAMS; seed++) {
      const { module, inputs, made } = generateAround(
        (maker) => {
          setPointer(maker);
          run(maker, row);
          // These may use all values that the shape leaves as operands.
          for (let step = 0; step < 8; step++) emitPlain(maker);
          return [];
        },
        new SeedSource(BigInt(seed), row.name),
        PROFILE,
      );
      const span = made.findLast(({ maker, proc }) => maker === row.name && proc === module.entry);
      if (span !== undefined) {
        const drawn = drawnBy(span);
        addChains(drawn, found);
        if (wanted.some((property) => LOOPS.includes(property))) addLoops(drawn, found);
      }
      const faults = verify(module).map(describeFault);
      t.deepEqual(faults, [], `seed ${seed}`);
      if (seed >= EXECUTED) continue;
      const decoded = decodeModule(module);
      for (const input of inputs) {
        const outcome = oracle.run(decoded, input, DEFAULT_FUEL);
        t.true(isJudged(outcome), `${seed}: ${outcome.ending.kind}`);
      }
    }
    t.deepEqual(
      wanted.filter((property) => !found.has(property)),
      [],
    );
  });
}

test("every shape has a line of properties, which name opcodes", (t) => {
  const shapes = [...IDIOMS, ...RELATIONS, ...FOLDED_OPERANDS].map(({ name }) => name);
  t.deepEqual([...PROPERTIES.keys()].sort(), [...shapes, ...SHAPES].sort());
  const others = ["Parameter", "same", ...LOOPS.join(" ").split(" ")];
  const words = new Set<string>([...OPCODE_NAMES, ...others]);
  for (const [name, properties] of PROPERTIES) {
    for (const word of properties.join(" ").split(" ")) t.true(words.has(word), `${name}: ${word}`);
  }
});
