// Defines the style sheet of the page, light or dark as in the reader's system. It loads nothing.

export const STYLE = `
:root {
  color-scheme: light dark;
  --back: #fdfcf9; --text: #22211d; --quiet: #6d695f; --line: #dcd7ca; --panel: #f4f1e8;
  --gold: #8a6100; --added: #dff0dc; --removed: #f8dfda; --wrong: #a3220f; --link: #1d4f91;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #1b1a17; --text: #e9e5da; --quiet: #a39d8d; --line: #3a372f; --panel: #25231e;
    --gold: #e0b354; --added: #1f3a22; --removed: #482420; --wrong: #ff9b87; --link: #8fb8f2;
  }
}
* { box-sizing: border-box; }
body { margin: 0; border-top: 4px solid var(--gold); background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main, header, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.75rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 .5rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: .75rem 0 0; list-style: none; }
a { color: var(--link); overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--gold); outline-offset: 2px; }
code, pre, td.code { font: .8125rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { background: var(--panel); border: 1px solid var(--line); padding: .75rem; overflow: auto; margin: .5rem 0; tab-size: 2; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 1rem 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow: auto; max-height: 40rem; border: 1px solid var(--line); background: var(--panel); }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--quiet); position: sticky; top: 0; background: var(--panel); }
th, td { padding: .1rem .6rem; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere; }
th { white-space: normal; overflow-wrap: normal; vertical-align: bottom; }
.number { white-space: nowrap; overflow-wrap: normal; } th.number { white-space: normal; }
td.code { min-width: 11rem; } td.code:last-child { min-width: 20rem; }
.text { overflow-wrap: normal; } th.text:not(:empty) { min-width: 7rem; }
.number { text-align: right; }
td.number { font: .8125rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
tr.added td { background: var(--added); } tr.removed td { background: var(--removed); }
tr.wrong td { color: var(--wrong); font-weight: 700; }
tr.skip td { color: var(--quiet); }
mark { background: var(--removed); color: inherit; font-weight: 700; }
.got { color: var(--wrong); }
.quiet, footer { color: var(--quiet); font-size: .875rem; } footer { padding: 2rem 1.25rem; }
.curves { display: flex; flex-wrap: wrap; gap: 1rem; } figure { flex: 1 1 20rem; margin: 0; } figcaption, .axis { color: var(--quiet); font-size: .875rem; }
.axis { display: flex; justify-content: space-between; gap: 1rem; margin: 0; }
svg { max-width: none; } svg.curve { width: 100%; background: var(--panel); border: 1px solid var(--line); } svg.curve path { stroke: var(--gold); stroke-width: 2; } svg .box { fill: var(--back); stroke: var(--quiet); }
svg .box.touched { stroke: var(--gold); stroke-width: 3; }
svg text { fill: var(--text); font: 11px ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre; }
svg path { fill: none; stroke: var(--quiet); } svg path.back { stroke: var(--gold); stroke-width: 2; } svg marker path { fill: var(--quiet); stroke: none; }
`;
