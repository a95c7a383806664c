// Defines what a world does with one element of an array: an operation on it with another operand, and a use of the
// result, which stores it, adds it to a sum, or selects by it.

import { chance } from "../../generate/maker/odds.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, type Type } from "../../ir/types.js";
import { type CountedSet, choice, product, sumOver } from "../counted.js";
import { DRAWN_CONSTANT, emitLeaf } from "../leaves.js";
import type { MemoryAccess } from "../memory.js";
import { type OperationStep, resultBits, STEPS } from "../steps.js";
import type { WorldSite } from "../world.js";

interface ArrayElement {
  readonly load: MemoryAccess;
  /** The store of an integer; other results are stored in full. */
  readonly store: Opcode;
  readonly bytes: number;
}
// biome-ignore format: a table
const ELEMENTS: readonly ArrayElement[] = [
  { load: { opcode: Op.Load8Z,  type: Int32 },  store: Op.Store8,  bytes: 1 },
  { load: { opcode: Op.Load8S,  type: Int32 },  store: Op.Store8,  bytes: 1 },
  { load: { opcode: Op.Load16Z, type: Int32 },  store: Op.Store16, bytes: 2 },
  { load: { opcode: Op.Load16S, type: Int32 },  store: Op.Store16, bytes: 2 },
  { load: { opcode: Op.Load,    type: Int32 },  store: Op.Store,   bytes: 4 },
  { load: { opcode: Op.Load,    type: Int64 },  store: Op.Store,   bytes: 8 },
  { load: { opcode: Op.Load,    type: Float },  store: Op.Store,   bytes: 4 },
  { load: { opcode: Op.Load,    type: Double }, store: Op.Store,   bytes: 8 },
];
/** Bytes of a value, by its type. */
export const BYTES: readonly number[] = [0, 4, 8, 4, 8];

/** Loads of the same bytes, with the other extension. */
const OTHER_EXTENSION: ReadonlyMap<Opcode, Opcode> = new Map<Opcode, Opcode>([
  [Op.Load8Z, Op.Load8S],
  [Op.Load8S, Op.Load8Z],
  [Op.Load16Z, Op.Load16S],
  [Op.Load16S, Op.Load16Z],
]);
const OTHER_EXTENSION_OF_100 = 30;

/** Returns the load of an element of the second array: sometimes with another extension. */
export function otherLoad({ load }: ArrayElement, { source }: WorldSite): MemoryAccess {
  const opcode = OTHER_EXTENSION.get(load.opcode);
  if (opcode === undefined || !chance(source, OTHER_EXTENSION_OF_100)) return load;
  return { ...load, opcode };
}

/** Returns the store of the operation's result, and its bytes. */
export function storeOf(
  { load, store, bytes }: ArrayElement,
  { instance: { result } }: OperationStep,
): { readonly opcode: Opcode; readonly bytes: number } {
  const isNarrow = result === Int32 && load.type === Int32;
  return isNarrow ? { opcode: store, bytes } : { opcode: Op.Store, bytes: BYTES[result] };
}

/** The values that the operation on one element, and the use of its result, can use. */
export interface ElementValues {
  /** The site in the procedure of the world: its operands are the procedure's. */
  readonly site: WorldSite;
  /** The number of the element. */
  readonly counter: Value;
  /** The loaded element. */
  readonly element: Value;
  /** The state that the use of the previous element returned. */
  readonly state: Value;
  /** Loads an element of the second array: the one beside this element, or the one with the number. */
  readonly loadOther: (number: Value | null) => Value;
  /** Stores a value beside this element, or as the element with the number. */
  readonly store: (value: Value, number: Value | null) => void;
}

const FEW = 7;
/** Returns a number from 0 to FEW that depends on the element. */
function numberOf({ site, element }: ElementValues): Value {
  const { maker } = site;
  const bits = isFloating(element.type) ? resultBits(site, element) : element;
  const low = bits.type === Int64 ? maker.append(Op.Trunc, Int32, bits) : bits;
  return maker.append(Op.BitAnd, Int32, low, maker.integer(Int32, FEW));
}

/** The other operand of the operation, of the requested type. */
type OtherOperand = (values: ElementValues, type: Type) => Value;
const OTHERS: readonly OtherOperand[] = [
  ({ site }, type) => emitLeaf(site, "few", type, DRAWN_CONSTANT),
  ({ site: { operands } }, type) => operands[type][0],
  (values, type) => ofType(values, type, values.loadOther(null)),
  (values, type) => ofType(values, type, values.loadOther(numberOf(values))),
  (values, type) => ofType(values, type, values.counter),
];
/** Returns the other operands of an operation; one that has none needs no choice. */
const othersOf = ({ instance }: OperationStep): readonly OtherOperand[] =>
  instance.operands.length === 1 ? OTHERS.slice(0, 1) : OTHERS;

/** An operation on an element. */
export interface ElementOperation {
  readonly element: ArrayElement;
  readonly step: OperationStep;
  readonly other: OtherOperand;
}
/** All operations on elements of all types, with each other operand. */
export const ELEMENT_OPERATIONS: CountedSet<ElementOperation> = sumOver(ELEMENTS, (element) =>
  sumOver(STEPS[element.load.type], (step) =>
    product<ElementOperation>({
      element: choice([element]),
      step: choice([step]),
      other: choice(othersOf(step)),
    }),
  ),
);

const ofType = ({ site }: ElementValues, type: Type, value: Value): Value =>
  value.type === type ? value : site.operands[type][0];

const ORDERS: readonly Opcode[] = [
  Op.LessThan,
  Op.GreaterThan,
  Op.LessEqual,
  Op.Equal,
  Op.NotEqual,
];
/** Compares the element with an operand or with an element of the second array. */
function isChosen(values: ElementValues): Value {
  const { site, element } = values;
  const { maker, source, operands } = site;
  const opcode = ORDERS[source.below(ORDERS.length)];
  const other = chance(source, 50) ? values.loadOther(null) : operands[element.type][0];
  return maker.append(opcode, Int32, element, other);
}

/** By type: the operations of sums. Compilers change the order only where the result is the same. */
const SUMS: readonly (readonly Opcode[])[] = [
  [],
  ...[Int32, Int64].map(() => [Op.Add, Op.Sub, Op.Mul, Op.BitAnd, Op.BitOr, Op.BitXor]),
  ...[Float, Double].map(() => [Op.Add, Op.Sub, Op.Mul]),
];
const sumOf = ({ site: { source } }: ElementValues, { type }: Value): Opcode =>
  SUMS[type][source.below(SUMS[type].length)];
const SIGNED_ORDERS: readonly Opcode[] = [Op.LessThan, Op.GreaterThan];
const UNSIGNED_ORDERS: readonly Opcode[] = [Op.Below, Op.Above];

/** Uses a result, and returns the new state, which has the same type. */
export type ResultUse = (values: ElementValues, result: Value) => Value;

function stored(values: ElementValues, result: Value): Value {
  values.store(result, null);
  return values.state;
}

const summed = (values: ElementValues, result: Value): Value =>
  values.site.maker.append(sumOf(values, result), result.type, values.state, result);

const selected = ({ site, state }: ElementValues, isNew: Value, result: Value): Value =>
  site.maker.append(Op.Select, result.type, isNew, result, state);

/** Uses without a branch. */
export const PLAIN_USES: readonly ResultUse[] = [
  stored,
  // A copy of an array, and a fill: the result is not used.
  (values, { type }) => stored(values, ofType(values, type, values.element)),
  (values, { type }) => stored(values, values.site.operands[type][0]),
  (values, result) => {
    const { type } = result;
    const other = ofType(values, type, values.element);
    const selected = values.site.maker.append(Op.Select, type, isChosen(values), result, other);
    return stored(values, selected);
  },
  (values, result) => {
    values.store(result, numberOf(values));
    return values.state;
  },
  summed,
  (values, result) => selected(values, isChosen(values), summed(values, result)),
  (values, result) => selected(values, isChosen(values), result),
  // The least or the greatest result.
  (values, result) => {
    const { maker, source } = values.site;
    const isUnsigned = !isFloating(result.type) && chance(source, 50);
    const orders = isUnsigned ? UNSIGNED_ORDERS : SIGNED_ORDERS;
    const order = orders[source.below(orders.length)];
    return selected(values, maker.append(order, Int32, result, values.state), result);
  },
  // This result and the previous one.
  (values, result) => {
    const { maker } = values.site;
    values.store(maker.append(sumOf(values, result), result.type, result, values.state), null);
    return result;
  },
];

/** Stores the result if the element is chosen. */
export function storeIf(values: ElementValues, result: Value): Value {
  const { maker } = values.site;
  const [chosen, join] = [maker.proc.newBlock(), maker.proc.newBlock()];
  maker.branch(isChosen(values), chosen, join);
  maker.block = chosen;
  values.store(result, null);
  maker.jump(join);
  maker.block = join;
  return values.state;
}

/** Returns a use that leaves for a block at the first chosen element, after the store. */
export const searchFor =
  (exit: BasicBlock): ResultUse =>
  (values, result) => {
    const { maker } = values.site;
    const next = maker.proc.newBlock();
    values.store(result, null);
    maker.branch(isChosen(values), exit, next);
    maker.block = next;
    return result;
  };
