// Groups the sites of heap accesses into classes. Two sites that have touched the same byte are in
// one class; the relation is transitive. Two sites of different classes share no byte.

import { representativeOf } from "../../support/sets-of-numbers.js";

const NO_SITE = -1;

export class MemoryClasses {
  /** For each byte, a site that has touched it. */
  private readonly toucher: Int32Array;
  /** For each site, another site of its class; a site that maps to itself names the class. */
  private readonly towards: number[] = [];

  /** @param heapSize size in bytes */
  constructor(heapSize: number) {
    this.toucher = new Int32Array(heapSize).fill(NO_SITE);
  }

  newSite(): number {
    return this.towards.push(this.towards.length) - 1;
  }

  /** Records that the site touches the bytes from `from` to `end`, half-open. */
  touch(site: number, from: number, end: number): void {
    for (let at = from; at < end; at++) {
      const before = this.toucher[at];
      if (before === NO_SITE) this.toucher[at] = site;
      else if (before !== site) this.towards[this.classOf(before)] = this.classOf(site);
    }
  }

  /** Returns the same number for all sites of a class. */
  classOf(site: number): number {
    return representativeOf(this.towards, site);
  }
}
