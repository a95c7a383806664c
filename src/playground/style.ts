// Defines the style sheet of the page, light or dark as in the reader's system. It loads nothing.

export const PLAYGROUND_STYLE = `
:root {
  color-scheme: light dark;
  --back: #fdfcf9; --text: #22211d; --quiet: #645f54; --line: #dcd7ca; --panel: #f4f1e8;
  --gold: #8a6100; --added: #dff0dc; --removed: #f8dfda; --wrong: #a3220f; --right: #1f5f2a; --type: #24539c; --selected: #f1dfae; --piece: 80%;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #1b1a17; --text: #e9e5da; --quiet: #a8a293; --line: #3a372f; --panel: #25231e;
    --gold: #e0b354; --added: #1f3a22; --removed: #482420; --wrong: #ff9b87; --right: #93d6a0; --type: #9cc0ff; --selected: #57471c; --piece: 30%;
  }
}
* { box-sizing: border-box; }
body { margin: 0; border-top: 4px solid var(--gold); background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 100rem; margin: 0 auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 1rem 0 0; } h2 { font-size: 1.1rem; margin: 1.25rem 0 .4rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: .75rem 0 .25rem; } header p { margin: .25rem 0 .75rem; color: var(--quiet); }
.part { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 1.5rem; } main { padding-bottom: 3rem; } [hidden] { display: none !important; }
.tabs { display: flex; gap: .5rem; margin: 0 0 1rem; } [role="tab"][aria-selected="true"] { border-color: var(--gold); box-shadow: inset 0 -3px 0 var(--gold); }
#part-fuzz dl { display: grid; grid-template-columns: max-content max-content; gap: .1rem 1.5rem; margin: 0; } dt { color: var(--quiet); } dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
svg { max-width: none; } svg .box { fill: var(--back); stroke: var(--quiet); } svg text { fill: var(--text); font: 11px ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre; }
svg .number { font-size: 9px; fill: var(--quiet); } svg .piece { fill: var(--panel); stroke: var(--quiet); }
${Array.from({ length: 8 }, (_, c) => `svg .at${c} { fill: hsl(${45 * c} 60% var(--piece)); stroke: none; }`).join(" ")} svg .slot { stroke-dasharray: 3 2; }
svg path { fill: none; stroke: var(--quiet); } svg path.back { stroke: var(--gold); stroke-width: 2; } svg marker path { fill: var(--quiet); stroke: none; }
::highlight(value) { background-color: #ffd24a; color: #000; } .view { cursor: default; }
/* Marked text in pictures keeps its own colour, so the ground must suit it. */
@media (prefers-color-scheme: dark) { ::highlight(value) { background-color: #6b5200; color: #fff; } }
article { border-left: 3px solid var(--wrong); padding-left: .75rem; margin: 1rem 0; } article h3 { margin: 0; } article p { overflow-wrap: anywhere; margin: .25rem 0; } article button { margin-right: .5rem; } article pre { border: 1px solid var(--line); background: var(--panel); overflow: auto; max-height: 24rem; margin: .5rem 0; } .quiet { color: var(--quiet); }
#old-note { margin: 0; color: var(--wrong); font-weight: 600; } #old-note:empty { display: none; }
#old-note:empty + section h2, #old-note:empty + #found[hidden] + section h2 { margin-top: 0; }
.controls { display: flex; flex-wrap: wrap; gap: .4rem .75rem; align-items: center; margin: 0 0 .5rem; }
label { display: flex; gap: .4rem; align-items: center; min-width: 0; max-width: 100%; color: var(--quiet); }
select, input, button { font: inherit; font-size: .9rem; padding: .2rem .5rem; border: 1px solid var(--line); border-radius: 4px; background: var(--panel); color: var(--text); max-width: 100%; min-width: 0; }
.help { flex-basis: 100%; font-size: .875rem; } .help:empty { display: none; }
details > p { margin: .25rem 0 .5rem; font-size: .875rem; }
#verdicts .scroll { max-height: none; } #outcomes .scroll { max-height: 18rem; } #verdicts + .controls { margin-top: .5rem; }
button { cursor: pointer; } button:disabled { color: var(--quiet); cursor: default; opacity: .6; }
button[aria-pressed="true"] { border-color: var(--gold); box-shadow: 0 0 0 1px var(--gold); }
:focus-visible { outline: 3px solid var(--gold); outline-offset: 1px; }
program-editor { display: block; border: 1px solid var(--line); height: min(60vh, 40rem); background: var(--panel); }
program-editor, pre, .code { font: .8125rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
#faults:not(:empty) { margin: .5rem 0; } #faults p { margin: 0; color: var(--wrong); overflow-wrap: anywhere; }
#faults button { color: var(--wrong); text-align: left; width: 100%; overflow-wrap: anywhere; text-decoration: underline wavy; }
#faults ~ .controls { margin-top: .5rem; } #status { color: var(--quiet); font-size: .9rem; }
.scroll { overflow: auto; max-height: 34rem; border: 1px solid var(--line); background: var(--panel); }
pre { margin: 0; padding: .5rem; tab-size: 2; }
.lines { padding: .4rem 0; min-width: max-content; } .lines div { padding: 0 .5rem; white-space: pre; }
.added { background: var(--added); } .removed { background: var(--removed); } .skip { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { padding: .15rem .6rem; text-align: left; vertical-align: top; font-weight: inherit; border-top: 1px solid var(--line); }
thead th { border: 0; color: var(--quiet); font-weight: 600; position: sticky; top: 0; background: var(--panel); }
td.code { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 9rem; } td button, th button { font-size: .8125rem; padding: 0 .35rem; white-space: nowrap; }
.group th { font-weight: 600; padding-top: .5rem; }
tr.different > td, tr.error > td { color: var(--wrong); font-weight: 600; } tr.equal > td:nth-of-type(1) { color: var(--right); }
details { margin: .4rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
.old { opacity: .55; } [aria-busy] .view { opacity: .55; transition: opacity .2s .4s; }
@media (max-width: 60rem) { .part { grid-template-columns: minmax(0, 1fr); gap: 0; } program-editor { height: 22rem; } }
@media (max-width: 34rem) { th, td { padding: .15rem .35rem; } td button, th button { white-space: normal; text-align: left; } td.code { min-width: 5rem; } }
`;
