// Checks that every opcode has all its parts: a row in each table that has rows by opcode. If a table has no row for
// an opcode, a rule gives the reason: its effect, or a list below.
//
// Each part is a set that is read from its source, so that tests can remove an element and see the check fail.
// docs/how-to/add-an-opcode.md lists the same files.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { MEANINGS as ARM64_MEANINGS } from "../reference/arm64/meanings.js";
import { ARM64_TARGET } from "../reference/arm64/target.js";
import { transferOf } from "../reference/optimize/analysis/ranges.js";
import { FOLDS, UNFOLDED } from "../reference/optimize/rules/fold.js";
import { conditionOf } from "../reference/target/conditions.js";
import type { LoweringTable } from "../reference/target/target.js";
import { MEANINGS as X64_MEANINGS } from "../reference/x64/meanings.js";
import { X64_TARGET } from "../reference/x64/target.js";
import { LACKING as C_LACKING, rowOf as cRowOf } from "../src/export/c/opcode-rows.js";
import { OPCODE_EXPANSIONS } from "../src/export/expansions.js";
import { LACKING as JS_LACKING, rowOf as jsRowOf } from "../src/export/js/opcode-rows.js";
import { LACKING as JVM_LACKING, rowOf as jvmRowOf } from "../src/export/jvm/opcode-rows.js";
import { LACKING as LLVM_LACKING, rowOf as llvmRowOf } from "../src/export/llvm/opcode-rows.js";
import { LACKING as LUA_LACKING, rowOf as luaRowOf } from "../src/export/lua/opcode-rows.js";
import { LACKING as WASM_LACKING, rowOf as wasmRowOf } from "../src/export/wasm/opcode-rows.js";
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
import { isInteger, nameOfType, type Type, VALUE_TYPES } from "../src/ir/types.js";
import { LIR_NAMES } from "../src/lir/names.js";
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
import { meaningOf } from "../src/oracle/patchpoints.js";
import { SMALL_MEANINGS } from "../src/prove/small-meanings.js";
import { projectRoot } from "../src/support/project-root.js";

/** The parts of an opcode, with the file that needs a row for it. */
// biome-ignore format: a table
const FILES = {
  meanings:     "src/oracle/meanings.ts",
  /** Partial opcodes with the rule that makes them undefined. */
  undefinedBy:  "src/oracle/meanings.ts",
  folds:        "reference/optimize/rules/fold.ts",
  ranges:       "reference/optimize/analysis/ranges.ts",
  x64:          "reference/x64/lowering.ts",
  arm64:        "reference/arm64/lowering.ts",
  /** The meanings of the LIR rows in its cells. */
  x64Rows:      "reference/x64/meanings.ts",
  arm64Rows:    "reference/arm64/meanings.ts",
  solver:       "src/prove/symbolic-meanings.ts",
  anyWidth:     "src/prove/small-meanings.ts",
  jumps:        "src/aim/jumps.ts",
  inverses:     "src/aim/inverses.ts",
  c:            "src/export/c/opcode-rows.ts",
  js:           "src/export/js/opcode-rows.ts",
  jvm:          "src/export/jvm/opcode-rows.ts",
  llvm:         "src/export/llvm/opcode-rows.ts",
  lua:          "src/export/lua/opcode-rows.ts",
  wasm:         "src/export/wasm/opcode-rows.ts",
  /** A golden file of that name executes it. */
  golden:       "corpus/golden/opcodes/NAME.ir",
  /** The generator draws it by its weight, or places it in the file that its row names. */
  generator:    "src/ir/opcodes.ts",
  document:     "docs/language.md",
  /** The table of names gives its names in other systems. */
  names:        "docs/language.md",
} as const;
type PartName = keyof typeof FILES;
/** The contents of each part, by name of the opcode, of the opcode at a type (`Add Int32`), or of a LIR row. */
type Places = { readonly [P in PartName]: ReadonlySet<string> };

/** Opcodes for which the default of a table suffices. */
// biome-ignore format: a table
const DEFAULT_SUFFICES: { readonly [P in "ranges" | "anyWidth" | "jumps" | "inverses"]: readonly OpcodeName[] } = {
  // Their results have the whole range of the type, or no range is computed.
  ranges: [
    "Nop", "Opaque", "ArgumentReg", "MulHigh", "UMulHigh", "RotL", "RotR", "ByteSwap", "Abs",
    "Ceil", "Sqrt", "Floor", "FTrunc", "Nearest", "FMin", "FMax", "CopySign", "FusedMulAdd",
    "Stitch", "IToD", "IToF", "UToD", "UToF", "TruncS32", "TruncU32", "TruncS64", "TruncU64",
    "ToInt32", "FloatToDouble", "DoubleToFloat", "BitwiseCast", "PurifyNaN", "Above", "Below",
    "AboveEqual", "BelowEqual", "Select", "Depend",
  ],
  // Their ranges are constant, so the range proofs do not run them. Opcodes without a range need no row.
  anyWidth: [
    "Equal", "NotEqual", "LessThan", "GreaterThan", "LessEqual", "GreaterEqual",
    "EqualOrUnordered",
  ],
  // They jump where the kind of the result changes.
  jumps: [
    "Nop", "Identity", "Opaque", "ArgumentReg", "Neg", "BitAnd", "BitOr", "BitXor", "ByteSwap",
    "Abs", "Sqrt", "CopySign", "FusedMulAdd", "Stitch", "BitwiseCast", "Depend", "PatchpointCheck",
  ],
  // Aims guess operands near the old ones.
  inverses: [
    "Nop", "Identity", "Opaque", "ArgumentReg", "MulHigh", "UMulHigh", "AddOverflows",
    "SubOverflows", "MulOverflows", "AddCarries", "FusedMulAdd", "BitwiseCast", "Equal",
    "NotEqual", "LessThan", "GreaterThan", "LessEqual", "GreaterEqual", "Above", "Below",
    "AboveEqual", "BelowEqual", "EqualOrUnordered", "Select", "Depend", "Check", "PatchpointCheck",
  ],
};

const PLACES = Object.keys(FILES) as PartName[]; // keys of FILES by construction

const isOf = (opcode: Opcode, ...effects: EffectName[]): boolean =>
  effects.includes(specOf(opcode).effect);

const computes = (opcode: Opcode): boolean => isOf(opcode, "pure", "partial");

/** Returns the names that a part needs for an opcode. */
function wantedBy(opcode: Opcode): Partial<Record<PartName, readonly string[]>> {
  const names = [nameOfOpcode(opcode)];
  const computed = computes(opcode) ? names : [];
  const aimed = computes(opcode) || isOf(opcode, "exit") ? names : [];
  const exported = computes(opcode) ? exportedCells(opcode) : [];
  const isDefault = (place: keyof typeof DEFAULT_SUFFICES): boolean =>
    DEFAULT_SUFFICES[place].includes(names[0]);
  return {
    meanings: aimed,
    undefinedBy: isOf(opcode, "partial") ? names : [],
    folds: computed,
    ranges: isDefault("ranges") ? [] : computed,
    x64: cellsOf(opcode),
    arm64: cellsOf(opcode),
    x64Rows: rowsOf(X64_TARGET.lowering, names[0]),
    arm64Rows: rowsOf(ARM64_TARGET.lowering, names[0]),
    solver: computed,
    anyWidth: transferOf(opcode) === null || isDefault("anyWidth") ? [] : computed,
    jumps: isDefault("jumps") ? [] : aimed,
    inverses: isDefault("inverses") ? [] : aimed,
    c: exported,
    llvm: exported,
    js: exported,
    jvm: exported,
    lua: exported,
    wasm: exported,
    golden: names,
    generator: names,
    document: names,
    names,
  };
}

const faultOf = (place: PartName, name: string): string =>
  `${name}: ${FILES[place]} needs a row (${place})`;

/** Returns the missing parts, one line each, with the file that needs a row. */
function faultsOf(places: Places): string[] {
  const faults = ALL_OPCODES.flatMap((opcode) => {
    const wanted = wantedBy(opcode);
    return PLACES.flatMap((place) =>
      (wanted[place] ?? [])
        .filter((name) => !places[place].has(name))
        .map((name) => faultOf(place, name)),
    );
  });
  return [...new Set(faults)];
}

const rowsOf = (table: LoweringTable, name: OpcodeName): string[] => [
  ...new Set(Object.values(table[name] ?? {}).flat()),
];

// Opcodes that each exporter writes by its shape: it has no row in the exporters' tables.
const EXPORTED_BY_SHAPE: readonly OpcodeName[] = ["Nop", "Identity", "ArgumentReg"];

/** Returns the cells that an opcode needs in the tables of exporters, by the first operand's type. */
function exportedCells(opcode: Opcode): string[] {
  const name = nameOfOpcode(opcode);
  if (EXPORTED_BY_SHAPE.includes(name)) return [];
  return columnsOf(opcode)
    .filter((type) => name !== "Select" || isInteger(type))
    .map((type) => `${name} ${nameOfType(type)}`);
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

/** Returns the cells that a table of an exporter has, or that it expands to other opcodes. */
const exportedBy = (
  lacking: ReadonlySet<string>,
  rowOf: (opcode: Opcode, type: Type) => unknown,
): Set<string> =>
  new Set(
    ALL_OPCODES.flatMap((opcode) => {
      const name = nameOfOpcode(opcode);
      const has = (type: Type): boolean => {
        const key = `${name}.${nameOfType(type)}`;
        if (lacking.has(name)) return name in OPCODE_EXPANSIONS || key in OPCODE_EXPANSIONS;
        try {
          return rowOf(opcode, type) !== undefined;
        } catch {
          return false;
        }
      };
      return computes(opcode)
        ? VALUE_TYPES.filter(has).map((type) => `${name} ${nameOfType(type)}`)
        : [];
    }),
  );

/** Returns the keys of a table by opcode in a source. The table is private, or its file is hashed for seeds. */
function keysIn(path: string, table: string): Set<string> {
  const source = readText(...path.split("/"));
  const rows =
    new RegExp(`const ${table}\\b[^=]*= \\{\\n([\\s\\S]*?)\\n\\};`).exec(source)?.[1] ?? "";
  const names = new Set<string>(OPCODE_NAMES);
  const keys = rows.matchAll(/(?<![\w.$"])([A-Z]\w*):/g);
  return new Set([...keys].map(([, name]) => name).filter((name) => names.has(name)));
}

const namesWhere = (has: (opcode: Opcode) => boolean): Set<string> =>
  new Set(ALL_OPCODES.filter(has).map(nameOfOpcode));

const REAL: Places = {
  meanings: new Set([
    ...[...Object.keys(MEANINGS), ...MOVES, ...Object.keys(TRUE_RESULTS), "Check"],
    ...Object.keys(GUARDED_CONVERSIONS),
    ...PATCHPOINTS.filter(
      (kind) => kind.effect === "exit" && typeof meaningOf(kind) === "function",
    ).map(opcodeNameOf),
  ]),
  undefinedBy: new Set(Object.keys(UNDEFINED_BY)),
  folds: new Set([...Object.keys(FOLDS), ...UNFOLDED]),
  ranges: namesWhere((opcode) => transferOf(opcode) !== null),
  x64: cells(X64_TARGET.lowering),
  arm64: cells(ARM64_TARGET.lowering),
  x64Rows: new Set(X64_MEANINGS.keys()),
  arm64Rows: new Set(ARM64_MEANINGS.keys()),
  solver: keysIn(FILES.solver, "SYMBOLIC_MEANINGS"),
  anyWidth: new Set(Object.keys(SMALL_MEANINGS)),
  jumps: keysIn(FILES.jumps, "ROWS"),
  inverses: keysIn(FILES.inverses, "ROWS"),
  c: exportedBy(C_LACKING, cRowOf),
  llvm: exportedBy(LLVM_LACKING, (opcode, type) => llvmRowOf(opcode, type, type)),
  js: exportedBy(JS_LACKING, jsRowOf),
  jvm: exportedBy(JVM_LACKING, jvmRowOf),
  lua: exportedBy(LUA_LACKING, luaRowOf),
  wasm: exportedBy(WASM_LACKING, wasmRowOf),
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

for (const place of PLACES) {
  test(`an entry removed from ${place} is reported, and nothing else`, (t) => {
    const wanted = new Set(ALL_OPCODES.flatMap((opcode) => wantedBy(opcode)[place] ?? []));
    t.true(wanted.size > 0);
    for (const each of wanted) {
      const others = new Set([...REAL[place]].filter((other) => other !== each));
      t.deepEqual(newFaults({ ...REAL, [place]: others }), [faultOf(place, each)]);
    }
  });
}

test("an opcode has a row, or the default of the table suffices, and not both", (t) => {
  for (const [place, names] of Object.entries(DEFAULT_SUFFICES)) {
    const known = Object.entries(REAL).find(([name]) => name === place)?.[1];
    t.deepEqual(
      names.filter((name) => known?.has(name)),
      [],
      place,
    );
  }
});

test("the page about opcodes lists the files that need a row, and no others", (t) => {
  const page = readText("docs", "how-to", "add-an-opcode.md");
  const rows = /<!-- files -->([\s\S]*)<!-- end of files -->/.exec(page)?.[1] ?? "";
  const listed = [...rows.matchAll(/^\| ((?:`[^`|]+`(?:, )?)+) \|/gm)].flatMap(([, cell]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, file]) => file),
  );
  t.deepEqual(listed.toSorted(), [...new Set(Object.values(FILES))].toSorted());
});

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
  t.deepEqual(newFaults({ ...REAL, document: documented(document) }), [faultOf("document", "Clz")]);
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
/** The names of 2011 and 2013, without vectors; the assembler's synonyms are no instructions. */
const NANOJIT_LATER = [...LIR_NAMES]
  .filter(([name, dialects]) => dialects.has("2013") && !/f4|^f4|p$/.test(name))
  .map(([name]) => name);

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
    ["Nanojit", 4, `${NANOJIT} ${NANOJIT_LATER.join(" ")}`],
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
