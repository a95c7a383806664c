// How operands stand in an expression: each place holds an operand of the world, or one of `others`
// (constants, loads). Operands are named in the order of their first use, so that renaming them gives
// the same arrangement, and the two places of a commuting operation are unordered.

import { OPERANDS } from "./world.js";

/** A place of its own, or two that commute. */
export type Place = "one" | "pair";

/** Codes below OPERANDS are operands; the others count from there. */
export type Code = number;

export class Arrangements {
  private readonly others: number;
  private readonly counts = new Map<string, number>();

  constructor(others: number) {
    this.others = others;
  }

  /** Arrangements of the places, where so many operands have been named before. */
  count(places: readonly Place[], used = 0): number {
    if (places.length === 0) return 1;
    const key = `${places.join()} ${used}`;
    const known = this.counts.get(key);
    if (known !== undefined) return known;
    const rest = places.slice(1);
    let total = 0;
    for (const { count, named } of this.ways(places[0], used)) {
      total += count * this.count(rest, used + named);
    }
    this.counts.set(key, total);
    return total;
  }

  /** All choices at each place, whatever they are called and in whichever order. */
  named(places: readonly Place[]): number {
    const each = OPERANDS + this.others;
    return places.reduce((all, place) => all * (place === "pair" ? each * each : each), 1);
  }

  /** The codes of arrangement `index`, one for each place and two for a pair. */
  at(places: readonly Place[], index: number): Code[] {
    const codes: Code[] = [];
    let [used, left] = [0, index];
    places.forEach((place, p) => {
      const rest = places.slice(p + 1);
      for (const way of this.ways(place, used)) {
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

  private ways(place: Place, used: number): Way[] {
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

  private codesOf(kind: Way["kind"], index: number, used: number): Code[] {
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

/** Some arrangements of one place: so many, each naming so many operands for the first time. */
interface Way {
  readonly kind: "old" | "new" | "two old" | "new and old" | "new twice" | "two new";
  readonly count: number;
  readonly named: number;
}
