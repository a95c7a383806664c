// Marks a value in all views: the one that the reader clicks, or at the cursor of the editor. It
// changes no element, so a view may be replaced at any time.
/// <reference lib="dom" />

const NAME = "value";
const VALUE = /@\d+/g;
const VALUE_OR_REGISTER = /@\d+|\bv\d+\b/g;

/** Returns the value, such as `@12`, that contains the offset or ends at it; null if there is none. */
export function valueAt(text: string, offset: number, pattern: RegExp = VALUE): string | null {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(start, end < 0 ? text.length : end);
  for (const { 0: value, index } of line.matchAll(pattern)) {
    if (start + index <= offset && offset <= start + index + value.length) return value;
  }
  return null;
}

/** The virtual registers of the text in an element, with their values. */
const registers = new WeakMap<Element, ReadonlyMap<string, string>>();
const NO_REGISTERS: ReadonlyMap<string, string> = new Map();

/** Marks virtual registers in the element with the values that they hold. */
export function nameRegisters(element: Element, values: Readonly<Record<string, string>>): void {
  registers.set(element, new Map(Object.entries(values)));
}

const registersAt = ({ parentElement }: Node): ReadonlyMap<string, string> =>
  (parentElement === null ? undefined : registers.get(parentElement)) ?? NO_REGISTERS;

/** Marks every occurrence of the value in the views; null: none. */
export function markValue(views: Element, value: string | null): void {
  if (!("highlights" in CSS)) return; // an old browser shows the views without marks
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(views, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && value !== null; node = walker.nextNode()) {
    const values = registersAt(node);
    for (const { 0: found, index } of (node.textContent ?? "").matchAll(VALUE_OR_REGISTER)) {
      if ((values.get(found) ?? found) !== value) continue;
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + found.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set(NAME, new Highlight(...ranges));
}

/** Returns the value at the place of a click; null if there is none. */
export function clickedValue({ clientX, clientY }: MouseEvent): string | null {
  const place = document.caretPositionFromPoint?.(clientX, clientY) ?? null;
  if (place === null || place.offsetNode.nodeType !== Node.TEXT_NODE) return null;
  const { offsetNode, offset } = place;
  const found = valueAt(offsetNode.textContent ?? "", offset, VALUE_OR_REGISTER);
  if (found === null || found.startsWith("@")) return found;
  return registersAt(offsetNode).get(found) ?? null;
}
