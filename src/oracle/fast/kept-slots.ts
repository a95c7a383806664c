// What the host keeps in the oracle: addresses of stack slots of activations, which may be over by the time they
// are used. Then the use is undefined; so it is in a continuation, where the frames of a machine are elsewhere,
// of what was kept before, and behind it of what the continuation has kept or dropped.

import { KEPT_BYTES, type KeptSlots, placeOfKept } from "../../ir/host-functions.js";
import type { Memory } from "./memory.js";
import { type Addresses, forget } from "./objects.js";
import type { SlotPlace } from "./program.js";

/** An address in a slot of one activation. */
interface KeptAddress {
  /** Of the activation: callers below it, and its number among all. */
  readonly depth: number;
  readonly serial: number;
  readonly slots: Memory;
  readonly written: Uint8Array;
  readonly slotAddresses: Addresses;
  readonly slot: SlotPlace;
  /** Among the slots of the activation. */
  readonly at: number;
}

/** What was kept there is out of reach. */
export const GONE = "gone";
type Place = KeptAddress | typeof GONE | undefined;

export class OracleKeptSlots implements KeptSlots {
  /** What the next `keep` keeps: an address has no bits here. */
  taken: KeptAddress | undefined;
  private places: Place[] = [];
  /** Places that have changed since the continuation began. */
  private changed = new Set<number>();

  begin(): void {
    this.places = [];
    this.changed.clear();
  }

  /** Runs a continuation, with what it may use. */
  duringContinuation<T>(run: () => T): T {
    const { places, changed } = this;
    this.places = places.map((place) => place && GONE);
    this.changed = new Set();
    const result = run();
    for (const place of this.changed) {
      places[place] = GONE;
      changed.add(place);
    }
    this.places = places;
    this.changed = changed;
    return result;
  }

  /** What is kept at the place that the words of a call say. */
  found(words: Int32Array): Place {
    return this.places[placeOfKept(words)];
  }

  keep(place: number): void {
    this.changed.add(place);
    this.places[place] = this.taken;
  }

  drop(place: number): void {
    this.changed.add(place);
    this.places[place] = undefined;
  }

  read(place: number, words: Int32Array): void {
    const kept = this.kept(place);
    words[0] = kept === null ? 0 : kept.slots.view.getInt32(kept.at, true);
    words[1] = kept === null ? 0 : kept.slots.view.getInt32(kept.at + 4, true);
  }

  write(place: number, lo: number, hi: number): void {
    const kept = this.kept(place);
    if (kept === null) return;
    const { slots, written, slotAddresses, at } = kept;
    slots.view.setInt32(at, lo, true);
    slots.view.setInt32(at + 4, hi, true);
    written.fill(1, at, at + KEPT_BYTES);
    forget(slotAddresses, at, KEPT_BYTES);
  }

  private kept(place: number): KeptAddress | null {
    const kept = this.places[place];
    return kept === undefined || kept === GONE ? null : kept;
  }
}
