// Objects: the bytes that each Allocate gave, and which of them the end of an execution can show. Which values
// are addresses of them: follow-addresses.ts. An access by an address of an object stays in that object; no
// other access touches a byte of one.
//
// An object is shown where its address was given away (to an event, by a return, in the frames of an
// exit), or stands in the heap outside of all objects, or in an object that is shown.

/** The object of a value that is no address of one. */
export const NO_OBJECT = 0;
/** Bytes of an address. */
export const ADDRESS_BYTES = 8;

/** Addresses in memory: by the offset of the first byte, the object. */
export type Addresses = Map<number, number>;

export class Objects {
  /** By object, from 1 on: its bytes. */
  private readonly starts: number[] = [0];
  private readonly ends: number[] = [0];
  /** By byte of the heap: its object. */
  private readonly owners: Int32Array;
  readonly inHeap: Addresses = new Map();
  private readonly given = new Set<number>();

  constructor(heapSize: number) {
    this.owners = new Int32Array(heapSize);
  }

  get exist(): boolean {
    return this.starts.length > 1;
  }

  /** A new object of these bytes; NO_OBJECT if one of them belongs to another. */
  add(start: number, size: number): number {
    if (!this.allows(start, size, NO_OBJECT)) return NO_OBJECT;
    const object = this.starts.length;
    this.starts.push(start);
    this.ends.push(start + size);
    this.owners.fill(object, start, start + size);
    forget(this.inHeap, start, size);
    return object;
  }

  /** True if an address of that object, or of none, may access these bytes. */
  allows(at: number, size: number, object: number): boolean {
    if (object !== NO_OBJECT) return at >= this.starts[object] && at + size <= this.ends[object];
    for (let i = at; i < at + size; i++) if (this.owners[i] !== NO_OBJECT) return false;
    return true;
  }

  /** The address of an object is given away. */
  give(object: number): void {
    if (object !== NO_OBJECT) this.given.add(object);
  }

  /** Bytes of the heap have changed, and are no addresses any more. */
  overwrite(at: number, size: number): void {
    forget(this.inHeap, at, size);
  }

  /** Bytes of the heap were copied, as if all were read first. */
  copy(to: number, from: number, size: number): void {
    const moved = [...this.inHeap].filter(
      ([at]) => at >= from && at + ADDRESS_BYTES <= from + size,
    );
    forget(this.inHeap, to, size);
    for (const [at, object] of moved) this.inHeap.set(at - from + to, object);
  }

  /** By byte of the heap: 1 if it belongs to an object that is not shown. */
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
    // A set gives what was added while it is read, too.
    for (const object of shown) {
      for (const [at, inner] of this.inHeap) if (this.owners[at] === object) shown.add(inner);
    }
    return shown;
  }
}

/** What stands in these bytes, or partly in them, is no address any more. */
export function forget(memory: Addresses, at: number, size: number): void {
  if (size === 0) return;
  for (const start of memory.keys()) {
    if (start < at + size && at < start + ADDRESS_BYTES) memory.delete(start);
  }
}
