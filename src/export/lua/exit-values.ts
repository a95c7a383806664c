// Returns the values that an exit shows or passes to its continuations.

import type { Snapshot, Value } from "../../ir/procedure.js";

export const exitValues = ({ frames }: Snapshot): Value[] =>
  frames.flatMap(({ slots }) =>
    slots.flatMap((slot) => {
      if (slot.kind === "value") return [slot.value];
      return slot.kind === "fields" ? slot.fields.map(({ value }) => value) : [];
    }),
  );
