// Parses the frames of a snapshot: `[f@1: @3, dead | g@0: contents(stack0)]`, without the brackets.

import type { FrameSlot, SnapshotFrame, StackSlot, Value, ValueField } from "../procedure.js";
import { Int32 } from "../types.js";
import { FRAME_SIZE_MAX, HEAP_SIZE_MAX } from "../verify/verify.js";
import { type Lexer, NUMBER_MAX } from "./lexer.js";
import { parseConstantType, parseWords } from "./parse-constants.js";

/** The greatest number of slots and fields of one snapshot. */
export const SNAPSHOT_SLOTS_MAX = 65_535;
/** The greatest number of slots and frames of all snapshots of a text. */
export const SLOTS_MAX = 1_000_000;

const AT_SIGN = "@".charCodeAt(0);
const CLOSING_BRACKET = "]".charCodeAt(0);
const BAR = "|".charCodeAt(0);

export class FrameParser {
  private readonly lexer: Lexer;
  private readonly parseReference: () => Value;
  private readonly parseStackSlot: () => StackSlot;
  private slotCount = 0;
  /** The number of further slots and fields that the current snapshot may have. */
  private slotsLeft = 0;

  constructor(lexer: Lexer, parseReference: () => Value, parseStackSlot: () => StackSlot) {
    this.lexer = lexer;
    this.parseReference = parseReference;
    this.parseStackSlot = parseStackSlot;
  }

  parse(frames: SnapshotFrame[]): void {
    this.slotsLeft = SNAPSHOT_SLOTS_MAX;
    do frames.push(this.parseFrame());
    while (this.lexer.accept("|"));
  }

  private parseFrame(): SnapshotFrame {
    const { lexer } = this;
    lexer.skipLines();
    const name = lexer.name("the name of a frame");
    lexer.expect("@");
    const point = lexer.count(NUMBER_MAX, "the point in the source");
    lexer.expect(":");
    this.countSlot();
    const frame: SnapshotFrame = { name, point, slots: [] };
    const next = lexer.skipLines();
    if (next === BAR || next === CLOSING_BRACKET) return frame;
    do {
      lexer.skipLines();
      this.countInSnapshot();
      frame.slots.push(this.parseSlot());
      lexer.skipLines();
    } while (lexer.accept(","));
    return frame;
  }

  private countInSnapshot(): void {
    if (this.slotsLeft-- === 0) {
      this.lexer.fail(`more than ${SNAPSHOT_SLOTS_MAX} slots in a snapshot`);
    }
    this.countSlot();
  }

  private countSlot(): void {
    if (++this.slotCount > SLOTS_MAX) {
      this.lexer.fail(`more than ${SLOTS_MAX} frames and slots in all snapshots together`);
    }
  }

  private parseSlot(): FrameSlot {
    const { lexer } = this;
    if (lexer.skipBlanks() === AT_SIGN) return { kind: "value", value: this.parseReference() };
    if (lexer.acceptWord("dead")) return { kind: "dead" };
    if (lexer.acceptWord("contents")) return this.parseContents();
    if (lexer.acceptWord("fields")) return this.parseFields();
    if (lexer.acceptWord("deadHeap")) return this.parseDeadHeap();
    if (lexer.acceptWord("deadBytes")) return this.parseDeadBytes();
    const type = parseConstantType(lexer);
    lexer.expect("(");
    const [lo, hi] = parseWords(lexer, type);
    lexer.expect(")");
    return { kind: "constant", type, lo, hi };
  }

  private parseContents(): FrameSlot {
    this.lexer.expect("(");
    const slot = this.parseStackSlot();
    this.lexer.expect(")");
    return { kind: "contents", slot };
  }

  private parseFields(): FrameSlot {
    const { lexer } = this;
    lexer.expect("(");
    const size = lexer.count(FRAME_SIZE_MAX, "a number of bytes");
    lexer.expect(")");
    lexer.expect("{");
    const fields: ValueField[] = [];
    if (lexer.accept("}")) return { kind: "fields", size, fields };
    do {
      this.countInSnapshot();
      const offset = lexer.count(FRAME_SIZE_MAX, "an offset in the slot");
      lexer.expect(":");
      fields.push({ offset, value: this.parseReference() });
    } while (lexer.accept(","));
    lexer.expect("}");
    return { kind: "fields", size, fields };
  }

  private parseDeadHeap(): FrameSlot {
    const { lexer } = this;
    lexer.expect("(");
    const offset = lexer.count(HEAP_SIZE_MAX, "an offset in the heap");
    lexer.expect(",");
    const size = lexer.count(HEAP_SIZE_MAX, "a number of bytes");
    lexer.expect(")");
    return { kind: "deadHeap", offset, size };
  }

  private parseDeadBytes(): FrameSlot {
    const { lexer } = this;
    lexer.expect("(");
    const address = this.parseReference();
    lexer.expect(",");
    const [offset] = parseWords(lexer, Int32);
    lexer.expect(",");
    const size = lexer.count(HEAP_SIZE_MAX, "a number of bytes");
    lexer.expect(")");
    return { kind: "deadBytes", address, offset, size };
  }
}
