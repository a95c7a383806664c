// Draws the control-flow graph of a procedure: blocks with their values, laid out in layers.

import { type Edge, Graph, layout } from "@dagrejs/dagre";
import type { BasicBlock, Procedure } from "../../ir/procedure.js";
import { printValue } from "../../ir/text/print.js";
import { type HtmlMarkup, markup } from "./markup.js";

const LINE_HEIGHT = 15;
const CHAR_WIDTH = 6.7;
const PADDING = 8;
/** Number of values that are drawn for a block; a larger picture does not help. */
const VALUES_MAX = 24;
/** A procedure with more blocks is not drawn. */
const BLOCKS_MAX = 60;
const LINE_MAX = 64;

/**
 * Draws a procedure. Returns null for one that is too large.
 * @param touched ids of values whose blocks are highlighted
 */
export function graphOf(proc: Procedure, touched: ReadonlySet<number>): HtmlMarkup | null {
  if (proc.blocks.length > BLOCKS_MAX) return null;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 30, ranksep: 36, marginx: 10, marginy: 10 });
  const texts = new Map(proc.blocks.map((block) => [block.id, linesOf(block)]));
  for (const [id, lines] of texts) {
    const longest = Math.max(...lines.map((line) => line.length));
    const width = longest * CHAR_WIDTH + 2 * PADDING;
    graph.setNode(String(id), { width, height: lines.length * LINE_HEIGHT + 2 * PADDING });
  }
  for (const block of proc.blocks) {
    block.successors.forEach((successor, way) => {
      graph.setEdge(String(block.id), String(successor.id), {}, String(way));
    });
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const boxes = proc.blocks.map((block) => {
    const isTouched = block.values.some(({ id }) => touched.has(id));
    return boxOf(graph.node(String(block.id)), texts.get(block.id) ?? [], isTouched);
  });
  const back = backEdges(proc);
  const edges = graph.edges().map((edge: Edge) => {
    const isBack = back.has(`${edge.v} ${edge.w}`);
    const points: readonly GraphPoint[] =
      edge.v === edge.w ? ownLoop(graph.node(edge.v)) : (graph.edge(edge).points ?? []);
    const path = points.map(({ x, y }, p) => `${p === 0 ? "M" : "L"}${fixed(x)},${fixed(y)}`);
    return markup`<path d="${path.join("")}" marker-end="url(#head)"${isBack ? BACK : null}/>\n`;
  });
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="control-flow graph of ${proc.name}"><svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="control-flow graph" width="${fixed(width)}" height="${fixed(height)}" viewBox="0 0 ${fixed(width)} ${fixed(height)}"><defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0L8,4L0,8z"/></marker></defs>${edges}${boxes}</svg></div>`;
}

const BACK = markup` class="back"`;

/** Returns the edges that close loops, each as the ids of its blocks. */
function backEdges({ blocks }: Procedure): ReadonlySet<string> {
  const found = new Set<string>();
  const open = new Set<BasicBlock>();
  const visited = new Set<BasicBlock>();
  const visit = (block: BasicBlock): void => {
    visited.add(block);
    open.add(block);
    for (const successor of block.successors) {
      if (open.has(successor)) found.add(`${block.id} ${successor.id}`);
      else if (!visited.has(successor)) visit(successor);
    }
    open.delete(block);
  };
  if (blocks.length > 0) visit(blocks[0]);
  return found;
}

interface GraphPoint {
  readonly x: number;
  readonly y: number;
}

/** Returns the edge of a block to itself, at its right side. The layout reserves the space. */
function ownLoop({ x, y, width }: PlacedBox): GraphPoint[] {
  const right = x + width / 2;
  const corner = (dx: number, dy: number): GraphPoint => ({ x: right + dx, y: y + dy });
  return [corner(0, 12), corner(16, 12), corner(16, -12), corner(0, -12)];
}

interface PlacedBox extends GraphPoint {
  readonly width: number;
  readonly height: number;
}

function boxOf({ x, y, width, height }: PlacedBox, lines: readonly string[], isTouched: boolean) {
  const [left, top] = [x - width / 2, y - height / 2];
  const texts = lines.map(
    (line, l) =>
      markup`<text x="${fixed(left + PADDING)}" y="${fixed(top + PADDING + (l + 0.75) * LINE_HEIGHT)}">${line}</text>`,
  );
  return markup`<g><rect class="${isTouched ? "box touched" : "box"}" x="${fixed(left)}" y="${fixed(top)}" width="${fixed(width)}" height="${fixed(height)}" rx="3"/>${texts}</g>\n`;
}

function linesOf(block: BasicBlock): string[] {
  const values = block.values.map(printValue).map((line) => cut(line));
  const shown = values.slice(0, VALUES_MAX);
  const rest = values.length - shown.length;
  return [`#${block.id}:`, ...shown, ...(rest > 0 ? [`... and ${rest} more`] : [])];
}

const cut = (line: string): string =>
  line.length <= LINE_MAX ? line : `${line.slice(0, LINE_MAX - 3)}...`;

const fixed = (x: number): string => x.toFixed(1);
