// Records objects: the bytes that each Allocate returned, and the objects that the end of an execution shows.
// follow-addresses.ts tracks which values are their addresses. An access by an address of an object stays in that
// object; other accesses touch no byte of an object.
//
// An object is shown if its address was given away (to an event, by a return, in the frames of an exit). It is also
// shown if its address is in the heap outside of all objects, or in an object that is shown.

/** The object of a value that is no address of an object. */
export const NO_OBJECT = 0;
/** The size of an address, in bytes. */
export const ADDRESS_BYTES = 8;

/** The addresses in memory: the object, by the offset of the first byte. */
export type ObjectAddresses = Map<number, number>;

export class ObjectTable {
  /** By object, from 1 on: its first byte, and the byte after its last. */
  private readonly starts: number[] = [0];
  private readonly ends: number[] = [0];
  /** By byte of the heap: its object. */
  private readonly owners: Int32Array;
  readonly inHeap: ObjectAddresses = new Map();
  private readonly given = new Set<number>();

  constructor(heapSize: number) {
    this.owners = new Int32Array(heapSize);
  }

  get exist(): boolean {
    return this.starts.length > 1;
  }

  /** Adds an object of these bytes. Returns NO_OBJECT if one of them belongs to another object. */
  add(start: number, size: number): number {
    if (!this.allows(start, size, NO_OBJECT)) return NO_OBJECT;
    const object = this.starts.length;
    this.starts.push(start);
    this.ends.push(start + size);
    this.owners.fill(object, start, start + size);
    forget(this.inHeap, start, size);
    return object;
  }

  /** Returns whether an address of that object, or of none, may access these bytes. */
  allows(at: number, size: number, object: number): boolean {
    if (object !== NO_OBJECT) return at >= this.starts[object] && at + size <= this.ends[object];
    for (let i = at; i < at + size; i++) if (this.owners[i] !== NO_OBJECT) return false;
    return true;
  }

  /** Marks the address of an object as given away. */
  give(object: number): void {
    if (object !== NO_OBJECT) this.given.add(object);
  }

  /** Removes addresses from bytes of the heap that have changed. */
  overwrite(at: number, size: number): void {
    forget(this.inHeap, at, size);
  }

  /** Copies addresses with bytes of the heap, as if all were read before the first is written. */
  copy(to: number, from: number, size: number): void {
    const moved = [...this.inHeap].filter(
      ([at]) => at >= from && at + ADDRESS_BYTES <= from + size,
    );
    forget(this.inHeap, to, size);
    for (const [at, object] of moved) this.inHeap.set(at - from + to, object);
  }

  /** Returns, by byte of the heap, 1 if it belongs to an object that is not shown. */
  hidden(): Uint8Array {
    const { starts, ends } = this;
    const shown = this.shown();
    const hidden = new Uint8Array(this.owners.length);
    // Objects share no byte.
    for (let object = 1; object < starts.length; object++) {
      if (!shown.has(object)) hidden.fill(1, starts[object], ends[object]);
    }
    return hidden;
  }

  private shown(): ReadonlySet<number> {
    const shown = new Set(this.given);
    for (const [at, object] of this.inHeap) if (this.owners[at] === NO_OBJECT) shown.add(object);
    // The iteration of a Set includes elements added during it.
    for (const object of shown) {
      for (const [at, inner] of this.inHeap) if (this.owners[at] === object) shown.add(inner);
    }
    return shown;
  }
}

/** Removes the addresses that share a byte with the range. */
export function forget(memory: ObjectAddresses, at: number, size: number): void {
  if (size === 0) return;
  for (const start of memory.keys()) {
    if (start < at + size && at < start + ADDRESS_BYTES) memory.delete(start);
  }
}
