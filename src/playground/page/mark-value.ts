// Marks a value in all views: the one that the reader clicks, or at the cursor of the editor. It
// changes no element, so a view may be replaced at any time.
/// <reference lib="dom" />

const NAME = "value";
const VALUE = /@\d+/g;

/** Returns the value, such as `@12`, that contains the offset or ends at it; null if there is none. */
export function valueAt(text: string, offset: number): string | null {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(start, end < 0 ? text.length : end);
  for (const { 0: value, index } of line.matchAll(VALUE)) {
    if (start + index <= offset && offset <= start + index + value.length) return value;
  }
  return null;
}

/** Marks every occurrence of the value in the views; null: none. */
export function markValue(views: Element, value: string | null): void {
  if (!("highlights" in CSS)) return; // an old browser shows the views without marks
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(views, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && value !== null; node = walker.nextNode()) {
    for (const { 0: found, index } of (node.textContent ?? "").matchAll(VALUE)) {
      if (found !== value) continue;
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
  return valueAt(place.offsetNode.textContent ?? "", place.offset);
}
