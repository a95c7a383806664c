// Writes the page: one HTML text that loads nothing. The content security policy admits only the
// page's own script and style, by their hashes, and its worker.

import { createHash } from "node:crypto";
import type { ProgramExample } from "./examples.js";
import { PLAYGROUND_STYLE } from "./style.js";

interface PageParts {
  readonly pageScript: string;
  readonly workerScript: string;
  /** The time limit of a request. */
  readonly seconds: number;
  readonly examples: readonly ProgramExample[];
}

/** The greatest size of the page, in bytes. */
export const PAGE_SIZE_MAX = 4 << 20;

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Returns JSON without `<`, so that it cannot end the element that contains it. */
const inert = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

/** Returns the policy of the page, which a server may also send as a header. */
const policyOf = (script: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(script)} 'wasm-unsafe-eval'`,
    `style-src ${hashOf(PLAYGROUND_STYLE)}`,
    "worker-src blob:",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

const FUZZ_PART = `<div id="part-fuzz" role="tabpanel" aria-labelledby="tab-fuzz" hidden>
<p>Workers draw programs, export them to WebAssembly, and run them in this browser's own engine. The oracle judges each
execution. The engine is the one of <span id="fuzz-engine" class="code"></span></p>
<p class="quiet">The page cannot choose the tier of the compiler. The engine compiles a function again when it is hot, so
more rounds reach its optimizing compiler.</p>
<div class="controls">
<label>Profile <select id="fuzz-profile"></select></label>
<label>First seed <input id="fuzz-first" inputmode="numeric" size="8" value="1"></label>
<label>Programs <input id="fuzz-count" inputmode="numeric" size="7" value="2000"></label>
<label>Rounds <input id="fuzz-rounds" inputmode="numeric" size="6" value="1"></label>
<label>Workers <input id="fuzz-workers" inputmode="numeric" size="3" value="1"></label>
<label>Seconds for a program <input id="fuzz-hang" inputmode="numeric" size="4" value="20"></label>
<span id="fuzz-profile-help" class="quiet help"></span>
</div>
<div class="controls">
<label><input id="fuzz-broken" type="checkbox"> Break it on purpose: change one instruction of each module</label>
<button type="button" id="fuzz-start">Start</button>
<button type="button" id="fuzz-stop" disabled>Stop</button>
<span id="fuzz-status" role="status"></span>
</div>
<section aria-labelledby="fuzz-so-far"><h2 id="fuzz-so-far">So far</h2><div id="fuzz-figures"><p>Nothing has run.</p></div></section>
<section aria-labelledby="fuzz-found"><h2 id="fuzz-found">Findings</h2><div id="fuzz-findings"></div></section>
</div>`;

const COMPILATION_PART = `<section aria-label="one compilation">
<h2>One compilation</h2>
<div class="controls">
<label>Target <select id="target"></select></label>
<label>Level <select id="level"></select></label>
<label>Allocator <select id="allocator"></select></label>
</div>
<h3>Phases that changed the program, with the rules they applied</h3><div id="phases" class="view"></div>
<details><summary>Control-flow graph before the optimizer</summary>
<p class="quiet">A box is a basic block, an arrow a jump. A gold arrow goes back to the head of a loop.</p><div id="graph" class="view"></div></details>
<details><summary>Live intervals</summary>
<p class="quiet">A row is a virtual register, with the value that it holds. A column is an instruction, by its number in the
LIR; B0 is the start of a block. A bar covers the instructions between definition and last use. Its colour is that of its
register; a grey, dashed bar is a stack slot. Several registers share a colour, so the name is in the bar, or in its tooltip.</p><div id="intervals" class="view"></div></details>
<details><summary>LIR after allocation</summary>
<p class="quiet"><code>v6&lt;l&gt;:R@rax</code> is virtual register 6 with its type, its policy, and its location after the
<code>@</code>. Types: i Int32, l Int64, r a reference, f Float, d Double. Policies: R a register, A anywhere, S the spill
slot, K kept for an exit or a call, = the register of a use; a name is that register. <code>[8]</code> is a spill slot,
<code>before</code> a line of moves, and <code>@9</code> at the end of a line the value that the instruction comes from.</p><div id="lir" class="view"></div></details>
<details><summary>Machine code</summary>
<p class="quiet">A line without an offset is a LIR instruction: its value, the location, and its operands. The machine
instructions that it becomes follow, each with its offset.</p><div id="code" class="view"></div></details>
<details><summary>Bytes of the machine code</summary><p class="quiet">The columns are the offset and the bytes, both hexadecimal.</p><div id="bytes" class="view"></div></details>
<details><summary>Exit table</summary>
<p class="quiet">An exit leaves the code at a failed guard. Its frames are rebuilt from the listed registers and slots.</p><div id="exits" class="view"></div></details>
</section>`;

export function playgroundPage({ pageScript, workerScript, seconds, examples }: PageParts): string {
  // In JavaScript these occur only in strings and in expressions that no bundler writes.
  const script = pageScript.replaceAll("</script", "<\\/script").replaceAll("<!--", "\\x3c!--");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>Touchstone playground</title>
<style>${PLAYGROUND_STYLE}</style>
</head>
<body>
<header>
<h1>Touchstone playground</h1>
<p>Change the program: the oracle, a plain interpreter, computes the expected outcome. Touchstone's reference compiler
compiles the program for two targets, and the table shows each difference. Nothing leaves this page.</p>
<div role="tablist" aria-label="parts of the page" class="tabs">
<button type="button" role="tab" id="tab-program" aria-controls="part-program" aria-selected="true">One program</button>
<button type="button" role="tab" id="tab-fuzz" aria-controls="part-fuzz" aria-selected="false" tabindex="-1">Fuzz this browser</button>
</div>
</header>
<main>
<div id="part-program" role="tabpanel" aria-labelledby="tab-program" class="part">
<section aria-label="program">
<div class="controls">
<label>Example <select id="examples"><option value="" disabled hidden>none: your own program</option></select></label>
<label>Planted bug <select id="canary"><option value="">none: the compiler as it is</option></select></label>
<span id="canary-help" class="quiet help"></span>
</div>
<div class="controls">
<label>Profile <select id="profile"></select></label>
<label>Seed <input id="seed" inputmode="numeric" size="8" value="1"></label>
<button type="button" id="draw">Draw the random program of this profile and seed</button>
<span id="profile-help" class="quiet help"></span>
</div>
<program-editor id="program"></program-editor>
<div id="faults" role="alert"></div>
<div class="controls">
<button type="button" id="reduce">Reduce</button>
<button type="button" id="stop" disabled>Stop</button>
<button type="button" id="copy">Copy link</button>
<span id="status" role="status"></span>
<span id="size"></span>
<span id="marked"></span>
</div>
</section>
<div id="views">
<p id="old-note" role="status"></p>
<section id="found" hidden><h2>In the finding</h2><div id="found-outcomes"></div></section>
<section><h2>Outcomes</h2><div id="outcomes" class="view"></div></section>
<section><h2>Verdicts</h2><div id="verdicts" class="view"></div>
<div class="controls"><label>Calls of each run line in this browser <select id="calls"><option>1</option><option selected>1000</option><option>10000</option><option>100000</option></select></label></div>
<p class="quiet">A page cannot run machine code of x86-64, so its rows run the LIR after allocation. They do not show bugs
of later stages, such as encodings; the rows of AArch64 do.</p></section>
${COMPILATION_PART}
</div>
</div>
${FUZZ_PART}
</main>
<script type="application/json" id="data">${inert({ worker: workerScript, seconds, examples })}</script>
<script id="page">${script}</script>
</body>
</html>
`;
}
