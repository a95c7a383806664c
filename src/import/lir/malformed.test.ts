// Imports malformed texts of Nanojit's assembler: an error with its line, soon and with little memory.

import test from "ava";
import { LirError } from "../../lir/lir-error.js";
import { LIR_NAMES } from "../../lir/names.js";
import { parseLir } from "../../lir/parse.js";
import { SeedSource } from "../../support/source.js";
import { mutatedText } from "../mutated-text.js";
import { importLir } from "./import-lir.js";

const TEXT = `.begin side
; leaves by its guard
p = paramp 0 0
a = ldi p 0
b = immi 0x10
c = addi a b
sti c p 0
d = lti c b
g = xt d
retd0 = immi 3
reti retd0
.end
.begin other
e = immd 1.5e1
f = d2i e
callv printi cdecl f
reti f
.end
.patch side.g -> other
.begin main
p = allocp 16
one = immi 1
sti one p 0
q = immq 0xffffffffff
stq q p 8
r = calli side fastcall p
loop: s = ldi p 0
t = subxovi s one
u = addjovi t r over
sti t p 0
v = gti t one
jt v loop
w = cmovi v r s
reti w
over: x
.end
`;
const MUTATIONS = 500;
const SECONDS_MAX = 2;
const MEGABYTES_MAX = 1500;
const TOKEN = /->|[\w$.+-]+|[:,=[\]()]|[^\s\w]/g;
/** Texts in the place of a token. */
const STRANGE = [
  ...["", "\n", ";", ":", "=", "->", "(", "]", "\u0001", "\u00e9", ".begin", ".end", ".patch"],
  ...["0", "-1", "99999999999", "1e999", "0x", "nan", "a.b.c", "-", "+", ".5", "p", "q", "main"],
  ...["one", "loop", ...LIR_NAMES.keys()],
];

/** Imports a text. Returns the error if it is refused. */
function refusalOf(text: string): LirError | null {
  try {
    importLir(parseLir(text, null));
    return null;
  } catch (error) {
    if (error instanceof LirError) return error;
    throw error;
  }
}

test(`${MUTATIONS} mutations`, (t) => {
  t.is(refusalOf(TEXT), null);
  const source = new SeedSource(1n);
  let refused = 0;
  for (let i = 0; i < MUTATIONS; i++) {
    const changed = mutatedText(TEXT, TOKEN, STRANGE, source);
    const before = process.cpuUsage();
    const error = refusalOf(changed);
    const { user, system } = process.cpuUsage(before);
    t.true((user + system) / 1e6 < SECONDS_MAX, `mutation ${i} took ${(user + system) / 1e6} s`);
    if (error === null) continue;
    refused++;
    const { line, message } = error;
    const isPlace = line >= 1 && line <= changed.split("\n").length && !message.includes("\n");
    t.true(isPlace && message.length < 200, `${line}: ${message}`);
  }
  t.true(refused > MUTATIONS / 2, `${refused} refused`);
  t.true(process.resourceUsage().maxRSS / 1024 < MEGABYTES_MAX);
});

const repeated = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");
const fragments = (count: number, body: (i: number) => string): string =>
  repeated(count, (i) => `.begin f${i}\n${body(i)}\n.end`);

/** Each row: a large text, and the message; empty if it is imported. */
const LARGE: readonly (readonly [about: string, text: string, message: string])[] = [
  ["100,000 lines", repeated(100_000, (i) => `a${i} = immi 1`), "50000: more than 50000 lines"],
  [
    "a chain of 5,000 jumps",
    `a = immi 1\nb = eqi a a\n${repeated(5000, (i) => `jt b l${i}\nl${i}: c${i} = addi a a`)}\nx`,
    "",
  ],
  [
    "1,000 fragments, each of which calls the one before",
    `${fragments(1000, (i) => (i === 0 ? "a = immi 1\nreti a" : `a = calli f${i - 1} fastcall\nb = calli f0 fastcall\nreti a`))}\n.begin main\na = calli f999 fastcall\nreti a\n.end`,
    "",
  ],
  [
    "trees that share their fragments",
    `${fragments(1000, () => "g = x")}\n${repeated(999, (i) => `.patch f${i + 1}.g -> f${i}`)}\n.begin main\n${repeated(1000, (i) => `callv f${i} fastcall`)}\n.end`,
    "704: more than 100000 instructions in all trees",
  ],
];

for (const [about, text, message] of LARGE) {
  test(about, (t) => {
    const error = refusalOf(text);
    t.is(error === null ? "" : `${error.line}: ${error.message}`, message);
  });
}
