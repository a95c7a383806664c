// Worlds of classes of memory: five accesses to two pieces of a cell that lie beside each other, each piece of a class
// of its own or of none, or to both pieces at once. Accesses of two classes never meet, so a compiler may exchange
// them; what it has made of two accesses belongs to the class of neither.

import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../ir/types.js";
import { cell, flag } from "./memory.js";
import { bitsOf } from "./operations.js";
import { CROWD, digitsOf, type Site, type WorldKind, worldKind } from "./world.js";

/** How so many bytes are accessed. */
interface Form {
  readonly bytes: number;
  readonly type: Type;
  readonly load: Opcode;
  readonly store: Opcode;
}
const FORMS: readonly Form[] = [
  { bytes: 1, type: Int32, load: Op.Load8Z, store: Op.Store8 },
  { bytes: 2, type: Int32, load: Op.Load16Z, store: Op.Store16 },
  { bytes: 4, type: Int32, load: Op.Load, store: Op.Store },
  { bytes: 8, type: Int64, load: Op.Load, store: Op.Store },
];
/** Of a piece; both together have the next one. */
const PIECE_FORMS = FORMS.slice(0, -1);
/** By piece; 0 says none. */
const CLASSES = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
  [1, 2],
] as const;

type Stored = "constant" | "operand";
interface Step {
  /** Which piece; null: both, of no class. */
  readonly piece: 0 | 1 | null;
  /** What is stored; null: it is a load. */
  readonly stored: Stored | null;
}
const STEPS: readonly Step[] = [
  { piece: 0, stored: "constant" },
  { piece: 1, stored: "constant" },
  { piece: 0, stored: "operand" },
  { piece: 1, stored: "operand" },
  { piece: null, stored: "operand" },
  { piece: 0, stored: null },
  { piece: 1, stored: null },
  { piece: null, stored: null },
];
const STEPS_EACH = 5;

/** Which accesses go to this cell or another one behind it, as a number of the program says. */
const UNKNOWN: readonly ((step: Step) => boolean)[] = [
  () => false,
  ({ stored }) => stored === null,
  ({ stored }) => stored !== null,
];
/** In bytes: how far behind it lies. */
const OTHER_CELL = 16;

const RADICES = [
  PIECE_FORMS.length,
  CLASSES.length,
  UNKNOWN.length,
  ...Array<number>(STEPS_EACH).fill(STEPS.length),
];

function make(index: number, site: Site): Value {
  const [form, classes, unknown, ...steps] = digitsOf(index, RADICES);
  const { maker } = site;
  const here = cell(site, 0);
  const anywhere = maker.append(Op.Select, Int64, flag(site), here, cell(site, OTHER_CELL));
  let seen = maker.integer(Int64, 0);
  for (const step of steps.map((digit) => STEPS[digit])) {
    const { piece } = step;
    const place: Place = {
      form: FORMS[piece === null ? form + 1 : form],
      address: UNKNOWN[unknown](step) ? anywhere : here,
      offset: (piece ?? 0) * FORMS[form].bytes,
      accessClass: piece === null ? 0 : CLASSES[classes][piece],
    };
    if (step.stored !== null) {
      store(site, place, step.stored);
    } else {
      const turned = maker.append(Op.RotL, Int64, seen, maker.integer(Int32, 7));
      const loaded = bitsOf(maker, load(site, place), Op.ZExt32);
      seen = maker.append(Op.BitXor, Int64, turned, loaded);
    }
  }
  return seen;
}

interface Place {
  readonly form: Form;
  readonly address: Value;
  readonly offset: number;
  readonly accessClass: number;
}

function store(site: Site, place: Place, stored: Stored): void {
  const { maker, source, operands } = site;
  const { type, store: opcode } = place.form;
  const value = stored === "constant" ? maker.integer(type, source.below(256)) : operands[type][2];
  locate(maker.append(opcode, Void, value, place.address), place);
}

const load = ({ maker }: Site, place: Place): Value =>
  locate(maker.append(place.form.load, place.form.type, place.address), place);

function locate(access: Value, { offset, accessClass }: Place): Value {
  access.lo = offset;
  access.hi = accessClass;
  return access;
}

export const MEMORY_CLASSES: readonly WorldKind[] = [
  worldKind("classes", "five accesses to two pieces of memory, each of its class", RADICES, make, {
    ...CROWD,
    each: 16,
  }),
];
