// Makes worlds of memory classes: five accesses to two adjacent parts of a cell. Each part has a
// class of its own or none, and some accesses cover both parts. Accesses of different classes
// never alias, so a compiler may exchange them. An access that a compiler combines from two belongs
// to neither class.

import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../ir/types.js";
import { below, type CountedValue, choice, product, sequence } from "./counted.js";
import { cell, flag } from "./memory.js";
import { bitsOf } from "./operations.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

/** A form of access: its size, type and opcodes. */
interface AccessForm {
  readonly bytes: number;
  readonly type: Type;
  readonly load: Opcode;
  readonly store: Opcode;
}
const FORMS: readonly AccessForm[] = [
  { bytes: 1, type: Int32, load: Op.Load8Z, store: Op.Store8 },
  { bytes: 2, type: Int32, load: Op.Load16Z, store: Op.Store16 },
  { bytes: 4, type: Int32, load: Op.Load, store: Op.Store },
  { bytes: 8, type: Int64, load: Op.Load, store: Op.Store },
];
/** Forms of a part; an access to both parts has the next form. */
const PART_FORMS = FORMS.length - 1;
/** The memory class of each part of the cell; 0 for none. */
const CLASSES = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
  [1, 2],
] as const;

type StoredOperand = "constant" | "operand";
interface AccessStep {
  /** The part of the cell that is accessed; null for an access to both, without a class. */
  readonly part: 0 | 1 | null;
  /** The stored value; null for a load. */
  readonly stored: StoredOperand | null;
}
const STEPS: readonly AccessStep[] = [
  { part: 0, stored: "constant" },
  { part: 1, stored: "constant" },
  { part: 0, stored: "operand" },
  { part: 1, stored: "operand" },
  { part: null, stored: "operand" },
  { part: 0, stored: null },
  { part: 1, stored: null },
  { part: null, stored: null },
];

/** Selects the accesses that go to this cell or to another one, depending on an operand. */
const UNKNOWN: readonly ((step: AccessStep) => boolean)[] = [
  () => false,
  ({ stored }) => stored === null,
  ({ stored }) => stored !== null,
];
/** The distance of the other cell in bytes. */
const OTHER_CELL = 16;

const WORLDS = product({
  form: below(PART_FORMS),
  classes: choice(CLASSES),
  isUnknown: choice(UNKNOWN),
  steps: sequence(5, choice(STEPS)),
});

function make(world: CountedValue<typeof WORLDS>, site: WorldSite): Value {
  const { form, classes, isUnknown, steps } = world;
  const { maker } = site;
  const here = cell(site, 0);
  const anywhere = maker.append(Op.Select, Int64, flag(site), here, cell(site, OTHER_CELL));
  let result = maker.integer(Int64, 0);
  for (const step of steps) {
    const { part } = step;
    const location: AccessLocation = {
      form: FORMS[part === null ? form + 1 : form],
      address: isUnknown(step) ? anywhere : here,
      offset: (part ?? 0) * FORMS[form].bytes,
      accessClass: part === null ? 0 : classes[part],
    };
    if (step.stored !== null) {
      store(site, location, step.stored);
    } else {
      const rotated = maker.append(Op.RotL, Int64, result, maker.integer(Int32, 7));
      const loaded = bitsOf(maker, load(site, location), Op.ZExt32);
      result = maker.append(Op.BitXor, Int64, rotated, loaded);
    }
  }
  return result;
}

interface AccessLocation {
  readonly form: AccessForm;
  readonly address: Value;
  readonly offset: number;
  readonly accessClass: number;
}

function store(site: WorldSite, location: AccessLocation, stored: StoredOperand): void {
  const { maker, source, operands } = site;
  const { type, store: opcode } = location.form;
  const value = stored === "constant" ? maker.integer(type, source.below(256)) : operands[type][2];
  setLocation(maker.append(opcode, Void, value, location.address), location);
}

const load = ({ maker }: WorldSite, location: AccessLocation): Value =>
  setLocation(maker.append(location.form.load, location.form.type, location.address), location);

function setLocation(access: Value, { offset, accessClass }: AccessLocation): Value {
  access.offset = offset;
  access.memoryClass = accessClass;
  return access;
}

export const MEMORY_CLASSES: readonly WorldKind[] = [
  kindOf("classes", "five accesses to two pieces of memory, each with a class", WORLDS, make, {
    perProgram: 16,
  }),
];
