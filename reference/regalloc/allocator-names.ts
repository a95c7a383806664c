// The allocators, by name: levels, subjects and events refer to them so.

export const ALLOCATOR_NAMES = ["linear-scan", "colouring", "one-pass"] as const;
export type AllocatorName = (typeof ALLOCATOR_NAMES)[number];
