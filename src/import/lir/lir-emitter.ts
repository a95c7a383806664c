// Appends values to a procedure, with exits at lines of a fragment.

import { Op } from "../../ir/opcodes.js";
import type { Snapshot, Value } from "../../ir/procedure.js";
import { Void } from "../../ir/types.js";
import { LirError } from "../../lir/lir-error.js";
import { ProcedureEmitter } from "../emitter.js";

export class LirEmitter extends ProcedureEmitter {
  /** The line of the text that is translated, and the name of its fragment. */
  line = 0;
  fragment = "";

  protected override tooMany(limit: number, counted: string): Error {
    return new LirError(this.line, `more than ${limit} ${counted}`);
  }

  /** Returns a new exit at the current line. */
  exit(): Snapshot {
    const snapshot = this.proc.newSnapshot(this.exits.next++);
    snapshot.frames.push({ name: this.fragment, point: this.line, slots: [] });
    return snapshot;
  }

  exitIf(condition: Value): void {
    this.emit(Op.Check, Void, condition).extra = this.exit();
  }
}
