// Checks that every opcode has all its parts: a meaning, a fold, a lowering for each target, a golden
// file that executes it, a use in generated programs, a row in docs/language.md, and a row in the
// table of names. If a table of the compiler or the oracle has no cell for an opcode, a rule gives the reason, by its
// effect.
//
// Each part is a set that is read from its source, so that tests can remove an element and see the check fail.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { ARM64_TARGET } from "../reference/arm64/target.js";
import { FOLDS, UNFOLDED } from "../reference/optimize/rules/fold.js";
import { conditionOf } from "../reference/target/conditions.js";
import type { LoweringTable } from "../reference/target/target.js";
import { X64_TARGET } from "../reference/x64/target.js";
import {
  ALL_OPCODES,
  type EffectName,
  hasAttribute,
  isValueOperand,
  nameOfOpcode,
  OPCODE_NAMES,
  Op,
  type Opcode,
  type OpcodeName,
  specOf,
  typeOfName,
  typesOver,
} from "../src/ir/opcodes.js";
import { opcodeNameOf, PATCHPOINTS } from "../src/ir/patchpoints.js";
import { parseModule } from "../src/ir/text/parse.js";
import { runLines } from "../src/ir/text/run-line.js";
import { nameOfType, type Type } from "../src/ir/types.js";
import { decodeModule } from "../src/oracle/fast/decode.js";
import { Oracle } from "../src/oracle/fast/oracle.js";
import { slice } from "../src/oracle/fast/trace.js";
import {
  GUARDED_CONVERSIONS,
  MEANINGS,
  MOVES,
  TRUE_RESULTS,
  UNDEFINED_BY,
} from "../src/oracle/meanings.js";
import { PATCHPOINT_MEANINGS } from "../src/oracle/patchpoints.js";
import { projectRoot } from "../src/support/project-root.js";

/** The contents of each part, by name of the opcode, or of the opcode at a type: `Add Int32`. */
interface Places {
  readonly meanings: ReadonlySet<string>;
  /** Partial opcodes with the rule that makes them undefined. */
  readonly undefinedBy: ReadonlySet<string>;
  readonly folds: ReadonlySet<string>;
  readonly x64: ReadonlySet<string>;
  readonly arm64: ReadonlySet<string>;
  /** A golden file of that name executes it. */
  readonly golden: ReadonlySet<string>;
  /** The generator draws it, or places it in the file that its row names. */
  readonly generator: ReadonlySet<string>;
  readonly document: ReadonlySet<string>;
  /** The table of names gives its names in other systems. */
  readonly names: ReadonlySet<string>;
}

const isOf = (opcode: Opcode, ...effects: EffectName[]): boolean =>
  effects.includes(specOf(opcode).effect);

/** Returns the missing parts, one line each. */
function faultsOf(places: Places): string[] {
  return ALL_OPCODES.flatMap((opcode) => {
    const name = nameOfOpcode(opcode);
    const wanted: [keyof Places, string[]][] = [
      ["meanings", isOf(opcode, "pure", "partial", "exit") ? [name] : []],
      ["undefinedBy", isOf(opcode, "partial") ? [name] : []],
      ["folds", isOf(opcode, "pure", "partial") ? [name] : []],
      ["x64", cellsOf(opcode)],
      ["arm64", cellsOf(opcode)],
      ["golden", [name]],
      ["generator", [name]],
      ["document", [name]],
      ["names", [name]],
    ];
    return wanted.flatMap(([place, names]) =>
      names.filter((each) => !places[place].has(each)).map((each) => `${each}: ${place}`),
    );
  });
}

// Opcodes without a cell in the lowering tables of the targets: reference/lower/lower.ts has a case for
// each, for every target alike. Comparisons are found by their conditions, and need no name here, nor
// do constants, calls, control and variables, which their effect identifies.
const LOWERED_BY_SHAPE: readonly OpcodeName[] = [
  "Nop",
  "Identity",
  "Select",
  "Check",
  "ArgumentReg",
  "PatchpointCheck",
];

/** Returns the cells that an opcode needs in the lowering table of a target: `Add Int32`. */
function cellsOf(opcode: Opcode): string[] {
  const name = nameOfOpcode(opcode);
  if (!isOf(opcode, "pure", "partial", "read", "volatile", "write", "atomic", "exit")) return [];
  if (LOWERED_BY_SHAPE.includes(name)) return [];
  return columnsOf(opcode)
    .filter((type) => conditionOf(opcode, type) < 0)
    .map((type) => `${name} ${nameOfType(type)}`);
}

// The column is T; without one it is the type of the operand, or of the value that memory has.
function columnsOf(opcode: Opcode): readonly Type[] {
  if (typesOver(opcode).length > 0) return typesOver(opcode);
  const { args, result } = specOf(opcode);
  const fixed = isOf(opcode, "read", "volatile") ? [result] : args.filter(isValueOperand);
  return fixed
    .slice(0, 1)
    .flatMap((arg) => (arg === "T" || arg === "U" || isAbstract(arg) ? [] : [typeOfName(arg)]));
}

const isAbstract = (name: string): name is "Bits" | "Callee" | "Kind" | "Further" =>
  ["Bits", "Callee", "Kind", "Further"].includes(name);

// The parts in the project.

const root = projectRoot();
const GOLDEN = join(root, "corpus", "golden", "opcodes");
const readText = (...path: readonly string[]): string => readFileSync(join(root, ...path), "utf8");

const cells = (table: LoweringTable): Set<string> =>
  new Set(
    Object.entries(table).flatMap(([name, byType]) =>
      Object.keys(byType).map((type) => `${name} ${type}`),
    ),
  );

/** Returns the opcodes that the run lines with expectations of a program execute. */
function executedBy(text: string): Set<string> {
  const module = parseModule(text);
  const program = decodeModule(module);
  const executed = new Set<string>();
  for (const { input, expected } of runLines(text, module)) {
    if (expected === null) continue;
    const slices = slice(oracle.runTraced(program, input, FUEL).trace);
    module.procedures.forEach((proc, p) => {
      const note = ({ id, opcode }: { id: number; opcode: Opcode }): void => {
        if (slices[p].executed[id] > 0) executed.add(nameOfOpcode(opcode));
      };
      proc.parameters.forEach(note);
      proc.forEachValue(note);
    });
  }
  return executed;
}
const oracle = new Oracle();
const FUEL = 10_000;

/** @param files the folder's programs, by name of the file without its ending */
function goldenOpcodes(files: ReadonlyMap<string, string>): Set<string> {
  const names = [...files].filter(([name, text]) => executedBy(text).has(name));
  return new Set(names.map(([name]) => name));
}

const goldenFiles = new Map(
  readdirSync(GOLDEN).map((file) => [
    file.replace(/\.ir$/, ""),
    readFileSync(join(GOLDEN, file), "utf8"),
  ]),
);

function isGenerated(opcode: Opcode): boolean {
  const { weight, placed } = specOf(opcode);
  if (weight > 0 || placed === undefined) return weight > 0 && placed === undefined;
  const source = readText("src", "generate", `${placed}.ts`);
  if (opcode === Op.Parameter) return source.includes("newParameter(");
  if (hasAttribute(opcode, "Const")) return source.includes("CONSTANT_OPCODES");
  return new RegExp(`\\bOp\\.${nameOfOpcode(opcode)}\\b`).test(source);
}

const documented = (document: string): Set<string> => {
  const section = /<!-- opcodes:[\s\S]*<!-- end of opcodes -->/.exec(document)?.[0] ?? "";
  const rows = section.matchAll(/^\| `(\w+)` \| .* \| .* \| .* \| .* \| .*\. \|$/gm);
  return new Set([...rows].map(([, name]) => name));
};

const namesSection = (document: string): string =>
  /<!-- names:[\s\S]*<!-- end of names -->/.exec(document)?.[0] ?? "";
/** Returns the first cells of the first table of names: ours. */
const namedHere = (document: string): string[] =>
  [...namesSection(document).matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);

const REAL: Places = {
  meanings: new Set([
    ...[...Object.keys(MEANINGS), ...MOVES, ...Object.keys(TRUE_RESULTS), "Check"],
    ...Object.keys(GUARDED_CONVERSIONS),
    ...PATCHPOINTS.filter(
      ({ name, effect }) => effect === "exit" && name in PATCHPOINT_MEANINGS,
    ).map(opcodeNameOf),
  ]),
  undefinedBy: new Set(Object.keys(UNDEFINED_BY)),
  folds: new Set([...Object.keys(FOLDS), ...UNFOLDED]),
  x64: cells(X64_TARGET.lowering),
  arm64: cells(ARM64_TARGET.lowering),
  golden: goldenOpcodes(goldenFiles),
  generator: new Set(ALL_OPCODES.filter(isGenerated).map(nameOfOpcode)),
  document: documented(readText("docs", "language.md")),
  names: new Set(namedHere(readText("docs", "language.md"))),
};

/** Returns faults that the project itself does not have. */
function newFaults(places: Places): string[] {
  const known = new Set(faultsOf(REAL));
  return faultsOf(places).filter((fault) => !known.has(fault));
}

test("every opcode has all its parts", (t) => {
  t.deepEqual(faultsOf(REAL), []);
});

test("every kind of patchpoint is in a golden file that is run", (t) => {
  const folder = join(root, "corpus", "golden", "run");
  const runs = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const text = [...runs, ...goldenFiles.values()].join("\n");
  t.deepEqual(
    PATCHPOINTS.filter(({ name }) => !new RegExp(`\\(${name}[,)]`).test(text)).map(
      ({ name }) => name,
    ),
    [],
  );
});

test("every golden file is named for an opcode", (t) => {
  const names = new Set<string>(OPCODE_NAMES);
  t.deepEqual(
    [...goldenFiles.keys()].filter((name) => !names.has(name)),
    [],
  );
});

const PLACES = Object.keys(REAL) as (keyof Places)[]; // keys of Places by construction

for (const place of PLACES) {
  test(`an entry removed from ${place} is reported, and nothing else`, (t) => {
    t.true(REAL[place].size > 0);
    for (const each of REAL[place]) {
      const others = new Set([...REAL[place]].filter((other) => other !== each));
      t.deepEqual(newFaults({ ...REAL, [place]: others }), [`${each}: ${place}`]);
    }
  });
}

test("a golden file that is missing, does not run its opcode or expects nothing does not count", (t) => {
  const [name, text] = [...goldenFiles].find(([each]) => each === "Add") ?? ["", ""];
  const files = (changed: string) => new Map([[name, changed]]);
  t.deepEqual([...goldenOpcodes(files(text))], ["Add"]);
  t.deepEqual([...goldenOpcodes(files(text.replace("Add(", "Sub(")))], []);
  t.deepEqual([...goldenOpcodes(files(text.replace(/; run:.*/g, "")))], []);
  t.deepEqual([...goldenOpcodes(files(text.replace(/(; run: f\([^)]*\)) = .*/g, "$1")))], []);
  t.deepEqual([...goldenOpcodes(new Map())], []);
});

test("a missing row of the document does not count", (t) => {
  const document = readText("docs", "language.md").replace(/^\| `Clz` \|.*\n/m, "");
  t.deepEqual(newFaults({ ...REAL, document: documented(document) }), ["Clz: document"]);
});

// The instructions of the descriptions of the three systems, all of them.
const B3 = `
  Nop Identity Const32 Const64 ConstFloat ConstDouble SlotBase ArgumentReg FramePointer Add Sub Mul Div Mod Neg
  ChillDiv ChillMod BitAnd BitOr BitXor Shl SShr ZShr Clz Abs Ceil Sqrt BitwiseCast SExt8 SExt16 SExt32 ZExt32 Trunc
  IToD FloatToDouble DoubleToFloat Equal NotEqual LessThan GreaterThan LessEqual GreaterEqual Above Below AboveEqual
  BelowEqual EqualOrUnordered Select Load8Z Load8S Load16Z Load16S Load Store8 Store16 Store CCall Patchpoint CheckAdd
  CheckSub CheckMul Check Upsilon Phi Jump Branch Switch Return Oops`;
const LUAJIT = `
  KPRI KINT KGC KPTR KKPTR KNULL KNUM KINT64 KSLOT LT GE LE GT ULT UGE ULE UGT EQ NE ABC RETF BNOT BSWAP BAND BOR BXOR
  BSHL BSHR BSAR BROL BROR ADD SUB MUL DIV MOD POW NEG ABS ATAN2 LDEXP MIN MAX FPMATH ADDOV SUBOV MULOV FPM_FLOOR
  FPM_CEIL FPM_TRUNC FPM_SQRT FPM_EXP FPM_EXP2 FPM_LOG FPM_LOG2 FPM_LOG10 FPM_SIN FPM_COS FPM_TAN AREF HREFK HREF NEWREF
  UREFO UREFC FREF STRREF ALOAD HLOAD ULOAD FLOAD XLOAD SLOAD VLOAD ASTORE HSTORE USTORE FSTORE XSTORE SNEW XSNEW TNEW
  TDUP CNEW CNEWI TBAR OBAR XBAR CONV TOBIT TOSTR STRTO CALLN CALLL CALLS CALLXS CARG NOP BASE PVAL GCSTEP HIOP LOOP USE
  PHI RENAME`;
const NANOJIT = `
  start nearskip skip neartramp tramp addp param file line alloc live st stq sti stqi ld ldq ldcb ldcs ldc ldqc calli
  call callh fcalli fcall ret fret loop x xt xf xbarrier j jt jf label ji eq lt gt le ge ult ugt ule uge feq flt fgt fle
  fge short int quad cmov qcmov neg add qiadd sub mul and qiand or qior xor not lsh qilsh rsh ush ov cs fneg fadd fsub
  fmul fdiv qlo qhi qjoin i2f u2f`;

test("the table of names has every instruction of the three systems, and no other opcode", (t) => {
  const document = readText("docs", "language.md");
  const known = new Set<string>(OPCODE_NAMES);
  t.deepEqual(
    namedHere(document).filter((name) => !known.has(name)),
    [],
  );
  for (const [system, column, list] of [
    ["B3", 2, B3],
    ["LuaJIT", 3, LUAJIT],
    ["Nanojit", 4, NANOJIT],
  ] as const) {
    const found = new Set<string>();
    for (const line of namesSection(document).split("\n")) {
      const tableCells = line.split(" | ");
      const own = line.startsWith(`| ${system} |`) ? tableCells[1] : tableCells[column - 1];
      for (const [, name] of (own ?? "").matchAll(/`(\w+)`/g)) found.add(name);
    }
    const missing = list.split(/\s+/).filter((name) => name !== "" && !found.has(name));
    t.deepEqual(missing, [], system);
  }
});
