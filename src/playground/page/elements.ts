// Finds and makes elements. Every text becomes a text node, so no program can write markup.
/// <reference lib="dom" />

import { InternalError } from "../../support/assert.js";

/** Returns the element with the id, of the given class. */
export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new InternalError(`the page has no ${kind.name} #${id}`);
  return element;
}

type ElementChild = Node | string;

/** Makes an element with attributes and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly ElementChild[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return element;
}

export function button(label: string, act: () => void): HTMLButtonElement {
  const element = make("button", { type: "button" }, label);
  element.addEventListener("click", act);
  return element;
}

/** Replaces bidirectional marks and control characters, which could reorder the text around them. */
const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (char) =>
    char === "\n" || char === "\t" ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
