// Defines each primitive of the bytecode once, in steps of a stack machine. Interpreters,
// translators and recorders implement the steps.
//
// A cell of the operand stack has 8 bytes: a Double, or a 32-bit integer with zeroes above it. The
// return stack has words of 32 bits: return addresses, and words that a procedure keeps there.
//
// A box is also a 32-bit integer (an atom). A tag in its low three bits states the kind of its
// payload, the upper 29 bits. Boxing a Double rounds it to an integer of that many bits.

/** The kind of a cell that an operation assumes: a 32-bit integer, a Double, a box, or any. */
export type CellKind = "int" | "double" | "box" | "any";

/** Whether a cell of this kind has 32 bits. */
export const isInteger = (kind: CellKind): boolean => kind === "int" || kind === "box";

/** Tags of boxes. */
export const TAG_BITS = 3;
export const TAG_MASK = 7;
export const TAGS = { boolean: 5, integer: 6, double: 7 } as const;

/** Opcodes of the language with which primitives compute. */
export type ComputingOpcode =
  | "Add"
  | "Sub"
  | "Mul"
  | "ChillDiv"
  | "ChillMod"
  | "BitAnd"
  | "BitOr"
  | "BitXor"
  | "Shl"
  | "SShr"
  | "Neg"
  | "LessThan"
  | "Equal"
  | "IToD"
  | "ToInt32";

/** @template V represents a value: a number, or a value of the language */
export interface PrimitiveSteps<V> {
  /** Returns the immediate of the word; `nextAddress` the address of the next word. */
  immediate(): V;
  nextAddress(): V;
  pop(kind: CellKind): V;
  push(kind: CellKind, value: V): void;
  popReturn(): V;
  pushReturn(value: V): void;
  /** Returns the word of the return stack at the depth of the immediate. */
  local(): V;
  setLocal(value: V): void;
  /** Words of the data, by index; the index is taken modulo their number. */
  load(index: V): V;
  store(value: V, index: V): void;
  /** @param takes the kind of its operands */
  compute(opcode: ComputingOpcode, operands: readonly V[], takes: CellKind, gives: CellKind): V;
  /** Logs an observable event. */
  log(value: V): void;
  /** Makes a box; the next steps return its tag as an integer, and its payload. */
  box(payload: V, tag: number): V;
  tagOf(box: V): V;
  payloadOf(box: V): V;
  /** Leaves the program if the box on top has another tag. */
  checkTag(tag: number): void;
  /** Returns 0 for 0, and otherwise 1. */
  truthOf(integer: V): V;
  /** Leaves the program if the called procedure may not have room on the stacks. */
  checkRoom(): void;
  /**
   * Jumps to the word of the immediate; `jumpIf` continues with the next word if the condition is
   * zero.
   */
  jump(): void;
  jumpIf(condition: V, isZero: boolean): void;
  jumpTo(address: V): void;
  halt(): void;
}

/** The meaning of a word's immediate. */
export type ImmediateKind =
  | "none"
  | "literal"
  | "local"
  | "signature"
  | "forward"
  | "backward"
  | "procedure";

export interface BytecodePrimitive {
  readonly name: string;
  readonly immediate: ImmediateKind;
  readonly applyTo: <V>(m: PrimitiveSteps<V>) => void;
  /** Whether the jump is counted, because a loop or a procedure begins at its target. */
  readonly isEdge: boolean;
}

const plain = (
  name: string,
  applyTo: BytecodePrimitive["applyTo"],
  immediate: ImmediateKind = "none",
): BytecodePrimitive => ({
  name,
  immediate,
  applyTo,
  isEdge: false,
});

const edge = (
  name: string,
  immediate: ImmediateKind,
  does: BytecodePrimitive["applyTo"],
): BytecodePrimitive => ({
  ...plain(name, does, immediate),
  isEdge: true,
});

const unary = (
  name: string,
  opcode: ComputingOpcode,
  takes: CellKind,
  gives: CellKind,
): BytecodePrimitive =>
  plain(name, (m) => m.push(gives, m.compute(opcode, [m.pop(takes)], takes, gives)));

const binary = (
  name: string,
  opcode: ComputingOpcode,
  takes: CellKind,
  gives: CellKind,
): BytecodePrimitive =>
  plain(name, (m) => {
    const y = m.pop(takes);
    const x = m.pop(takes);
    m.push(gives, m.compute(opcode, [x, y], takes, gives));
  });

/** Makes a primitive that returns the payload of a box with that tag. */
const unboxing = (
  name: string,
  tag: number,
  gives: CellKind,
  of: <V>(m: PrimitiveSteps<V>, payload: V) => V,
): BytecodePrimitive =>
  plain(name, (m) => {
    m.checkTag(tag);
    m.push(gives, of(m, m.payloadOf(m.pop("box"))));
  });

const unchanged = <V>(_: PrimitiveSteps<V>, payload: V): V => payload;

/** Makes a primitive that pops cells, and pushes those at these depths, in order. */
const shuffle = (name: string, takes: number, gives: readonly number[]): BytecodePrimitive =>
  plain(name, <V>(m: PrimitiveSteps<V>) => {
    const cells: V[] = [];
    for (let i = 0; i < takes; i++) cells.push(m.pop("any"));
    for (const depth of gives) m.push("any", cells[depth]);
  });

/** The index of a primitive is its number, the low byte of a word. */
// biome-ignore format: a table
export const PRIMITIVES: readonly BytecodePrimitive[] = [
  // Begins a procedure; its immediate contains the numbers of cells that it takes and gives.
  plain("ENTER", () => {}, "signature"),
  plain("LITC", (m) => m.push("int", m.immediate()), "literal"),

  binary("IADD", "Add",      "int", "int"),
  binary("ISUB", "Sub",      "int", "int"),
  binary("IMUL", "Mul",      "int", "int"),
  binary("IDIV", "ChillDiv", "int", "int"),
  binary("IMOD", "ChillMod", "int", "int"),
  binary("IAND", "BitAnd",   "int", "int"),
  binary("IOR",  "BitOr",    "int", "int"),
  binary("IXOR", "BitXor",   "int", "int"),
  binary("ISHL", "Shl",      "int", "int"),
  binary("ISHR", "SShr",     "int", "int"),
  binary("ILT",  "LessThan", "int", "int"),
  binary("IEQ",  "Equal",    "int", "int"),
  unary("INEG",  "Neg",      "int", "int"),

  binary("DADD", "Add",      "double", "double"),
  binary("DSUB", "Sub",      "double", "double"),
  binary("DMUL", "Mul",      "double", "double"),
  binary("DLT",  "LessThan", "double", "int"),
  binary("DEQ",  "Equal",    "double", "int"),
  unary("DNEG",  "Neg",      "double", "double"),
  unary("I2D",   "IToD",     "int", "double"),
  unary("D2I",   "ToInt32",  "double", "int"),

  shuffle("DUP",  1, [0, 0]),
  shuffle("DROP", 1, []),
  shuffle("SWAP", 2, [0, 1]),
  shuffle("OVER", 2, [1, 0, 1]),
  shuffle("ROT",  3, [1, 0, 2]),
  shuffle("NIP",  2, [0]),

  plain("TOR",    (m) => m.pushReturn(m.pop("int"))),
  plain("RFROM",  (m) => m.push("int", m.popReturn())),
  plain("LOCAL",  (m) => m.push("int", m.local()), "local"),
  plain("SETLOCAL", (m) => m.setLocal(m.pop("int")), "local"),

  plain("LOAD",   (m) => m.push("int", m.load(m.pop("int")))),
  plain("STORE",  (m) => {
    const index = m.pop("int");
    m.store(m.pop("int"), index);
  }),
  plain("LOG",    (m) => m.log(m.pop("int"))),

  plain("JUMP",   (m) => m.jump(), "forward"),
  plain("JZ",     (m) => m.jumpIf(m.pop("int"), true), "forward"),
  plain("JNZ",    (m) => m.jumpIf(m.pop("int"), false), "forward"),
  edge("LOOP",    "backward", (m) => m.jump()),
  edge("LOOPNZ",  "backward", (m) => m.jumpIf(m.pop("int"), false)),
  edge("CALL",    "procedure", (m) => {
    m.checkRoom();
    m.pushReturn(m.nextAddress());
    m.jump();
  }),
  // A superinstruction: a word built of primitives. It does not call itself, so it needs no check.
  plain("SUPER",  (m) => {
    m.pushReturn(m.nextAddress());
    m.jump();
  }, "procedure"),
  plain("EXIT",   (m) => m.jumpTo(m.popReturn())),
  plain("HALT",   (m) => m.halt()),

  plain("BOXI",   (m) => m.push("box", m.box(m.pop("int"), TAGS.integer))),
  plain("BOXB",   (m) => m.push("box", m.box(m.truthOf(m.pop("int")), TAGS.boolean))),
  plain("BOXD",   (m) => {
    const integer = m.compute("ToInt32", [m.pop("double")], "double", "int");
    m.push("box", m.box(integer, TAGS.double));
  }),
  plain("TAG",    (m) => m.push("int", m.tagOf(m.pop("box")))),
  unboxing("UNBOXI", TAGS.integer, "int",    unchanged),
  unboxing("UNBOXB", TAGS.boolean, "int",    unchanged),
  unboxing("UNBOXD", TAGS.double,  "double", (m, payload) => m.compute("IToD", [payload], "int", "double")),
];

const BY_NAME = new Map(PRIMITIVES.map(({ name }, number) => [name, number]));

/** Returns the number of the primitive; null if there is none. */
export const primitiveNamed = (name: string): number | null => BY_NAME.get(name) ?? null;
