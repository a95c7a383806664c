// Proposes smaller candidates for given choices, for a shrinker.
// 1. Every candidate has fewer choices and structures than its origin, or as many, of which one choice is lower and
// none is higher; so any chain of candidates ends.
// 2. Every edit is tried once, cyclically from a given one. After a success the shrinker continues with the same edit,
// so that edits that have just failed are not retried immediately.

import type { ChoiceSpan, RecordedChoice } from "./choices.js";

/**
 * The position of an edit: the shrink pass, as an index of PASSES, and the edit's index in the
 * pass.
 */
export interface ShrinkEdit {
  readonly pass: number;
  readonly at: number;
}

interface SmallerCandidate {
  readonly choices: ChoiceSpan;
  /** The edit to continue with after a success. */
  readonly edit: ShrinkEdit;
}

/** A span and its position in the tree. */
interface SpanNode {
  readonly span: ChoiceSpan;
  readonly parent: SpanNode | null;
  /** The index of the span among its parent's items. */
  readonly index: number;
}

/** A function that returns replacements for the node's span. */
type ShrinkPass = (node: SpanNode) => Iterable<ChoiceSpan>;

// The shrink passes in order: outermost structures first, large steps first.
const PASSES: readonly ShrinkPass[] = [
  keepingOne,
  emptied,
  ...[32, 16, 8, 4, 2, 1].map(dropping),
  replacedByInner,
  zeroed,
  lowered,
];

export const FIRST_EDIT: ShrinkEdit = { pass: 0, at: 0 };

/** Yields candidates, from the given edit to the last one, then from the first to the given edit. */
export function* smallerChoices(
  choices: ChoiceSpan,
  from: ShrinkEdit,
): Generator<SmallerCandidate> {
  const nodes = nodesOf(choices);
  const first = from.at < nodes.length ? from.at : 0;
  for (let p = 0; p <= PASSES.length; p++) {
    const pass = (from.pass + p) % PASSES.length;
    const start = p === 0 ? first : 0;
    const end = p === PASSES.length ? first : nodes.length;
    for (let at = start; at < end; at++) {
      for (const span of PASSES[pass](nodes[at])) {
        yield { choices: replaced(nodes[at], span), edit: { pass, at } };
      }
    }
  }
}

/** Returns all spans, each before those in it. */
function nodesOf(choices: ChoiceSpan): SpanNode[] {
  const nodes: SpanNode[] = [{ span: choices, parent: null, index: 0 }];
  const addInner = (parent: SpanNode): void => {
    parent.span.items.forEach((span, index) => {
      if (typeof span === "number") return;
      const node = { span, parent, index };
      nodes.push(node);
      addInner(node);
    });
  };
  addInner(nodes[0]);
  return nodes;
}

/** Returns the whole tree with another span at the node. */
function replaced({ parent, index }: SpanNode, span: ChoiceSpan): ChoiceSpan {
  if (parent === null) return span;
  return replaced(parent, withItems(parent.span, parent.span.items.with(index, span)));
}

const withItems = ({ name }: ChoiceSpan, items: readonly RecordedChoice[]): ChoiceSpan => ({
  name,
  items,
});

function* emptied({ span }: SpanNode): Generator<ChoiceSpan> {
  if (span.items.length > 0) yield withItems(span, []);
}

/** Keeps one of the inner structures, starting with the smallest. */
function* keepingOne({ span }: SpanNode): Generator<ChoiceSpan> {
  const inner = span.items.filter((item) => typeof item !== "number");
  if (inner.length < 3) return; // dropping one of two leaves one
  const sizes = new Map(inner.map((item) => [item, sizeOf(item)]));
  const bySize = inner.toSorted((x, y) => (sizes.get(x) ?? 0) - (sizes.get(y) ?? 0));
  for (const kept of bySize) {
    yield withItems(
      span,
      span.items.filter((item) => typeof item === "number" || item === kept),
    );
  }
}

/** Returns the number of choices and structures. */
const sizeOf = ({ items }: ChoiceSpan): number =>
  items.reduce<number>((sum, item) => sum + 1 + (typeof item === "number" ? 0 : sizeOf(item)), 0);

/** Drops runs of that many inner structures, at each multiple of the number. */
function dropping(count: number): ShrinkPass {
  return function* ({ span }) {
    const inner = span.items.flatMap((item, index) => (typeof item === "number" ? [] : [index]));
    for (let i = 0; i + count <= inner.length; i += count) {
      const dropped = new Set(inner.slice(i, i + count));
      yield withItems(
        span,
        span.items.filter((_, index) => !dropped.has(index)),
      );
    }
  };
}

/** Replaces a structure by a nested one of the same name. */
function* replacedByInner({ span }: SpanNode): Generator<ChoiceSpan> {
  yield* nearestNamed(span, span.name);
}

function* nearestNamed({ items }: ChoiceSpan, name: string): Generator<ChoiceSpan> {
  for (const item of items) {
    if (typeof item === "number") continue;
    if (item.name === name) yield item;
    else yield* nearestNamed(item, name);
  }
}

function* zeroed({ span }: SpanNode): Generator<ChoiceSpan> {
  const isHigh = (item: RecordedChoice): boolean => typeof item === "number" && item > 0;
  if (!span.items.some(isHigh)) return;
  yield withItems(
    span,
    span.items.map((item) => (typeof item === "number" ? 0 : item)),
  );
}

/** Lowers one number: to zero, then by decreasing amounts: to a half, to three quarters, at last by one. */
function* lowered({ span }: SpanNode): Generator<ChoiceSpan> {
  for (const [index, item] of span.items.entries()) {
    if (typeof item !== "number") continue;
    for (let cut = item; cut > 0; cut >>>= 1) {
      yield withItems(span, span.items.with(index, item - cut));
    }
  }
}
