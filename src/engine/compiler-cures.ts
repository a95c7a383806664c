// Lists known bugs of compilers of C and LLVM IR, each with its cure: a rewritten source without the
// trigger, or a flag. A volatile variable hides a value from the optimizer.

import type { RemoteSubject } from "../execute/subject.js";
import { type BatchCompiler, batchSubject } from "./batch-subject.js";
import type { KnownBugCures } from "./engine-subject.js";

interface CompilerCure {
  /** Rewrites each program of C. */
  readonly c?: (text: string) => string;
  /** Rewrites each program of LLVM IR. */
  readonly llvm?: (text: string) => string;
  readonly flags?: readonly string[];
}

type CureTable = Readonly<Record<string, CompilerCure>>;

/** The parameters of functions of math.h with more than one. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  copysign: ["x", "y"],
  fma: ["x", "y", "z"],
};

/** Hides the results of these functions of math.h. */
const hideMath =
  (...names: readonly string[]) =>
  (text: string): string => {
    const all = names.flatMap((name) => [`${name}f`, name]);
    const hidden = all.filter((name) => new RegExp(`\\b${name}\\(`).test(text));
    const definitions = hidden.map((name) => {
      const type = name.endsWith("f") ? "float" : "double";
      const given = PARAMETERS[name.replace(/f$/, "")] ?? ["x"];
      const parameters = given.map((one) => `${type} ${one}`).join(", ");
      return `static ${type} hidden_${name}(${parameters}) { volatile ${type} r = ${name}(${given.join(", ")}); return r; }\n`;
    });
    const calls = hidden.reduce(
      (made, name) => made.replace(new RegExp(`\\b${name}\\(`, "g"), `hidden_${name}(`),
      text,
    );
    return calls.replace("#include <math.h>\n", (line) => line + definitions.join(""));
  };

/** Hides the results of these intrinsics: each passes through a volatile global variable. */
const hideIntrinsic =
  (...names: readonly string[]) =>
  (text: string): string => {
    const types = new Set<string>();
    const call = new RegExp(
      `^( *)(%\\S+) = (call (?:\\w+ )*?(float|double) @llvm\\.(?:${names.join("|")})\\..*)$`,
      "gm",
    );
    const made = text.replace(call, (_line, indent, result, shown, type) => {
      types.add(type);
      return [
        `${indent}${result}.hidden = ${shown}`,
        `${indent}store volatile ${type} ${result}.hidden, ptr @hidden_${type}`,
        `${indent}${result} = load volatile ${type}, ptr @hidden_${type}`,
      ].join("\n");
    });
    const globals = [...types].map((type) => `@hidden_${type} = internal global ${type} 0.0\n`);
    return made + globals.join("");
  };

/** Defines the maximum and minimum of Doubles by comparisons. */
const EXPANDED_EXTREMES = (
  [
    ["maximum", "ogt", "and"],
    ["minimum", "olt", "or"],
  ] as const
)
  .map(
    ([
      name,
      ordered,
      ofZeroes,
    ]) => `define internal double @hidden_${name}(double %x, double %y) noinline {
  %a = bitcast double %x to i64
  %b = bitcast double %y to i64
  %both = ${ofZeroes} i64 %a, %b
  %zero = bitcast i64 %both to double
  %sum = fadd double %x, %y
  %isNaN = fcmp uno double %x, %y
  %isFirst = fcmp ${ordered} double %x, %y
  %isEqual = fcmp oeq double %x, %y
  %chosen = select i1 %isFirst, double %x, double %y
  %ordered = select i1 %isEqual, double %zero, double %chosen
  %result = select i1 %isNaN, double %sum, double %ordered
  ret double %result
}
`,
  )
  .join("");

function expandExtremes(text: string): string {
  const made = text.replace(/@llvm\.(maximum|minimum)\.f64\(/g, "@hidden_$1(");
  return made === text ? text : made + EXPANDED_EXTREMES;
}

const FUSED_NEGATION: CompilerCure = { c: hideMath("fma"), llvm: hideIntrinsic("fma") };

// By the names of their files in corpus/known/engines. A bug without an entry has no narrow cure.
const LLVM_CURES: CureTable = {
  "llvm-sqrt-nan": { c: hideMath("sqrt"), llvm: hideIntrinsic("sqrt") },
  // Volatile stores of bytes: the pass does not analyze a loop with a volatile access.
  "llvm-loop-load-elim": {
    c: (text) =>
      text
        .replace(
          /\(uint8_t \*p, uint32_t x\) \{ (\*p|p\[0\]) =/g,
          "(volatile uint8_t *p, uint32_t x) { $1 =",
        )
        .replace("(*(uint8_t *)(p) =", "(*(volatile uint8_t *)(p) =")
        .replaceAll("((union c *)p)->b = (uint8_t)x", "*(volatile uint8_t *)p = (uint8_t)x"),
    llvm: (text) => text.replace(/^( *store) i8 /gm, "$1 volatile i8 "),
  },
  "llvm-fneg-ninf": {
    llvm: (text) => text.replace(/( = fneg )(?:\w+ )*(float|double) /g, "$1$2 "),
  },
  "llvm-nnan-select": {
    llvm: (text) => text.replace(/( = fcmp )(?:n\w+ )*(o[lg][te] |u[lg][te] )/g, "$1$2"),
  },
  // The sign of 0 makes an absolute value too.
  "llvm-fabs-known-bits": {
    c: hideMath("fabs", "copysign"),
    llvm: hideIntrinsic("fabs", "copysign"),
  },
  "llvm-aarch64-fnmadd": FUSED_NEGATION,
  "llvm-arm-maximum": { llvm: expandExtremes },
};

const HIDDEN_NOT_EQUAL = `\
__attribute__((noipa)) static uint32_t hidden_differ(double x, double y) { return x != y; }
#define T_IS(x, type) __builtin_types_compatible_p(__typeof__(x), type)
#define T_DIFFER(x, y) __builtin_choose_expr(T_IS(x, float) || T_IS(x, double), hidden_differ(x, y), (x) != (y))
`;

/** Hides comparisons of floats for different operands. */
function hideNotEqual(text: string): string {
  const made = text.replace(/\b(v\d+) != (v\d+)\b/g, "T_DIFFER($1, $2)");
  return made.replace("#include <math.h>\n", (line) => line + HIDDEN_NOT_EQUAL);
}

const GCC_CURES: CureTable = {
  "gcc-unordered-not-equal": { c: hideNotEqual },
  "gcc-fnmadd": FUSED_NEGATION,
  "gcc-overflow-of-products": { flags: ["-fno-aggressive-loop-optimizations"] },
  "gcc-steps-within-an-access": {
    flags: ["-fno-tree-vectorize", "-fno-predictive-commoning"],
  },
};

/**
 * @param flagged returns the compiler with additional flags, after its own
 * @param opened returns the subject of a compiler
 */
const curesBy = (
  table: CureTable,
  flagged: (flags: readonly string[]) => BatchCompiler,
  opened: (compiler: BatchCompiler) => RemoteSubject,
): KnownBugCures => ({
  bugs: Object.keys(table),
  without: (bugs) => {
    const cures = [...bugs].flatMap((bug) => table[bug] ?? []);
    const compiler = flagged(cures.flatMap(({ flags = [] }) => flags));
    return opened({
      ...compiler,
      sources: (programs) =>
        Object.fromEntries(
          Object.entries(compiler.sources(programs)).map(([name, text]) => [
            name,
            typeof text === "string" ? rewritten(name, text, cures) : text,
          ]),
        ),
    });
  },
});

function rewritten(name: string, text: string, cures: readonly CompilerCure[]): string {
  if (name === "program.c") return cures.reduce((made, { c }) => c?.(made) ?? made, text);
  if (name !== "program.ll") return text;
  return cures.reduce((made, { llvm }) => llvm?.(made) ?? made, text);
}

export const llvmCures = (
  flagged: (flags: readonly string[]) => BatchCompiler,
  opened: (compiler: BatchCompiler) => RemoteSubject,
): KnownBugCures => curesBy(LLVM_CURES, flagged, opened);
export const gccCures = (flagged: (flags: readonly string[]) => BatchCompiler): KnownBugCures =>
  curesBy(GCC_CURES, flagged, batchSubject);
