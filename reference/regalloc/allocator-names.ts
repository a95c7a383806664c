// The names of the allocators, as levels, subjects and events use them.

export const ALLOCATOR_NAMES = ["linear-scan", "colouring", "one-pass"] as const;
export type AllocatorName = (typeof ALLOCATOR_NAMES)[number];
