// Records addresses of stack slots that the host keeps. Using an address after its activation has ended is undefined. A
// continuation runs in another machine frame: it may not use an address kept before it, and later code may not use a
// place that the continuation has kept or dropped.

import { KEPT_BYTES, type KeptAddresses, placeOfKept } from "../../ir/host-functions.js";
import type { OracleMemory } from "./memory.js";
import { forget, type ObjectAddresses } from "./objects.js";
import type { SlotBytes } from "./program.js";

/** An address in a slot of one activation. */
interface KeptAddress {
  /** The depth of the activation, and its number among all activations. */
  readonly depth: number;
  readonly serial: number;
  readonly slots: OracleMemory;
  readonly written: Uint8Array;
  readonly slotAddresses: ObjectAddresses;
  readonly slot: SlotBytes;
  /** The offset in the slots of the activation. */
  readonly at: number;
}

/** The mark of a place whose address must not be used. */
export const UNUSABLE = "gone";
type KeptAddressState = KeptAddress | typeof UNUSABLE | undefined;

export class OracleKeptSlots implements KeptAddresses {
  /** The address that the next `keep` stores: an address has no bits here. */
  taken: KeptAddress | undefined;
  private places: KeptAddressState[] = [];
  /** Places that have changed since the continuation began. */
  private changed = new Set<number>();

  begin(): void {
    this.places = [];
    this.changed.clear();
  }

  /** Runs a continuation with the places that it may use. */
  duringContinuation<T>(run: () => T): T {
    const { places, changed } = this;
    this.places = places.map((place) => place && UNUSABLE);
    this.changed = new Set();
    const result = run();
    for (const place of this.changed) {
      places[place] = UNUSABLE;
      changed.add(place);
    }
    this.places = places;
    this.changed = changed;
    return result;
  }

  /** Returns the contents of the place that the first argument of a call names. */
  found(words: Int32Array): KeptAddressState {
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
    return kept === undefined || kept === UNUSABLE ? null : kept;
  }
}
