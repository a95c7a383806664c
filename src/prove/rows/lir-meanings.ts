// Defines the meaning of each LIR row for the solver, in terms of the operations of the language.
// It is independent of the LIR interpreter; lir-meanings.test.ts compares the two. One table
// contains the rows of both targets. Where the targets differ and the language leaves the result
// undefined (a divisor of 0), the row faults.

import { CONDITION_NAMES, type ConditionName } from "../../../reference/target/conditions.js";
import { FENCES } from "../../ir/fences.js";
import { nameOfOpcode, Op, type Opcode } from "../../ir/opcodes.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isInteger,
  nameOfType,
  type Type,
  VALUE_TYPES,
} from "../../ir/types.js";
import {
  any,
  apply,
  bits,
  choose,
  equal,
  extract,
  not,
  signExtend,
  type Term,
  zeroExtend,
} from "../smt.js";
import { guardOf } from "../symbolic-effects.js";
import {
  chooseValue,
  floatOf,
  integer,
  integerOf,
  isNotNumber,
  type SymbolicValue,
  widthOf,
} from "../symbolic-value.js";
import { type LirSite, TYPE_OF, type Width } from "./lir-site.js";
import {
  ADDRESSED,
  COUNTS,
  compute,
  inverted,
  type OperandAddress,
  PLACES,
  SOURCES,
  type Source,
} from "./lir-sources.js";

type LirMeaning = (m: LirSite) => void;
type LirMeaningRow = readonly [name: string, meaning: LirMeaning];

/** Replaces the star in a name pattern by the letters of the type. */
const named = (pattern: string, w: Width): string => pattern.replace("*", w);
const INTEGER_WIDTHS = ["l", "q"] as const;
const FLOAT_WIDTHS = ["ss", "sd"] as const;

// biome-ignore format: a table
const BINARY: readonly (readonly [pattern: string, opcode: Opcode])[] = [
  ["add*", Op.Add], ["sub*", Op.Sub], ["imul*", Op.Mul], ["and*", Op.BitAnd],
  ["or*", Op.BitOr], ["xor*", Op.BitXor], ["orr*", Op.BitOr], ["eor*", Op.BitXor],
  ["min*", Op.Min], ["max*", Op.Max], ["umin*", Op.UMin], ["umax*", Op.UMax],
  ["imul*.high", Op.MulHigh], ["mul*.high", Op.UMulHigh], ["smulh*", Op.MulHigh], ["umulh*", Op.UMulHigh],
  ["chillDiv*", Op.ChillDiv], ["chillMod*", Op.ChillMod], ["sdiv*", Op.ChillDiv],
  ["idiv*", Op.Div], ["idiv*.rem", Op.Mod], ["div*", Op.UDiv], ["div*.rem", Op.UMod],
];
// biome-ignore format: a table
const SHIFTS: readonly (readonly [pattern: string, opcode: Opcode])[] = [
  ["shl*", Op.Shl], ["sar*", Op.SShr], ["shr*", Op.ZShr], ["lsl*", Op.Shl], ["asr*", Op.SShr], ["lsr*", Op.ZShr],
  ["rol*", Op.RotL], ["ror*", Op.RotR],
];
// biome-ignore format: a table
const FLAGS: readonly (readonly [pattern: string, opcode: Opcode])[] = [
  ["addOverflows*", Op.AddOverflows], ["subOverflows*", Op.SubOverflows],
  ["mulOverflows*", Op.MulOverflows], ["addCarries*", Op.AddCarries],
];
// biome-ignore format: a table
const UNARY: readonly (readonly [pattern: string, opcode: Opcode])[] = [
  ["neg*", Op.Neg], ["bswap*", Op.ByteSwap], ["depend*", Op.Depend], ["popcnt*", Op.PopCnt],
  ["lzcnt*", Op.Clz], ["tzcnt*", Op.Ctz], ["clz*", Op.Clz], ["ctz*", Op.Ctz],
];
// biome-ignore format: a table
const FLOAT_BINARY: readonly (readonly [pattern: string, opcode: Opcode])[] = [
  ["add*", Op.Add], ["sub*", Op.Sub], ["mul*", Op.Mul], ["div*", Op.Div],
  ["min*", Op.FMin], ["max*", Op.FMax], ["copysign*", Op.CopySign], ["fmod*", Op.Mod],
];
// biome-ignore format: a table
const FLOAT_UNARY: readonly (readonly [pattern: string, opcode: Opcode])[] = [
  ["neg*", Op.Neg], ["abs*", Op.Abs], ["ceil*", Op.Ceil], ["sqrt*", Op.Sqrt], ["floor*", Op.Floor],
  ["trunc*", Op.FTrunc], ["nearest*", Op.Nearest], ["purify*", Op.PurifyNaN],
];
// biome-ignore format: a table
const CONVERSIONS: readonly (readonly [name: string, opcode: Opcode, from: Width, to: Width])[] = [
  ["movsbl", Op.SExt8, "l", "l"],           ["sxtbl", Op.SExt8, "l", "l"],
  ["movswl", Op.SExt16, "l", "l"],          ["sxthl", Op.SExt16, "l", "l"],
  ["movsbq", Op.SExt8To64, "l", "q"],       ["sxtbq", Op.SExt8To64, "l", "q"],
  ["movswq", Op.SExt16To64, "l", "q"],      ["sxthq", Op.SExt16To64, "l", "q"],
  ["movslq", Op.SExt32, "l", "q"],          ["sxtlq", Op.SExt32, "l", "q"],
  ["zextl", Op.ZExt32, "l", "q"],           ["highl", Op.TruncHigh, "q", "l"],
  ["cvtsi2ssl", Op.IToF, "l", "ss"],        ["scvtfssl", Op.IToF, "l", "ss"],
  ["cvtsi2ssq", Op.IToF, "q", "ss"],        ["scvtfssq", Op.IToF, "q", "ss"],
  ["cvtsi2sdl", Op.IToD, "l", "sd"],        ["scvtfsdl", Op.IToD, "l", "sd"],
  ["cvtsi2sdq", Op.IToD, "q", "sd"],        ["scvtfsdq", Op.IToD, "q", "sd"],
  ["cvtu2ssl", Op.UToF, "l", "ss"],         ["ucvtfssl", Op.UToF, "l", "ss"],
  ["cvtu2ssq", Op.UToF, "q", "ss"],         ["ucvtfssq", Op.UToF, "q", "ss"],
  ["cvtu2sdl", Op.UToD, "l", "sd"],         ["ucvtfsdl", Op.UToD, "l", "sd"],
  ["cvtu2sdq", Op.UToD, "q", "sd"],         ["ucvtfsdq", Op.UToD, "q", "sd"],
  ["satss2sl", Op.TruncS32, "ss", "l"],     ["fcvtzsss2l", Op.TruncS32, "ss", "l"],
  ["satsd2sl", Op.TruncS32, "sd", "l"],     ["fcvtzssd2l", Op.TruncS32, "sd", "l"],
  ["satss2ul", Op.TruncU32, "ss", "l"],     ["fcvtzuss2l", Op.TruncU32, "ss", "l"],
  ["satsd2ul", Op.TruncU32, "sd", "l"],     ["fcvtzusd2l", Op.TruncU32, "sd", "l"],
  ["satss2sq", Op.TruncS64, "ss", "q"],     ["fcvtzsss2q", Op.TruncS64, "ss", "q"],
  ["satsd2sq", Op.TruncS64, "sd", "q"],     ["fcvtzssd2q", Op.TruncS64, "sd", "q"],
  ["satss2uq", Op.TruncU64, "ss", "q"],     ["fcvtzuss2q", Op.TruncU64, "ss", "q"],
  ["satsd2uq", Op.TruncU64, "sd", "q"],     ["fcvtzusd2q", Op.TruncU64, "sd", "q"],
  ["modsd2sl", Op.ToInt32, "sd", "l"],
  ["cvtss2sd", Op.FloatToDouble, "ss", "sd"], ["fcvtss2sd", Op.FloatToDouble, "ss", "sd"],
  ["cvtsd2ss", Op.DoubleToFloat, "sd", "ss"], ["fcvtsd2ss", Op.DoubleToFloat, "sd", "ss"],
  ["movdToXmm", Op.BitwiseCast, "l", "ss"],   ["fmovl2ss", Op.BitwiseCast, "l", "ss"],
  ["movqToXmm", Op.BitwiseCast, "q", "sd"],   ["fmovq2sd", Op.BitwiseCast, "q", "sd"],
  ["movdFromXmm", Op.BitwiseCast, "ss", "l"], ["fmovss2l", Op.BitwiseCast, "ss", "l"],
  ["movqFromXmm", Op.BitwiseCast, "sd", "q"], ["fmovsd2q", Op.BitwiseCast, "sd", "q"],
];

const binary =
  (opcode: Opcode, type: Type, second: Source): LirMeaning =>
  (m) =>
    m.define(compute(m, opcode, type, m.value(type, 1), second(m, type, 2)));

const binaryRows = (
  table: typeof BINARY,
  widths: readonly Width[],
  sources: typeof SOURCES,
): LirMeaningRow[] =>
  table.flatMap(([pattern, opcode]) =>
    widths.flatMap((w) =>
      sources.map(
        ([suffix, second]): LirMeaningRow => [
          `${named(pattern, w)}${suffix}`,
          binary(opcode, TYPE_OF[w], second),
        ],
      ),
    ),
  );

const flagRows = (): LirMeaningRow[] =>
  FLAGS.flatMap(([pattern, opcode]) =>
    INTEGER_WIDTHS.map((w): LirMeaningRow => {
      const type = TYPE_OF[w];
      return [
        named(pattern, w),
        (m) => m.define(compute(m, opcode, Int32, m.value(type, 1), m.value(type, 2))),
      ];
    }),
  );

const converted =
  (opcode: Opcode, from: Type, to: Type): LirMeaning =>
  (m) =>
    m.define(compute(m, opcode, to, m.value(from, 1)));

const unaryRows = (table: typeof UNARY, widths: readonly Width[]): LirMeaningRow[] =>
  table.flatMap(([pattern, opcode]) =>
    widths.map(
      (w): LirMeaningRow => [named(pattern, w), converted(opcode, TYPE_OF[w], TYPE_OF[w])],
    ),
  );

/** Truncates toward zero, as cvtt does: the least integer if there is no result. */
const truncated =
  (from: Type, width: number): ((m: LirSite) => Term) =>
  (m) => {
    const x = floatOf(m.value(from, 1)).number;
    const [whole, head] = width === 32 ? [Op.TruncS32, Int32] : ([Op.TruncS64, Int64] as const);
    const inside = integerOf(compute(m, whole, head, m.value(from, 1)));
    const wide = width === 32 ? signExtend(32, inside) : inside;
    const limit = floatOf(
      compute(
        m,
        from === Float ? Op.IToF : Op.IToD,
        from,
        integer(Int64, bits(64, -(1n << BigInt(width - 1)))),
      ),
    );
    const down = apply("fp.roundToIntegral", "RTZ", x);
    const isIn = apply(
      "and",
      apply("fp.leq", limit.number, down),
      apply("fp.lt", down, apply("fp.neg", limit.number)),
    );
    const least = bits(64, -(1n << BigInt(width - 1)));
    return choose(isIn, wide, least);
  };

const PROVED: readonly LirMeaningRow[] = FLOAT_WIDTHS.flatMap((w): LirMeaningRow[] => {
  const from = TYPE_OF[w];
  const low = (term: Term): SymbolicValue => integer(Int32, extract(31, 0, term));
  return [
    [`sat${w}2sl.proved`, (m) => m.define(low(truncated(from, 32)(m)))],
    [`sat${w}2ul.proved`, (m) => m.define(low(truncated(from, 64)(m)))],
    [`sat${w}2sq.proved`, (m) => m.define(integer(Int64, truncated(from, 64)(m)))],
    [`sat${w}2uq.proved`, (m) => m.define(integer(Int64, truncated(from, 64)(m)))],
  ];
});

// Guards.

const guarded =
  (opcode: Opcode, type: Type, operands: (m: LirSite) => readonly SymbolicValue[]): LirMeaning =>
  (m) => {
    const result = guardOf(m.query, nameOfOpcode(opcode), type, operands(m));
    if (result === null) return;
    m.exits = result.exits;
    if (result.value !== null) m.define(result.value);
  };

const CHECKS: readonly LirMeaningRow[] = [
  ...(
    [
      ["check.add*", Op.CheckAdd],
      ["check.sub*", Op.CheckSub],
      ["check.imul*", Op.CheckMul],
    ] as const
  ).flatMap(([pattern, opcode]) =>
    INTEGER_WIDTHS.flatMap((w) =>
      SOURCES.slice(0, 4).map(([suffix, second]): LirMeaningRow => {
        const type = TYPE_OF[w];
        const operands = (m: LirSite) => [m.value(type, 1), second(m, type, 2)];
        return [`${named(pattern, w)}${suffix}`, guarded(opcode, type, operands)];
      }),
    ),
  ),
  ...INTEGER_WIDTHS.map((w): LirMeaningRow => {
    const type = TYPE_OF[w];
    const zero = integer(type, bits(widthOf(type), 0));
    return [`check.neg${w}`, guarded(Op.CheckSub, type, (m) => [zero, m.value(type, 1)])];
  }),
  ["check.sd2sl", guarded(Op.CheckToInt32, Int32, (m) => [m.value(Double, 1)])],
  ["check.sd2sl.exact", guarded(Op.CheckToInt32Exact, Int32, (m) => [m.value(Double, 1)])],
  [
    "check.always",
    (m) => {
      m.exits = "true";
    },
  ],
];

// Comparisons.

type Holds = (x: Term, y: Term) => Term;
const by =
  (head: string): Holds =>
  (x, y) =>
    apply(head, x, y);
const negated =
  (holds: Holds): Holds =>
  (x, y) =>
    not(holds(x, y));
const isApart: Holds = (x, y) => any([apply("fp.lt", x, y), apply("fp.gt", x, y)]);
const isUnordered: Holds = (x, y) => any([isNotNumber(x), isNotNumber(y)]);

// biome-ignore format: a table
const HOLDS: { readonly [C in ConditionName]: Holds } = {
  eq: equal, ne: negated(equal), lt: by("bvslt"), gt: by("bvsgt"), le: by("bvsle"), ge: by("bvsge"),
  above: by("bvugt"), below: by("bvult"), aboveEqual: by("bvuge"), belowEqual: by("bvule"),
  feq: by("fp.eq"), fne: negated(by("fp.eq")), flt: by("fp.lt"), fgt: by("fp.gt"), fle: by("fp.leq"), fge: by("fp.geq"),
  fequ: (x, y) => any([by("fp.eq")(x, y), isUnordered(x, y)]),
  fnlt: negated(by("fp.lt")), fngt: negated(by("fp.gt")), fnle: negated(by("fp.leq")), fnge: negated(by("fp.geq")),
  fone: isApart,
};

/**
 * Returns whether the condition holds for the compared operands, the first of which is operand k.
 */
type ComparisonMeaning = (m: LirSite, k: number) => Term;
const comparison =
  (type: Type, second: Source): ComparisonMeaning =>
  (m, k) => {
    const [x, y] = [m.value(type, k), second(m, type, k + 1)];
    const terms = isInteger(type) ? [x, y].map(integerOf) : [x, y].map((v) => floatOf(v).number);
    return HOLDS[CONDITION_NAMES[m.hi]](terms[0], terms[1]);
  };

/** Compares the common bits of the operands with zero. */
const commonBits =
  (type: Type, second: Source): ComparisonMeaning =>
  (m, k) => {
    const common = apply("bvand", ...[m.value(type, k), second(m, type, k + 1)].map(integerOf));
    return HOLDS[CONDITION_NAMES[m.hi]](common, bits(widthOf(type), 0));
  };

const inRegister: Source = (m, type, k) => m.value(type, k);
const zero: Source = (_m, type) => integer(type, bits(widthOf(type), 0));
const inLow: Source = (m, type) => integer(type, bits(widthOf(type), m.lo));
const inMemory =
  (place: OperandAddress): Source =>
  (m, type, k) =>
    m.read(type, place(m, k));

const COMPARISONS: readonly (readonly [name: string, compared: ComparisonMeaning])[] = [
  ["ucomiss", comparison(Float, inRegister)],
  ["ucomisd", comparison(Double, inRegister)],
  ...INTEGER_WIDTHS.flatMap((w): [string, ComparisonMeaning][] => [
    [`cmp${w}`, comparison(TYPE_OF[w], inRegister)],
    [`cmp${w}Imm`, comparison(TYPE_OF[w], inLow)],
    [`test${w}`, comparison(TYPE_OF[w], zero)],
    [`bits${w}`, commonBits(TYPE_OF[w], inRegister)],
    [`bits${w}Imm`, commonBits(TYPE_OF[w], inLow)],
    ...ADDRESSED.map(([suffix, place]): [string, ComparisonMeaning] => [
      `cmp${w}.load${suffix}`,
      comparison(TYPE_OF[w], inMemory(place)),
    ]),
  ]),
];

const CONSUMERS: readonly LirMeaningRow[] = COMPARISONS.flatMap(
  ([name, holds]): LirMeaningRow[] => [
    [
      `branch.${name}`,
      (m) => {
        m.branches = [holds(m, 0)];
      },
    ],
    [
      `check.${name}`,
      (m) => {
        m.exits = holds(m, 0);
      },
    ],
    [`set.${name}`, (m) => m.define(integer(Int32, choose(holds(m, 1), bits(32, 1), bits(32, 0))))],
    ...VALUE_TYPES.map(
      (type): LirMeaningRow => [
        `select${nameOfType(type)}.${name}`,
        (m) => {
          const chosen = chooseValue(m.query, holds(m, 3), m.value(type, 2), m.value(type, 1));
          m.defineOpen(chosen);
        },
      ],
    ),
  ],
);

// Memory.

// biome-ignore format: a table
const LOADS: readonly (readonly [names: readonly string[], type: Type, bytes: number, isSigned: boolean])[] = [
  [["movzblLoad", "ldrb", "ldurb"],   Int32,  1, false],
  [["movsblLoad", "ldrsb", "ldursb"], Int32,  1, true],
  [["movzwlLoad", "ldrh", "ldurh"],   Int32,  2, false],
  [["movswlLoad", "ldrsh", "ldursh"], Int32,  2, true],
  [["movlLoad", "ldrl", "ldurl"],     Int32,  4, false],
  [["movqLoad", "ldrq", "ldurq"],     Int64,  8, false],
  [["movssLoad", "ldrss", "ldurss"],  Float,  4, false],
  [["movsdLoad", "ldrsd", "ldursd"],  Double, 8, false],
];
// biome-ignore format: a table
const STORES: readonly (readonly [names: readonly string[], type: Type, bytes: number])[] = [
  [["movbStore", "strb", "sturb"],    Int32,  1],
  [["movwStore", "strh", "sturh"],    Int32,  2],
  [["movlStore", "strl", "sturl"],    Int32,  4],
  [["movqStore", "strq", "sturq"],    Int64,  8],
  [["movssStore", "strss", "sturss"], Float,  4],
  [["movsdStore", "strsd", "stursd"], Double, 8],
];

const load =
  (type: Type, count: number, isSigned: boolean, place: OperandAddress): LirMeaning =>
  (m) => {
    const address = place(m, 1);
    if (8 * count === widthOf(type)) return m.define(m.read(type, address));
    const extend = isSigned ? signExtend : zeroExtend;
    const word = m.memory.read(address, count);
    return m.define(integer(type, extend(widthOf(type) - 8 * count, word)));
  };

/** Stores the immediate's high word, sign-extended. ARM64 stores 0 for any immediate. */
const storeConstant =
  (count: number, place: OperandAddress, isZero: boolean): LirMeaning =>
  (m) =>
    m.write(place(m, 0), integer(Int64, bits(64, isZero ? 0 : m.hi)), count);

const MEMORY: readonly LirMeaningRow[] = [
  ...LOADS.flatMap(([names, type, count, isSigned]) =>
    names.flatMap((name) =>
      PLACES.map(
        ([suffix, place]): LirMeaningRow => [
          `${name}${suffix}`,
          load(type, count, isSigned, place),
        ],
      ),
    ),
  ),
  ...STORES.flatMap(([names, type, count]) =>
    names.flatMap((name): LirMeaningRow[] => [
      ...PLACES.map(
        ([suffix, place]): LirMeaningRow => [
          `${name}${suffix}`,
          (m) => m.write(place(m, 1), m.value(type, 0), count),
        ],
      ),
      ...ADDRESSED.map(
        ([suffix, place]): LirMeaningRow => [
          `${name}${suffix}.constant`,
          storeConstant(count, place, name.startsWith("st")),
        ],
      ),
    ]),
  ),
];

// Atomic operations: the operands of the operation, then the address, whose displacement is the
// immediate.

// biome-ignore format: a table
const ATOMICS: readonly (readonly [name: string, opcode: Opcode | null])[] = [
  ["xchg", null], ["add", Op.Add], ["sub", Op.Sub], ["and", Op.BitAnd], ["or", Op.BitOr], ["xor", Op.BitXor],
];
// biome-ignore format: a table
const ATOMIC_WIDTHS: readonly (readonly [suffix: string, type: Type, bytes: number])[] = [
  ["b", Int32, 1], ["w", Int32, 2], ["l", Int32, 4], ["q", Int64, 8],
];

const exchange =
  (opcode: Opcode | null, type: Type, count: number): LirMeaning =>
  (m) => {
    const address = displaced(m, 2);
    const old = readLow(m, type, count, address);
    const x = m.value(type, 1);
    m.write(address, opcode === null ? x : compute(m, opcode, type, old, x), count);
    m.define(old);
  };

const compareAndExchange =
  (type: Type, count: number, givesOld: boolean): LirMeaning =>
  (m) => {
    const address = displaced(m, 3);
    const old = readLow(m, type, count, address);
    const low = (value: SymbolicValue): Term => extract(8 * count - 1, 0, integerOf(value));
    const isExpected = equal(low(old), low(m.value(type, 1)));
    m.write(address, chooseValue(m.query, isExpected, m.value(type, 2), old), count);
    m.define(givesOld ? old : integer(Int32, choose(isExpected, bits(32, 1), bits(32, 0))));
  };

const displaced = (m: LirSite, k: number): Term => apply("bvadd", m.wide(k), bits(64, m.lo));

function readLow(m: LirSite, type: Type, count: number, address: Term): SymbolicValue {
  const missing = widthOf(type) - 8 * count;
  const word = m.memory.read(address, count);
  return integer(type, missing === 0 ? word : zeroExtend(missing, word));
}

const ATOMIC_ROWS: readonly LirMeaningRow[] = ATOMIC_WIDTHS.flatMap(
  ([suffix, type, count]): LirMeaningRow[] => [
    ...ATOMICS.map(
      ([name, opcode]): LirMeaningRow => [`atomic.${name}${suffix}`, exchange(opcode, type, count)],
    ),
    [`atomic.strongCAS${suffix}`, compareAndExchange(type, count, true)],
    [`atomic.weakCAS${suffix}`, compareAndExchange(type, count, false)],
  ],
);

const constant =
  (type: Type): LirMeaning =>
  (m) =>
    m.define(m.immediate(type));
const MOVES: readonly LirMeaningRow[] = [
  ...(["l", "q", "ss", "sd"] as const).flatMap((w): LirMeaningRow[] => [
    [`const${w}`, constant(TYPE_OF[w])],
    [`const${w}.pool`, constant(TYPE_OF[w])],
  ]),
  ["slotAddress", (m) => m.define(integer(Int64, m.slotAddress(m.lo)))],
  ["zextlDone", (m) => m.defineWords(m.low(1), m.high(1))],
  ["zextlName", (m) => m.defineWords(m.low(1), m.high(1))],
  ["truncq", (m) => m.defineOpen(integer(Int32, m.low(1)))],
  ["stitch", (m) => m.defineWords(m.low(2), m.low(1))],
  ["opaque", (m) => m.defineCell(m.cell(1))],
  ["mvnl", (m) => m.define(inverted(m, Int32, 1))],
  ["mvnq", (m) => m.define(inverted(m, Int64, 1))],
];

const fused =
  (type: Type): LirMeaning =>
  (m) =>
    m.define(
      compute(m, Op.FusedMulAdd, type, m.value(type, 1), m.value(type, 2), m.value(type, 3)),
    );

const CONTROL: readonly LirMeaningRow[] = [
  ...FENCES.map(({ name }): LirMeaningRow => [`fence.${name}`, () => {}]),
  [
    "jump",
    (m) => {
      m.branches = [];
    },
  ],
];

/** For a divisor of 0 ARM64 has a result, which the language leaves undefined. */
const ARM64_DIVISIONS: readonly LirMeaningRow[] = INTEGER_WIDTHS.flatMap((w): LirMeaningRow[] => {
  const type = TYPE_OF[w];
  const zeroes = bits(widthOf(type), 0);
  const total =
    (make: (x: Term, y: Term) => Term): LirMeaning =>
    (m) =>
      m.define(integer(type, make(integerOf(m.value(type, 1)), integerOf(m.value(type, 2)))));
  return [
    [`udiv${w}`, total((x, y) => choose(equal(y, zeroes), zeroes, apply("bvudiv", x, y)))],
    [`smod${w}`, total((x, y) => apply("bvsrem", x, y))],
    [`umod${w}`, total((x, y) => apply("bvurem", x, y))],
  ];
});

/** For a divisor of 0 ARM64 has a remainder and x64 faults; here both fault. */
const FLOORED: readonly LirMeaningRow[] = INTEGER_WIDTHS.map(
  (w): LirMeaningRow => [`floorMod${w}`, binary(Op.FloorMod, TYPE_OF[w], inRegister)],
);

export const LIR_MEANINGS: ReadonlyMap<string, LirMeaning> = new Map<string, LirMeaning>([
  ...binaryRows(BINARY, INTEGER_WIDTHS, SOURCES),
  ...flagRows(),
  ...binaryRows(SHIFTS, INTEGER_WIDTHS, COUNTS),
  ...binaryRows(FLOAT_BINARY, FLOAT_WIDTHS, SOURCES),
  ...unaryRows(UNARY, INTEGER_WIDTHS),
  ...unaryRows(FLOAT_UNARY, FLOAT_WIDTHS),
  ...CONVERSIONS.map(
    ([name, opcode, from, to]): LirMeaningRow => [
      name,
      converted(opcode, TYPE_OF[from], TYPE_OF[to]),
    ],
  ),
  ...FLOAT_WIDTHS.map((w): LirMeaningRow => [`fmadd${w}`, fused(TYPE_OF[w])]),
  ...PROVED,
  ...CHECKS,
  ...CONSUMERS,
  ...MEMORY,
  ...ATOMIC_ROWS,
  ...MOVES,
  ...CONTROL,
  ...ARM64_DIVISIONS,
  ...FLOORED,
]);
