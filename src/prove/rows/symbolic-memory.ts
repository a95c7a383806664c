// Represents memory for the solver: the initial bytes, and the bytes written since.

import { all, apply, bits, bitsOf, choose, equal, type SmtQuery, type SmtTerm } from "../smt.js";
import { bytesAt, wordOf } from "../symbolic-effects.js";

interface WrittenByte {
  readonly address: SmtTerm;
  readonly byte: SmtTerm;
}

export class SymbolicMemory {
  private readonly query: SmtQuery;
  /** Called with a condition under which an accessed byte is missing. */
  private readonly forbid: (claim: SmtTerm) => void;
  /** The written bytes, in the order of the writes. */
  private readonly written: readonly WrittenByte[];

  constructor(
    query: SmtQuery,
    forbid: (claim: SmtTerm) => void,
    written: readonly WrittenByte[] = [],
  ) {
    this.query = query;
    this.forbid = forbid;
    this.written = written;
  }

  /** Reads this many bytes from an address on, as one word. */
  read(address: SmtTerm, count: number): SmtTerm {
    const bytes = bytesAt(this.query, address, count, this.forbid).map((before, at) => {
      const place = placeOf(address, count - 1 - at);
      return this.written.reduce(
        (byte, write) => choose(equal(place, write.address), write.byte, byte),
        before,
      );
    });
    return this.query.name(bitsOf(8 * count), wordOf(bytes));
  }

  /** Returns the memory after a write of a word of this many bytes. */
  after(address: SmtTerm, word: SmtTerm, count: number): SymbolicMemory {
    bytesAt(this.query, address, count, this.forbid);
    const bytes = Array.from({ length: count }, (_, at) => ({
      address: placeOf(address, at),
      byte: this.query.name(bitsOf(8), apply(`(_ extract ${8 * at + 7} ${8 * at})`, word)),
    }));
    return new SymbolicMemory(this.query, this.forbid, [...this.written, ...bytes]);
  }

  /** Returns the same memory for a path with stronger conditions. */
  reporting(forbid: (claim: SmtTerm) => void): SymbolicMemory {
    return new SymbolicMemory(this.query, forbid, this.written);
  }

  /** Returns a term that is true if the same bytes were written in the same order. */
  isSameAs(other: SymbolicMemory): SmtTerm {
    if (this.written.length !== other.written.length) return "false";
    const claims = this.written.flatMap(({ address, byte }, i) => {
      const write = other.written[i];
      return [
        ...(address === write.address ? [] : [equal(address, write.address)]),
        ...(byte === write.byte ? [] : [equal(byte, write.byte)]),
      ];
    });
    return all(claims);
  }
}

const placeOf = (address: SmtTerm, at: number): SmtTerm => apply("bvadd", address, bits(64, at));
