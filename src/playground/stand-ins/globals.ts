// Replaces the globals of Node that modules of the page use.

const compare = (one: Uint8Array, other: Uint8Array): number => {
  const shared = Math.min(one.length, other.length);
  for (let i = 0; i < shared; i++) if (one[i] !== other[i]) return one[i] - other[i];
  return one.length - other.length;
};

const allocUnsafeSlow = (size: number): Uint8Array => new Uint8Array(size);

export const Buffer = { compare, allocUnsafeSlow };
