// Which rows reach into the frame of their procedure by themselves, by name, on any target: the frame's own
// address, stack slots of the program, arguments on the stack, whose places count from the frame, and
// patchpoints, which may ask for all of these. What is in the frame because of where an operand is, the
// operand says.

const NEEDS: readonly RegExp[] = [
  /^(framePointer|slotAddress)$/,
  /^(load|store)Argument\./,
  /\.slot(x[0-3])?(\.|$)/,
  /^patchpoint\./,
];

export const needsFrame = (name: string): boolean => NEEDS.some((rows) => rows.test(name));
