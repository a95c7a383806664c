// Lists the rows that access the frame of their procedure by themselves, by name, on any target:
// the frame's own address, stack slots of the program, arguments on the stack, whose offsets are
// relative to the frame, and patchpoints, which may use all of these. Operands with a location in
// the frame are checked separately.

const NEEDS: readonly RegExp[] = [
  /^(framePointer|slotAddress)$/,
  /^storeArgument\./,
  /\.slot(x[0-3])?(\.|$)/,
  /^patchpoint\./,
];

export const needsFrame = (name: string): boolean => NEEDS.some((rows) => rows.test(name));
