// Enumerates the leaves of an expression. Each place holds an operand of the world, or one of
// `others` (constants, loads). Operands are numbered in the order of their first use, so renaming
// them gives the same arrangement. The two places of a commuting operation are unordered.

import { OPERANDS } from "./world.js";

/** A single place, or two places that commute. */
export type LeafPlace = "one" | "pair";

/** Codes below OPERANDS are operands; the others follow. */
export type Code = number;

export class Arrangements {
  private readonly others: number;
  private readonly counts = new Map<string, number>();

  constructor(others: number) {
    this.others = others;
  }

  /** Counts the arrangements of the places, if this many operands occurred before. */
  count(places: readonly LeafPlace[], used = 0): number {
    if (places.length === 0) return 1;
    const key = `${places.join()} ${used}`;
    const known = this.counts.get(key);
    if (known !== undefined) return known;
    const rest = places.slice(1);
    let total = 0;
    for (const { count, named } of this.choicesAt(places[0], used)) {
      total += count * this.count(rest, used + named);
    }
    this.counts.set(key, total);
    return total;
  }

  /** Counts all choices at each place, without symmetry. */
  named(places: readonly LeafPlace[]): number {
    const each = OPERANDS + this.others;
    return places.reduce((all, place) => all * (place === "pair" ? each * each : each), 1);
  }

  /** Returns the codes of arrangement `index`: one for each place, and two for a pair. */
  at(places: readonly LeafPlace[], index: number): Code[] {
    const codes: Code[] = [];
    let [used, left] = [0, index];
    places.forEach((place, p) => {
      const rest = places.slice(p + 1);
      for (const way of this.choicesAt(place, used)) {
        const each = this.count(rest, used + way.named);
        if (left >= way.count * each) {
          left -= way.count * each;
          continue;
        }
        codes.push(...this.codesOf(way.kind, Math.floor(left / each), used));
        left %= each;
        used += way.named;
        return;
      }
    });
    return codes;
  }

  private choicesAt(place: LeafPlace, used: number): PlaceChoices[] {
    const old = used + this.others;
    const fresh = used < OPERANDS ? 1 : 0;
    if (place === "one") {
      return [
        { kind: "old", count: old, named: 0 },
        { kind: "new", count: fresh, named: 1 },
      ];
    }
    return [
      { kind: "two old", count: (old * (old + 1)) / 2, named: 0 },
      { kind: "new and old", count: fresh * old, named: 1 },
      { kind: "new twice", count: fresh, named: 1 },
      { kind: "two new", count: used + 1 < OPERANDS ? 1 : 0, named: 2 },
    ];
  }

  private codesOf(kind: PlaceChoices["kind"], index: number, used: number): Code[] {
    const old = (k: number): Code => (k < used ? k : OPERANDS + k - used);
    switch (kind) {
      case "old":
        return [old(index)];
      case "new":
        return [used];
      case "two old": {
        // Pair (x, y) with x <= y is number y (y + 1) / 2 + x.
        let y = 0;
        while (((y + 1) * (y + 2)) / 2 <= index) y++;
        return [old(index - (y * (y + 1)) / 2), old(y)];
      }
      case "new and old":
        return [used, old(index)];
      case "new twice":
        return [used, used];
      case "two new":
        return [used, used + 1];
    }
  }
}

/**
 * A group of arrangements of one place: their number, and how many new operands each introduces.
 */
interface PlaceChoices {
  readonly kind: "old" | "new" | "two old" | "new and old" | "new twice" | "two new";
  readonly count: number;
  readonly named: number;
}
