// The editor of the page, as an element `program-editor`. Its parts are in a shadow tree, whose style sheets the content
// security policy of the page does not concern.
/// <reference lib="dom" />

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { OpcodeHelp, TextPlace } from "../protocol.js";
import { valueAt } from "./mark-value.js";
import { completionsIn, PROGRAM_LANGUAGE } from "./program-language.js";

declare global {
  interface HTMLElementTagNameMap {
    "program-editor": ProgramEditor;
  }
}

const THEME = EditorView.theme({
  "&": { height: "100%", backgroundColor: "transparent", color: "inherit" },
  "&.cm-focused": { outline: "3px solid var(--gold)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: 'ui-monospace, "DejaVu Sans Mono", monospace', lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--quiet)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine": { backgroundColor: "transparent", boxShadow: "inset 2px 0 var(--gold)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--selected) !important" },
  ".cm-tooltip": {
    backgroundColor: "var(--back)",
    color: "var(--text)",
    border: "1px solid var(--line)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--gold)",
    color: "var(--back)",
  },
  ".cm-completionDetail": { fontStyle: "normal" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--wrong)" },
  ".cm-marked": { backgroundColor: "#ffd24a", color: "#000" },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: tags.typeName, color: "var(--type)" },
  { tag: tags.keyword, fontWeight: "600" },
  { tag: tags.labelName, color: "var(--gold)" },
  { tag: tags.number, color: "var(--right)" },
  { tag: tags.string, color: "var(--right)" },
]);

/** Marks a transaction of the page, which is not a change by the user. */
const fromPage = Annotation.define<true>();

/** Marks every occurrence of a value. */
function markingOf(value: string | null): Extension {
  if (value === null) return [];
  const decorator = new MatchDecorator({
    regexp: new RegExp(`${value}(?!\\d)`, "g"),
    decoration: Decoration.mark({ class: "cm-marked" }),
  });
  return ViewPlugin.define(
    (view) => ({
      decorations: decorator.createDeco(view),
      update(update: ViewUpdate) {
        this.decorations = decorator.updateDeco(update, this.decorations);
      },
    }),
    { decorations: ({ decorations }): DecorationSet => decorations },
  );
}

/** Sends `change` after a change by the user, and `cursor` when the user moves the cursor. */
export class ProgramEditor extends HTMLElement {
  private readonly completions = new Compartment();
  private readonly marking = new Compartment();
  private readonly view: EditorView;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    this.view = new EditorView({ root, parent: root, state: this.stateOf("") });
  }

  private stateOf(text: string): EditorState {
    const extensions: readonly Extension[] = [
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      highlightActiveLine(),
      PROGRAM_LANGUAGE,
      syntaxHighlighting(COLOURS),
      this.completions.of(autocompletion()),
      this.marking.of([]),
      keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
      EditorView.contentAttributes.of({
        ...{ "aria-label": "program text", spellcheck: "false" },
        tabindex: "0", // tools that check accessibility look for it
      }),
      EditorView.updateListener.of((update) => this.announce(update)),
      THEME,
    ];
    return EditorState.create({ doc: text, extensions });
  }

  private announce({ docChanged, selectionSet, transactions, view }: ViewUpdate): void {
    if (transactions.some((transaction) => transaction.annotation(fromPage) === true)) return;
    if (docChanged) this.dispatchEvent(new Event("change"));
    if (selectionSet && view.hasFocus) this.dispatchEvent(new Event("cursor"));
  }

  get value(): string {
    return this.view.state.doc.toString();
  }

  /** Replaces the program, and scrolls to its beginning. Undo restores the earlier one. */
  set value(text: string) {
    const { view } = this;
    const changes = { from: 0, to: view.state.doc.length, insert: text };
    view.dispatch({ changes, selection: { anchor: 0 }, annotations: fromPage.of(true) });
    view.scrollDOM.scrollTop = 0;
  }

  /** The offset of the cursor. */
  get cursor(): number {
    return this.view.state.selection.main.head;
  }

  set cursor(offset: number) {
    this.view.dispatch({ selection: { anchor: offset }, scrollIntoView: true });
  }

  /** The value at the cursor, such as `@12`; null if there is none. */
  get valueAtCursor(): string | null {
    return valueAt(this.value, this.cursor);
  }

  override focus(): void {
    this.view.focus();
  }

  /** Selects the text from a place to the end of its line, and scrolls to it. */
  goTo({ line, column }: TextPlace): void {
    const [from, to] = this.rangeAt({ line, column });
    this.view.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
    this.view.focus();
  }

  /** Underlines a fault at its place; null removes the underline. */
  showFault(fault: { readonly place: TextPlace; readonly message: string } | null): void {
    const diagnostics = [];
    if (fault !== null) {
      const [from, to] = this.rangeAt(fault.place);
      diagnostics.push({ from, to, severity: "error" as const, message: fault.message });
    }
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics), {
      annotations: fromPage.of(true),
    });
  }

  /** Marks every occurrence of a value, such as `@12`; null: none. */
  mark(value: string | null): void {
    this.view.dispatch({ effects: this.marking.reconfigure(markingOf(value)) });
  }

  /** Completes these opcodes from now on. */
  offer(opcodes: readonly OpcodeHelp[]): void {
    const extension = autocompletion({ override: [completionsIn(opcodes)], icons: false });
    this.view.dispatch({ effects: this.completions.reconfigure(extension) });
  }

  /** Returns the offsets from a place, which may be after the end of the text, to the end of its line. */
  private rangeAt({ line, column }: TextPlace): [from: number, to: number] {
    const { doc } = this.view.state;
    const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    return [Math.min(from + column - 1, to), to];
  }
}
