// Keeps addresses in a guest's stack for host functions, as the code passed them.

import { KEPT_BYTES, type KeptAddresses } from "../../ir/host-functions.js";
import type { GuestState } from "./cpu.js";
import { addressAt } from "./guest.js";

const NO_ADDRESS = -1;

export class GuestKeptSlots implements KeptAddresses {
  private readonly guest: GuestState;
  /**
   * Offsets of the addresses in the stack, by place; NO_ADDRESS if none is kept. Only wrong code
   * passes an address outside of the stack.
   */
  private readonly offsets: number[] = [];
  private readonly words = new Int32Array(2);

  constructor(guest: GuestState) {
    this.guest = guest;
  }

  begin(): void {
    this.offsets.length = 0;
  }

  /** Saves the kept offsets, one word for each place. */
  save(words: Int32Array): void {
    for (let place = 0; place < words.length; place++) {
      words[place] = this.offsets[place] ?? NO_ADDRESS;
    }
  }

  restore(words: Int32Array): void {
    this.offsets.splice(0, this.offsets.length, ...words);
  }

  keep(place: number, lo: number, hi: number): void {
    this.words[0] = lo;
    this.words[1] = hi;
    this.offsets[place] = addressAt(this.words, 0) - this.guest.layout.stack;
  }

  drop(place: number): void {
    this.offsets[place] = NO_ADDRESS;
  }

  read(place: number, words: Int32Array): void {
    const view = this.viewAt(place);
    words[0] = view?.getInt32(0, true) ?? 0;
    words[1] = view?.getInt32(4, true) ?? 0;
  }

  write(place: number, lo: number, hi: number): void {
    const view = this.viewAt(place);
    view?.setInt32(0, lo, true);
    view?.setInt32(4, hi, true);
  }

  private viewAt(place: number): DataView | null {
    const { stack } = this.guest;
    const offset = this.offsets[place] ?? NO_ADDRESS;
    if (!(offset >= 0 && offset <= stack.length - KEPT_BYTES)) return null;
    return new DataView(stack.buffer, stack.byteOffset + offset, KEPT_BYTES);
  }
}
