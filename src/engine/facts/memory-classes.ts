// Which accesses of the heap have to do with each other: sites that have touched a byte both are of one class, and so
// are those that are of one class with a third. Two sites of different classes touched no byte both.

import { nameOfSet } from "../../support/sets-of-numbers.js";

const NOBODY = -1;

export class MemoryClasses {
  /** By byte: a site that has touched it. */
  private readonly toucher: Int32Array;
  /** By site: one of its class; a site that has itself here names the class. */
  private readonly towards: number[] = [];

  /** @param heapSize in bytes */
  constructor(heapSize: number) {
    this.toucher = new Int32Array(heapSize).fill(NOBODY);
  }

  newSite(): number {
    return this.towards.push(this.towards.length) - 1;
  }

  /** The site touches the bytes from `from` on, those from `end` on not. */
  touch(site: number, from: number, end: number): void {
    for (let at = from; at < end; at++) {
      const before = this.toucher[at];
      if (before === NOBODY) this.toucher[at] = site;
      else if (before !== site) this.towards[this.classOf(before)] = this.classOf(site);
    }
  }

  /** The same number for all sites of a class. */
  classOf(site: number): number {
    return nameOfSet(this.towards, site);
  }
}
