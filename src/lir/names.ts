// The instructions of Nanojit's LIR by name, in the three sets of names that texts use: until 2010 (TraceMonkey and
// Tamarin), 2011 (the last one in common), 2013 (Adobe's last one).
//
// A name may mean two things: until 2010 `calli` is an indirect call and `i2f` gives 64 bits. A text therefore has one
// dialect, which its other names tell.

import { Op, type Opcode } from "../ir/opcodes.js";

export const DIALECTS = ["2010", "2011", "2013"] as const;
export type LirDialect = (typeof DIALECTS)[number];

/** Types by letter: int, quad, double, float; p is a pointer, a quad of the same register. */
export type LirLetter = "i" | "q" | "d" | "f" | "p" | "v";

/** How an instruction is written, and which part of the import translates it. */
export type LirForm =
  | "value" // operands, and a result by one opcode or a few
  | "flag" // a flag of the instruction that computed the operand
  | "remainder" // the operand is the quotient of the same division
  | "immediate"
  | "load"
  | "store"
  | "jump"
  | "jumpIf"
  | "jumpIfNot"
  | "jumpOverflow"
  | "restart" // a jump to the begin of the fragment
  | "exit"
  | "exitIf"
  | "exitIfNot"
  | "exitOverflow"
  | "call"
  | "return"
  | "allocate"
  | "parameter"
  | "label"
  | "nothing" // without a meaning for a program; any operands
  | "refused";

export interface LirSpec {
  /** The name of 2011; of 2013 for an instruction that came later, until 2010 for one that was removed. */
  readonly name: string;
  readonly form: LirForm;
  /** The letters of the operands that are values. */
  readonly takes: readonly LirLetter[];
  readonly gives: LirLetter;
  /** The opcode; null if there is none, or several. */
  readonly opcode: Opcode | null;
  /** For a refused instruction: the reason. */
  readonly why: string;
}

/** A row: the name of 2011, the names until 2010, the form, operands, result, and the opcode. */
type InstructionRow = readonly [
  name: string,
  until2010: string,
  form: LirForm,
  takes: string,
  gives: LirLetter,
  opcode: Opcode | null,
];

// biome-ignore format: a table
const ROWS: readonly InstructionRow[] = [
  ["negi",  "neg",  "value", "i",  "i", Op.Neg],
  ["addi",  "add iaddp", "value", "ii", "i", Op.Add],
  ["subi",  "sub",  "value", "ii", "i", Op.Sub],
  ["muli",  "mul",  "value", "ii", "i", Op.Mul],
  ["divi",  "div",  "value", "ii", "i", Op.Div],
  ["modi",  "mod",  "remainder", "i", "i", Op.Mod],
  ["noti",  "not",  "value", "i",  "i", null],
  ["andi",  "and",  "value", "ii", "i", Op.BitAnd],
  ["ori",   "or",   "value", "ii", "i", Op.BitOr],
  ["xori",  "xor",  "value", "ii", "i", Op.BitXor],
  ["lshi",  "lsh",  "value", "ii", "i", Op.Shl],
  ["rshi",  "rsh",  "value", "ii", "i", Op.SShr],
  ["rshui", "ush",  "value", "ii", "i", Op.ZShr],
  ["addq",  "qiadd qaddp addp", "value", "qq", "q", Op.Add],
  ["subq",  "",     "value", "qq", "q", Op.Sub],
  ["andq",  "qiand", "value", "qq", "q", Op.BitAnd],
  ["orq",   "qior", "value", "qq", "q", Op.BitOr],
  ["xorq",  "qxor", "value", "qq", "q", Op.BitXor],
  ["lshq",  "qilsh", "value", "qi", "q", Op.Shl],
  ["rshq",  "qirsh", "value", "qi", "q", Op.SShr],
  ["rshuq", "qursh", "value", "qi", "q", Op.ZShr],
  ["negd",  "fneg", "value", "d",  "d", Op.Neg],
  ["addd",  "fadd", "value", "dd", "d", Op.Add],
  ["subd",  "fsub", "value", "dd", "d", Op.Sub],
  ["muld",  "fmul", "value", "dd", "d", Op.Mul],
  ["divd",  "fdiv", "value", "dd", "d", Op.Div],
  ["modd",  "fmod", "value", "dd", "d", Op.Mod],

  ["eqi",   "eq",   "value", "ii", "i", Op.Equal],
  ["lti",   "lt",   "value", "ii", "i", Op.LessThan],
  ["gti",   "gt",   "value", "ii", "i", Op.GreaterThan],
  ["lei",   "le",   "value", "ii", "i", Op.LessEqual],
  ["gei",   "ge",   "value", "ii", "i", Op.GreaterEqual],
  ["ltui",  "ult",  "value", "ii", "i", Op.Below],
  ["gtui",  "ugt",  "value", "ii", "i", Op.Above],
  ["leui",  "ule",  "value", "ii", "i", Op.BelowEqual],
  ["geui",  "uge",  "value", "ii", "i", Op.AboveEqual],
  ["eqq",   "qeq",  "value", "qq", "i", Op.Equal],
  ["ltq",   "qlt",  "value", "qq", "i", Op.LessThan],
  ["gtq",   "qgt",  "value", "qq", "i", Op.GreaterThan],
  ["leq",   "qle",  "value", "qq", "i", Op.LessEqual],
  ["geq",   "qge",  "value", "qq", "i", Op.GreaterEqual],
  ["ltuq",  "qult", "value", "qq", "i", Op.Below],
  ["gtuq",  "qugt", "value", "qq", "i", Op.Above],
  ["leuq",  "qule", "value", "qq", "i", Op.BelowEqual],
  ["geuq",  "quge", "value", "qq", "i", Op.AboveEqual],
  ["eqd",   "feq",  "value", "dd", "i", Op.Equal],
  ["ltd",   "flt",  "value", "dd", "i", Op.LessThan],
  ["gtd",   "fgt",  "value", "dd", "i", Op.GreaterThan],
  ["led",   "fle",  "value", "dd", "i", Op.LessEqual],
  ["ged",   "fge",  "value", "dd", "i", Op.GreaterEqual],

  ["cmovi", "cmov", "value", "iii", "i", Op.Select],
  ["cmovq", "qcmov", "value", "iqq", "q", Op.Select],
  ["cmovd", "",     "value", "idd", "d", Op.Select],
  ["i2q",   "i2q",  "value", "i",  "q", Op.SExt32],
  ["ui2uq", "u2q",  "value", "i",  "q", Op.ZExt32],
  ["q2i",   "q2i qlo", "value", "q", "i", Op.Trunc],
  ["i2d",   "i2f",  "value", "i",  "d", Op.IToD],
  ["ui2d",  "u2f",  "value", "i",  "d", Op.UToD],
  ["d2i",   "f2i",  "value", "d",  "i", null],
  ["dasq",  "",     "value", "d",  "q", Op.BitwiseCast],
  ["qasd",  "",     "value", "q",  "d", Op.BitwiseCast],
  ["dlo2i", "",     "value", "d",  "i", null],
  ["dhi2i", "qhi",  "value", "d",  "i", null],
  ["ii2d",  "qjoin", "value", "ii", "d", null],

  ["immi",  "short int", "immediate", "", "i", null],
  ["immq",  "",     "immediate", "", "q", null],
  ["immd",  "float", "immediate", "", "d", null],

  ["ldc2i",   "ldsb", "load", "p", "i", Op.Load8S],
  ["lds2i",   "ldss", "load", "p", "i", Op.Load16S],
  ["lduc2ui", "ldcb ldzb", "load", "p", "i", Op.Load8Z],
  ["ldus2ui", "ldcs ldzs", "load", "p", "i", Op.Load16Z],
  ["ldi",     "ld ldc", "load", "p", "i", Op.Load],
  ["ldq",     "ldq ldqc", "load", "p", "q", Op.Load],
  ["ldd",     "ldf", "load", "p", "d", Op.Load],
  ["ldf2d",   "ld32f", "load", "p", "d", null],
  ["sti2c",   "stb", "store", "ip", "v", Op.Store8],
  ["sti2s",   "sts", "store", "ip", "v", Op.Store16],
  ["sti",     "st sti", "store", "ip", "v", Op.Store],
  ["stq",     "stq stqi", "store", "qp", "v", Op.Store],
  ["std",     "stfi", "store", "dp", "v", Op.Store],
  ["std2f",   "st32f", "store", "dp", "v", null],

  ["j",        "j",    "jump", "", "v", Op.Jump],
  ["jt",       "jt",   "jumpIf", "i", "v", Op.Branch],
  ["jf",       "jf",   "jumpIfNot", "i", "v", Op.Branch],
  ["label",    "label", "label", "", "v", null],
  ["x",        "x",    "exit", "", "v", Op.Check],
  ["xt",       "xt",   "exitIf", "i", "v", Op.Check],
  ["xf",       "xf",   "exitIfNot", "i", "v", Op.Check],
  ["addxovi",  "addxov", "exitOverflow", "ii", "i", Op.CheckAdd],
  ["subxovi",  "subxov", "exitOverflow", "ii", "i", Op.CheckSub],
  ["mulxovi",  "mulxov", "exitOverflow", "ii", "i", Op.CheckMul],
  ["addjovi",  "",     "jumpOverflow", "ii", "i", Op.AddOverflows],
  ["subjovi",  "",     "jumpOverflow", "ii", "i", Op.SubOverflows],
  ["muljovi",  "",     "jumpOverflow", "ii", "i", Op.MulOverflows],
  ["addjovq",  "",     "jumpOverflow", "qq", "q", Op.AddOverflows],
  ["subjovq",  "",     "jumpOverflow", "qq", "q", Op.SubOverflows],

  ["callv",  "",      "call", "", "v", Op.CCall],
  ["calli",  "call icall", "call", "", "i", Op.CCall],
  ["callq",  "qcall", "call", "", "q", Op.CCall],
  ["calld",  "fcall", "call", "", "d", Op.CCall],
  ["reti",   "ret",   "return", "i", "v", Op.Return],
  ["retq",   "qret",  "return", "q", "v", Op.Return],
  ["retd",   "fret",  "return", "d", "v", Op.Return],
  ["parami", "iparam", "parameter", "", "i", Op.Parameter],
  ["paramq", "qparam param", "parameter", "", "q", Op.Parameter],
  ["allocp", "alloc ialloc qalloc", "allocate", "", "p", Op.SlotBase],

  ["regfence", "regfence", "nothing", "", "v", null],
  ["livei",    "live",  "nothing", "", "v", null],
  ["liveq",    "qlive", "nothing", "", "v", null],
  ["lived",    "flive", "nothing", "", "v", null],
  ["xbarrier", "xbarrier", "nothing", "", "v", null],
  ["comment",  "",      "nothing", "", "v", null],
];

// biome-ignore format: a table
const UNTIL_2010: readonly InstructionRow[] = [
  ["ov",   "ov",   "flag", "i", "i", Op.AddOverflows],
  ["cs",   "cs",   "flag", "i", "i", Op.AddCarries],
  ["loop", "loop", "restart", "", "v", Op.Jump],
  ["quad", "quad", "immediate", "", "q", null], // an integer, or a decimal
];

// biome-ignore format: a table
const SINCE_2013: readonly InstructionRow[] = [
  ["mulq",  "", "value", "qq", "q", Op.Mul],
  ["divq",  "", "value", "qq", "q", Op.Div],
  ["modq",  "", "remainder", "q", "q", Op.Mod],
  ["negq",  "", "value", "q",  "q", Op.Neg],
  ["notq",  "", "value", "q",  "q", null],
  ["absd",  "", "value", "d",  "d", Op.Abs],
  ["sqrtd", "", "value", "d",  "d", Op.Sqrt],
  ["negf",  "", "value", "f",  "f", Op.Neg],
  ["absf",  "", "value", "f",  "f", Op.Abs],
  ["sqrtf", "", "value", "f",  "f", Op.Sqrt],
  ["addf",  "", "value", "ff", "f", Op.Add],
  ["subf",  "", "value", "ff", "f", Op.Sub],
  ["mulf",  "", "value", "ff", "f", Op.Mul],
  ["divf",  "", "value", "ff", "f", Op.Div],
  ["eqf",   "", "value", "ff", "i", Op.Equal],
  ["ltf",   "", "value", "ff", "i", Op.LessThan],
  ["gtf",   "", "value", "ff", "i", Op.GreaterThan],
  ["lef",   "", "value", "ff", "i", Op.LessEqual],
  ["gef",   "", "value", "ff", "i", Op.GreaterEqual],
  ["cmovf", "", "value", "iff", "f", Op.Select],
  ["q2d",   "", "value", "q",  "d", Op.IToD],
  ["d2q",   "", "value", "d",  "q", null],
  ["i2f",   "", "value", "i",  "f", Op.IToF],
  ["ui2f",  "", "value", "i",  "f", Op.UToF],
  ["f2d",   "", "value", "f",  "d", Op.FloatToDouble],
  ["d2f",   "", "value", "d",  "f", Op.DoubleToFloat],
  ["f2i",   "", "value", "f",  "i", null],
  ["immf",  "", "immediate", "", "f", null],
  ["ldf",   "", "load", "p", "f", Op.Load],
  ["stf",   "", "store", "fp", "v", Op.Store],
  ["callf", "", "call", "", "f", Op.CCall],
  ["retf",  "", "return", "f", "v", Op.Return],
  ["livef", "", "nothing", "", "v", null],
  ["memfence", "", "nothing", "", "v", null],
];

// The synonyms of the size of a pointer, which the assembler adds.
// biome-ignore format: a table
const SYNONYMS: Readonly<Record<string, string>> = { paramp: "paramq", livep: "liveq" };

const VECTOR = "a vector of four floats";
const BUFFER = "where code lies in a buffer";
const NO_TEXT = "the assembler has no text for it";
const APPROXIMATE = "its bits differ between processors";
const ACTIVATION = "the state of an interpreter's activation";
/** Instructions that are refused, by dialect: the names, and the reason. */
const REFUSED: readonly (readonly [dialects: readonly LirDialect[], names: string, why: string])[] =
  [
    [["2010"], "calli fcalli", "an indirect call"],
    [["2010"], "callh", "half of a result in two registers"],
    [["2010"], "nearskip neartramp tramp", BUFFER],
    [["2010"], "ji", NO_TEXT],
    [DIALECTS, "start skip", BUFFER],
    [DIALECTS, "file line jtbl xtbl", NO_TEXT],
    [["2011", "2013"], "hcalli", "half of a result in two registers"],
    [["2013"], "unreachable pc safe endsafe brsavpc restorepc pushstate popstate", ACTIVATION],
    [["2013"], "recipf rsqrtf minf maxf", APPROXIMATE],
    [
      ["2013"],
      "immf4 ldf4 stf4 callf4 retf4 livef4 eqf4 negf4 absf4 sqrtf4 addf4 subf4 mulf4 divf4 cmpgtf4 cmpltf4 cmpgef4 " +
        "cmplef4 cmpeqf4 cmpnef4 recipf4 rsqrtf4 minf4 maxf4 dotf4 dotf3 dotf2 cmovf4 f2f4 ffff2f4 f4x f4y f4z f4w swzf4",
      VECTOR,
    ],
  ];

type NameTable = ReadonlyMap<string, ReadonlyMap<LirDialect, LirSpec>>;

const isLetter = (c: string): c is LirLetter => "iqdfpv".includes(c);
const wordsIn = (text: string): readonly string[] => text.split(" ").filter((word) => word !== "");

function specOf([name, , form, takes, gives, opcode]: InstructionRow): LirSpec {
  return { name, form, takes: [...takes].filter(isLetter), gives, opcode, why: "" };
}

function nameTable(): NameTable {
  const table = new Map<string, Map<LirDialect, LirSpec>>();
  const add = (name: string, dialects: readonly LirDialect[], spec: LirSpec): void => {
    const byDialect = table.get(name) ?? new Map<LirDialect, LirSpec>();
    for (const dialect of dialects) byDialect.set(dialect, spec);
    table.set(name, byDialect);
  };
  for (const row of ROWS) {
    const spec = specOf(row);
    add(spec.name, ["2011", "2013"], spec);
    for (const old of wordsIn(row[1])) add(old, ["2010"], spec);
  }
  for (const row of UNTIL_2010) add(row[0], ["2010"], specOf(row));
  for (const row of SINCE_2013) add(row[0], ["2013"], specOf(row));
  for (const [synonym, name] of Object.entries(SYNONYMS)) {
    for (const [dialect, spec] of table.get(name) ?? []) add(synonym, [dialect], spec);
  }
  for (const [dialects, names, why] of REFUSED) {
    for (const name of wordsIn(names)) {
      const spec: LirSpec = { name, form: "refused", takes: [], gives: "v", opcode: null, why };
      add(name, dialects, spec);
    }
  }
  return table;
}

/** Every name, with its meaning in the dialects that have it. */
export const LIR_NAMES: NameTable = nameTable();

/** Returns the name of 2011 that computes an opcode of operands with these letters; null if there is none. */
export function lirNameOf(opcode: Opcode, takes: string, gives: LirLetter): string | null {
  return NAME_BY_OPCODE.get(`${opcode} ${takes} ${gives}`) ?? null;
}

const NAME_BY_OPCODE = new Map(
  ROWS.filter(([, , form]) => form === "value").map(([name, , , takes, gives, opcode]) => [
    `${opcode} ${takes} ${gives}`,
    name,
  ]),
);
