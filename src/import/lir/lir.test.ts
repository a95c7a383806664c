// Imports texts of Nanojit's assembler, and runs them in the oracle and by both back ends. The expected values follow
// from Nanojit's description of each instruction.

import test from "ava";
import { Judge } from "../../compare/judge-program.js";
import { subjectNamed } from "../../execute/subjects.js";
import type { Outcome } from "../../ir/outcome.js";
import { printLiteral } from "../../ir/text/literals.js";
import { LirError } from "../../lir/lir-error.js";
import type { LirDialect } from "../../lir/names.js";
import { parseLir } from "../../lir/parse.js";
import { SeedSource } from "../../support/source.js";
import { importLir } from "./import-lir.js";
import { lirInput } from "./inputs.js";

const SUBJECTS = ["x64-O0", "x64-O2", "arm64-O0", "arm64-O2"].flatMap(
  (name) => subjectNamed(name) ?? [],
);
const judge = new Judge({ subjects: SUBJECTS, fuelMax: 10_000 });
test.after(() => judge.close());

/** Returns the recorded ints and the ending: a result, or the fragment and line of an exit. */
function shown({ events, ending }: Outcome): string {
  const recorded = events.map(({ args: [{ lo }] }) => `${lo}, `).join("");
  if (ending.kind === "exit")
    return `${recorded}${ending.frames[0].name}:${ending.frames[0].point}`;
  if (ending.kind !== "return") return recorded + ending.kind;
  const { result } = ending;
  return recorded + (result === null ? "void" : printLiteral(result.type, result.lo, result.hi));
}

/** Runs a text in the oracle, and judges the subjects. */
async function run(text: string, dialect: LirDialect | null = null): Promise<string> {
  const imported = importLir(parseLir(text, dialect));
  const inputs = [lirInput(imported, new SeedSource(1n))];
  const [{ expected, results }] = await judge.judgeAll([{ module: imported.module, inputs }]);
  for (const { judgements, subject } of results)
    for (const { verdict } of judgements)
      if (verdict.kind === "different") return `${subject} differs`;
  return shown(expected[0]);
}

/** Each row: what `r` is, by definitions of a and b; the letter of its type; the result. */
// biome-ignore format: a table
const VALUES: readonly (readonly [text: string, letter: string, result: string])[] = [
  ["a = immi 7; b = immi -3; r = divi a b", "i", "-2"],
  ["a = immi 7; b = immi -3; q = divi a b; r = modi q", "i", "1"],
  ["a = immi 12; b = immi 10; r = andi a b", "i", "8"],
  ["a = immi 0xfffffff0; r = noti a", "i", "15"],
  ["a = immi -16; b = immi 34; r = rshi a b", "i", "-4"],
  ["a = immi -16; b = immi 28; r = rshui a b", "i", "15"],
  ["a = immq 0xff00000000; b = immq 0xf0f0000000f; r = andq a b", "q", "64424509440"],
  ["a = immq 5; b = immq 9; r = orq a b", "q", "13"],
  ["a = immq 5; b = immq 9; r = xorq a b", "q", "12"],
  ["a = immq 1; b = immi 127; r = lshq a b", "q", "-9223372036854775808"],
  ["a = immi -1; r = i2q a", "q", "-1"],
  ["a = immi -1; r = ui2uq a", "q", "4294967295"],
  ["a = immq -1; b = immq 1; r = eqq a b", "i", "0"],
  ["a = immq -1; b = immq 1; r = ltq a b", "i", "1"],
  ["a = immq -1; b = immq 1; r = gtq a b", "i", "0"],
  ["a = immq -1; b = immq -1; r = leq a b", "i", "1"],
  ["a = immq -1; b = immq 1; r = geq a b", "i", "0"],
  ["a = immq -1; b = immq 1; r = ltuq a b", "i", "0"],
  ["a = immq -1; b = immq 1; r = gtuq a b", "i", "1"],
  ["a = immq -1; b = immq 1; r = leuq a b", "i", "0"],
  ["a = immq -1; b = immq 1; r = geuq a b", "i", "1"],
  ["a = immi 3; c = eqi a a; x = immq 5; y = immq 6; r = cmovq c x y", "q", "5"],
  ["a = immi 3; c = lti a a; x = immd 5.5; y = immd 6.5; r = cmovd c x y", "d", "6.5"],
  ["a = immd -1.9; r = d2i a", "i", "-1"],
  ["a = immd 3e9; r = d2i a", "i", "-2147483648"],
  ["a = immd -3e9; r = d2i a", "i", "-2147483648"],
  ["z = immd 0; a = divd z z; r = d2i a", "i", "-2147483648"],
  ["z = immd 0; a = divd z z; r = led a a", "i", "0"],
  ["a = immi -1; r = ui2d a", "d", "4294967295.0"],
  ["a = immi 7; b = immi 1; d = ii2d a b; r = dlo2i d", "i", "7"],
  ["a = immi 7; b = immi 1; d = ii2d a b; r = dhi2i d", "i", "1"],
  ["p = allocp 8; a = immq -2; stq a p 0; r = ldi p 4", "i", "-1"],
  ["p = allocp 8; a = immi 0x12345; z = immq 0; stq z p 0; sti2s a p 2; r = ldq p 0", "q", "591724544"],
  ["p = allocp 8; a = immd 1.1; std2f a p 4; r = ldf2d p 4", "d", "1.100000023841858"],
  ["p = allocp 8; a = immq -9223372036854775808; n = immq 4; e = addq p n; stq a p 0; r = ldi e 0", "i", "-2147483648"],
  ["p = allocp 8; r = ldi p 0", "i", "undefined"],
  ["a = immi 7; b = immi 0; r = divi a b", "i", "undefined"],
  ["a = immq 5; b = immq -7; r = mulq a b", "q", "-35"],
  ["a = immq 7; b = immq -3; q = divq a b; r = modq q", "q", "1"],
  ["a = immd 2.25; r = sqrtd a", "d", "1.5"],
  ["a = immi 7; r = i2f a", "f", "7.0"],
  ["a = immf 0.1; b = immf 0.2; r = addf a b", "f", "0.30000001192092896"],
  ["a = immd 1e19; r = d2q a", "q", "-9223372036854775808"],
  ["a = immd 1.5; b = immd -2; c = immd 3; r = calld calld1 cdecl a b c b a b c a", "d", "-7.75"],
  ["n = immq 24; p = callq malloc cdecl n; q = callq malloc cdecl n; a = immi 5; sti a p 20; r = subq q p; callv free cdecl p", "q", "32"],
  ["n = immq 24; p = callq malloc cdecl n; r = ldi p 32", "i", "undefined"],
  ["a = immi 7; callv printi cdecl a; r = addi a a", "i", "7, 14"],
];

for (const [definitions, letter, result] of VALUES) {
  test(`${definitions} is ${result}`, async (t) => {
    const lines = definitions.replaceAll("; ", "\n");
    t.is(await run(`${lines}\nret${letter} r\n`), result);
  });
}

/** Each row: a text of several lines, and what is shown. */
const TEXTS: readonly (readonly [about: string, text: string, shown: string])[] = [
  [
    "a loop whose label precedes its jump",
    `n = allocp 4
zero = immi 0
one = immi 1
lim = immi 10
sti zero n 0
again: a = ldi n 0
b = addi a one
sti b n 0
c = lti b lim
jt c again
reti b`,
    "10",
  ],
  [
    "a jump that is not taken",
    "a = immi 1\nb = eqi a a\njf b no\nreti a\nno: c = immi 2\nreti c",
    "1",
  ],
  ["a guard that leaves", "a = immi 1\nb = eqi a a\nxf b\nxbarrier\nxt b\nx", "main:5"],
  ["the end of a fragment leaves", "a = immi 1\nb = lti a a\nxt b", "main:3"],
  ["a sum that does not overflow", "a = immi 7\nr = addxovi a a\nreti r", "14"],
  [
    "a difference that overflows",
    "a = immi -2147483648\nb = immi 1\nr = subxovi a b\nreti r",
    "main:3",
  ],
  [
    "the sum of quads that overflows is valid after the jump",
    "a = immq 0x7fffffffffffffff\nr = addjovq a a over\nretq a\nover: retq r",
    "-2",
  ],
  [
    "the difference of quads that does not overflow",
    "a = immq 5\nb = immq 9\nr = subjovq a b over\nretq r\nover: retq a",
    "-4",
  ],
  [
    "a call extends an int by its sign",
    `.begin f
a = paramq 0 0
b = paramp 1 0
c = addq a b
retq c
.end
.begin main
x = immi -5
y = immq 3
r = callq f fastcall x y
s = calli f fastcall y x
i = q2i r
j = muli i s
reti j
.end`,
    "4",
  ],
  [
    "a guard of a fragment without result returns to the caller",
    `.begin f
p = paramq 0 0
a = ldi p 0
b = addi a a
sti b p 0
z = immi 8
c = gti b z
xt c
sti z p 0
.end
.begin main
p = allocp 8
a = immi 3
sti a p 0
callv f fastcall p
callv f fastcall p
r = ldi p 0
reti r
.end`,
    "16",
  ],
  [
    "a guard of a fragment with a result leaves the program",
    ".begin f\na = immi 3\nb = eqi a a\nxt b\nreti a\n.end\n.begin main\nr = calli f fastcall\nreti r\n.end",
    "f:4",
  ],
  [
    "a patch continues a guard in another fragment, which may return to the first",
    `.begin main
p = allocp 8
q = immq 0x20
r = addq p q
s = subq r q
a = ldi s 0
b = immi 100
c = lti a b
g = xt c
reti a
.end
.begin side
d = immi 77
callv printi cdecl d
h = x
.end
.patch main.g -> side`,
    "77, side:15",
  ],
  [
    "linked fragments loop",
    `.begin count
n = paramq 0 0
a = ldi n 0
one = immi 1
b = addi a one
sti b n 0
ten = immi 10
c = lti b ten
g = xf c
h = x
.end
.begin main
p = allocp 4
z = immi 3
sti z p 0
callv count fastcall p
r = ldi p 0
reti r
.end`,
    "4",
  ],
];

for (const [about, text, expected] of TEXTS) {
  test(about, async (t) => t.is(await run(text), expected));
}

test("a patched guard of an overflow continues with the values that memory holds", async (t) => {
  const text = `.begin main
n = allocp 4
big = immi 1073741824
two = immi 2
g = mulxovi big two
reti g
.end
.begin other
a = immi 5
reti a
.end
.patch main.g -> other`;
  t.is(await run(text), "5");
  t.is(await run(text.slice(0, text.indexOf(".patch"))), "main:5");
});

test("fragments that patches link in a circle run until a guard holds", async (t) => {
  // The call makes the location a number, so both fragments see it.
  const text = `.begin even
a = immi 1
callv printi cdecl a
g = x
.end
.begin main
b = immi 2
callv printi cdecl b
h = x
.end
.patch main.h -> even
.patch even.g -> main`;
  t.regex(await run(text), /^2, 1, 2, 1, .*out-of-fuel$/);
});

/** Texts with the names until 2010, and of 2013; the last two have names of both alone. */
test("the names of the text tell the dialect", async (t) => {
  t.is(parseLir("a = int 2\nb = i2f a\nfret b", null).dialect, "2010");
  t.is(await run("a = int 2\nb = i2f a\nfret b"), "2.0");
  t.is(await run("a = immi 2\nb = i2f a\nretf b"), "2.0");
  t.is(parseLir("a = immi 2\nb = i2f a\nretf b", null).dialect, "2013");
  t.is(parseLir("x", null).dialect, "2011");
  t.is(await run("a = int 2147483647\nb = add a a\nc = ov b\nd = cs b\ne = sub c d\nret e"), "1");
  t.is(await run("a = quad 2.5\nb = fadd a a\nc = qhi b\nret c"), "1075052544");
  t.is(
    await run("p = alloc 8\na = float 1.5\nstqi a p 0\nb = ldq p 0\nc = fmul b b\nfret c"),
    "2.25",
  );
});

test("a name of two meanings takes that of the dialect", (t) => {
  const text = ".begin f\nx\n.end\n.begin main\nr = calli f fastcall\nx\n.end";
  t.notThrows(() => parseLir(text, null));
  const error = t.throws(() => parseLir(text, "2010"), { instanceOf: LirError });
  t.is(`${error?.line}: ${error?.message}`, "5: calli: an indirect call: outside of the import");
});

/** Each row: a text, and the message with its line. */
// biome-ignore format: a table
const FAULTS: readonly (readonly [text: string, message: RegExp])[] = [
  ["a = immi 1\nb = add a a", /^2: add is a name of 2010, but immi in line 1 is one of 2011 or 2013$/],
  ["a = immi 1\nb = addo a a", /^2: unknown instruction 'addo'$/],
  ["a = immi 1\nb = addi a", /^2: addi: expected 2 operands, found 1$/],
  ["a = immi 1\nb = addi a c", /^2: expected a value that an earlier line defines, found 'c'$/],
  ["a = immi 1\na = immi 2", /^2: 'a' is defined twice$/],
  ["a = immi 1\nb = immd 2\nc = addi a b", /^3: addi: expected an int, but 'b' is of type Double$/],
  ["a = immi 4294967296", /^1: expected an integer of 32 bits, found '4294967296'$/],
  ["a = immd 1e999", /^1: expected a decimal, found '1e999'$/],
  ["a = immq 1.5", /^1: expected an integer of 64 bits, found '1\.5'$/],
  ["a = immi 1\njt a no", /^2: expected a label, found 'no'$/],
  ["a = immi 1\nb = addi a a\njt b yes\nyes: x", /^3: jt: expected the result of a comparison, found that of addi$/],
  ["a = immi 1\nb = eqi a a\njt b on\nc = immi 2\non: reti c", /^5: 'c' is not defined on every path to this line$/],
  ["a = immi 1\nb = modi a", /^2: modi: expected the result of a division, found that of immi$/],
  ["a = immi ?", /^1: unexpected character at column 10$/],
  ["p = allocp 0", /^1: allocp: expected a size of at least 1$/],
  ["p = allocp 100000000", /^1: the allocations are larger than the stack$/],
  ["a = calli f fastcall", /^1: expected an earlier fragment or a function, found 'f'$/],
  ["a = immd 1\nb = calld sin cdecl a", /^2: sin: a function of C: outside of the import$/],
  ["a = immf4 1 2 3 4", /^1: immf4: a vector of four floats: outside of the import$/],
  ["a = paramq 0 1", /^1: paramq: a register of the caller: outside of the import$/],
  [".begin f\nx\n.end", /^1: expected a fragment named main/],
  [".begin main\nx", /^1: the fragment 'main' has no \.end$/],
  [".begin main\nx\n.end\n.patch main.g -> main", /^4: expected the name of a guard, found 'g'$/],
  [".begin f\na = paramq 0 0\nretq a\n.end\n.begin main\nr = callq f fastcall\nretq r\n.end", /^6: 'f' reads 1 parameters, but the call has 0 arguments$/],
  [".begin f\na = immd 1\nretd a\n.end\n.begin main\nr = calli f fastcall\nreti r\n.end", /^6: calli: 'f' returns no such value$/],
  ["a = immi 1\nb = immd 1\nc = eqi a a\njt c y\nreti a\ny: retd b", /^6: retd: results of different types in one fragment: outside/],
];

for (const [text, message] of FAULTS) {
  test(`'${text.slice(-40).replaceAll("\n", " | ")}' is refused`, (t) => {
    const error = t.throws(() => importLir(parseLir(text, null)), { instanceOf: LirError });
    t.regex(`${error?.line}: ${error?.message}`, message);
  });
}
