// Contains machine code that tries to leave the native child, for confinement.test.ts: system calls
// by every known path, and other attacks on the process that runs it. Each would leave a harmless
// trace: in a folder of the test, or on a process that the test has started.

import { HOST_CALL_COUNT, HOST_CALL_STRIDE, hostCallAddress, LAYOUT } from "../machine/guest.js";
import { GATES_ADDRESS, GATES_SIZE } from "./host-layout.js";
import { STEP } from "./host-steps.js";

interface AttemptTarget {
  /** Any user may write to it; it contains a file `kept`. */
  readonly folder: string;
  /** A process of the same user. */
  readonly pid: number;
}

interface EscapeAttempt {
  readonly name: string;
  readonly code: Uint8Array;
}

type CodeBytes = readonly number[];
/** A string becomes its address. */
type CallArgument = number | bigint | string;

interface SystemCall {
  readonly name: string;
  readonly number: number;
  /** The number for `int 0x80`; null: not tried there. */
  readonly number32: number | null;
  readonly args: readonly CallArgument[];
}

const O_CREATE_WRITE = 0o101;
const SIGKILL = 9;
const SIGSTOP = 19;

// biome-ignore format: a table
const systemCalls = ({ folder, pid }: AttemptTarget): readonly SystemCall[] => [
  { name: "mkdir",             number: 83,  number32: 39,  args: [`${folder}/made`, 0o777] },
  { name: "rename",            number: 82,  number32: 38,  args: [`${folder}/kept`, `${folder}/renamed`] },
  { name: "kill",              number: 62,  number32: 37,  args: [pid, SIGKILL] },
  { name: "open",              number: 2,   number32: 5,   args: [`${folder}/opened`, O_CREATE_WRITE, 0o666] },
  { name: "fork",              number: 57,  number32: 2,   args: [] },
  { name: "execve",            number: 59,  number32: 11,  args: ["/bin/true", 0, 0] },
  { name: "ftruncate",         number: 77,  number32: 93,  args: [5, 0] }, // the shared memory
  { name: "prlimit64",         number: 302, number32: 340, args: [pid, 7, `\x01${"\0".repeat(15)}`, 0] },
  { name: "openat",            number: 257, number32: 295, args: [-100, `${folder}/opened`, O_CREATE_WRITE, 0o666] },
  { name: "creat",             number: 85,  number32: 8,   args: [`${folder}/created`, 0o666] },
  { name: "unlink",            number: 87,  number32: 10,  args: [`${folder}/kept`] },
  { name: "chmod",             number: 90,  number32: 15,  args: [`${folder}/kept`, 0o777] },
  { name: "truncate",          number: 76,  number32: 92,  args: [`${folder}/kept`, 0] },
  { name: "symlink",           number: 88,  number32: 83,  args: ["/", `${folder}/symlink`] },
  { name: "link",              number: 86,  number32: 9,   args: [`${folder}/kept`, `${folder}/link`] },
  { name: "mknod",             number: 133, number32: 14,  args: [`${folder}/pipe`, 0o010666, 0] },
  { name: "utime",             number: 132, number32: 30,  args: [`${folder}/kept`, 0] },
  { name: "tgkill",            number: 234, number32: 270, args: [pid, pid, SIGSTOP] },
  { name: "rt_sigqueueinfo",   number: 129, number32: 178, args: [pid, SIGKILL, "\x09\0\0\0\0\0\0\0\xff\xff\xff\xff"] },
  { name: "pidfd_open",        number: 434, number32: 434, args: [pid, 0] },
  { name: "ptrace",            number: 101, number32: 26,  args: [16, pid, 0, 0] },
  { name: "setpriority",       number: 141, number32: 97,  args: [0, pid, 19] },
  { name: "sched_setaffinity", number: 203, number32: 241, args: [pid, 8, "\x01\0\0\0\0\0\0\0"] },
  { name: "clone",             number: 56,  number32: 120, args: [17, 0, 0, 0] },
  { name: "vfork",             number: 58,  number32: 190, args: [] },
  { name: "socket",            number: 41,  number32: 359, args: [1, 1, 0] },
  { name: "sethostname",       number: 170, number32: 74,  args: ["escaped", 7] },
  { name: "mount",             number: 165, number32: 21,  args: ["none", folder, "tmpfs", 0, 0] },
  { name: "shmget",            number: 29,  number32: 395, args: [0x7453, 4096, 0o1666] },
  { name: "msgget",            number: 68,  number32: 399, args: [0x7453, 0o1666] },
  { name: "add_key",           number: 248, number32: 286, args: ["user", "touchstone", "x", 1, -3] },
  { name: "io_uring_setup",    number: 425, number32: 425, args: [1, "\0".repeat(120)] },
  { name: "rt_sigaction",      number: 13,  number32: 174, args: [9, 0, 0, 8] },
  { name: "rt_sigprocmask",    number: 14,  number32: 175, args: [0, "\xff\xff\xff\xff\xff\xff\xff\xff", 0, 8] },
  { name: "prctl",             number: 157, number32: 172, args: [1, 0] },
  { name: "dup2",              number: 33,  number32: 63,  args: [3, 4] },
  { name: "memfd_create",      number: 319, number32: 356, args: ["x", 0] },
  { name: "mprotect",          number: 10,  number32: 125, args: [LAYOUT.heap, 4096, 7] },
  { name: "mmap",              number: 9,   number32: 192, args: [0, 4096, 7, 0x22, -1] },
  { name: "rt_sigreturn",      number: 15,  number32: 173, args: [] },
];

const RAX = 0;
const RBX = 3;
const [RDI, RSI, RDX, R10, R8] = [7, 6, 2, 10, 8];
const ARGUMENTS = [RDI, RSI, RDX, R10, R8];
const ARGUMENTS_32 = [RBX, 1, RDX, RSI, RDI];
const RET: CodeBytes = [0xc3];
const SYSCALL: CodeBytes = [0x0f, 0x05];

/** Texts follow the code, each at an offset of its own. */
const TEXTS_OFFSET = 2048;
const TEXT_SIZE = 256;

const bytesOf = (value: bigint, size: number): CodeBytes =>
  Array.from({ length: size }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));

/** Encodes `movabs`. */
const set = (register: number, value: CallArgument): CodeBytes => [
  0x48 | (register >> 3),
  0xb8 | (register & 7),
  ...bytesOf(BigInt.asUintN(64, BigInt(value)), 8),
];

/** Returns the code with its texts; the bytes between them are traps. */
function image(name: string, code: (place: TextPlacement) => CodeBytes): EscapeAttempt {
  const bytes = new Uint8Array(TEXTS_OFFSET + 8 * TEXT_SIZE).fill(0xcc);
  let count = 0;
  const place: TextPlacement = (args) =>
    args.map((arg) => {
      if (typeof arg !== "string") return BigInt(arg);
      const at = TEXTS_OFFSET + TEXT_SIZE * count++;
      bytes.set(Buffer.from(`${arg}\0`, "latin1"), at);
      return BigInt(LAYOUT.code + at);
    });
  bytes.set(code(place));
  return { name, code: bytes };
}

/** Puts texts after the code; returns the values of the argument registers. */
type TextPlacement = (args: readonly CallArgument[]) => bigint[];

interface SystemCallRoute {
  readonly name: string;
  readonly code: (call: SystemCall, place: TextPlacement) => CodeBytes;
}

const prepare = ({ number, args }: SystemCall, place: TextPlacement, bits = 0): CodeBytes => [
  ...place(args).flatMap((value, i) => set(ARGUMENTS[i], value)),
  ...set(RAX, number + bits),
];
const prepare32 = ({ number32, args }: SystemCall, place: TextPlacement): CodeBytes => [
  ...place(args).flatMap((value, i) => set(ARGUMENTS_32[i], value)),
  ...set(RAX, number32 ?? 0),
];

/**
 * Moves r11 to the next lower address of a `syscall`: `1: dec r11; cmp word ptr [r11], 0x050f; jne
 * 1b`
 */
const FIND_SYSCALL: CodeBytes = [0x49, 0xff, 0xcb, 0x66, 0x41, 0x81, 0x3b, ...SYSCALL, 0x75, 0xf5];
/** Sets r11 to the target of the gate for returns. */
const FOLLOW_GATE: CodeBytes = [
  ...set(11, LAYOUT.host),
  ...[0x49, 0x63, 0x5b, 0x0b], //       movsxd rbx, dword ptr [r11 + 11]
  ...[0x4d, 0x8d, 0x5c, 0x1b, 0x0f], // lea    r11, [r11 + rbx + 15]
];
const CALL_R11: CodeBytes = [0x41, 0xff, 0xd3];

/** Sets rbx to the address of a step; after its system call the child continues with a `ret`. */
const ownStep = (place: TextPlacement): CodeBytes => {
  const [ret] = place(["\xc3"]);
  const after = String.fromCharCode(...bytesOf(ret, 8));
  const [step] = place([`${"\0".repeat(STEP.after)}${after}`]);
  return set(RBX, step);
};

// biome-ignore format: a table
const ROADS: readonly SystemCallRoute[] = [
  { name: "syscall",         code: (call, place) => [...prepare(call, place), ...SYSCALL, ...RET] },
  { name: "syscall of x32",  code: (call, place) => [...prepare(call, place, 1 << 30), ...SYSCALL, ...RET] },
  { name: "int 0x80",        code: (call, place) => [...prepare32(call, place), 0xcd, 0x80, ...RET] },
  { name: "sysenter",        code: (call, place) => [...prepare32(call, place), 0x0f, 0x34, ...RET] },
  { name: "the child's own syscall",
    code: (call, place) => [...FOLLOW_GATE, ...FIND_SYSCALL, ...prepare(call, place), ...ownStep(place), ...CALL_R11] },
  { name: "the syscall that ends the child",
    code: (call, place) => [...FOLLOW_GATE, ...FIND_SYSCALL, ...FIND_SYSCALL, ...prepare(call, place), ...CALL_R11] },
];

// biome-ignore format: a table
const ODDITIES: readonly (readonly [name: string, hex: string])[] = [
  // flags
  ["DF stays set",                 "fd c3"],
  ["TF",                           "9c 800c2400 66810c240001 9d 90 90 c3"],
  ["AC, and an access that is not aligned", "9c 810c2400000400 9d 8b442401 c3"],
  ["AC stays set",                 "9c 810c2400000400 9d c3"],
  ["NT stays set",                 "9c 810c2400400000 9d c3"],
  ["IOPL 3, then cli",             "9c 810c2400300000 9d fa c3"],
  ["ID and every flag there is",   "68ffff3f00 9d c3"],
  ["unmasked exceptions of SSE",   "6a00 0fae1424 58 c3"],
  ["every exception of SSE, and one", "6a00 0fae1424 660fefc0 0f5ec0 58 c3"],
  ["unmasked exceptions of x87",   "6a00 d92c24 58 c3"],
  ["a pending exception of x87",   "6a00 d92c24 58 d9ee d9e8 def1 c3"],
  // segments
  ["wrfsbase 0",                   "31c0 f3480faed0 c3"],
  ["wrfsbase to the heap",         "48b80000008011000000 f3480faed0 c3"],
  ["wrgsbase",                     "48b80000008011000000 f3480faed8 c3"],
  ["fs is null",                   "31c0 8ee0 c3"],
  ["gs is data",                   "b82b000000 8ee8 c3"],
  ["ds and es are null",           "31c0 8ed8 8ec0 c3"],
  ["ss is null",                   "31c0 8ed0 c3"],
  ["fs is kernel data",            "b818000000 8ee0 c3"],
  ["ss is kernel data",            "b818000000 8ed0 c3"],
  ["far return to 32-bit code",    "6a23 48b80010000000000000 50 48cb"],
  ["far return to kernel code",    "6a10 488d0500000000 50 48cb"],
  ["far return to nowhere",        "6a00 6a00 48cb"],
  ["far jump through a call gate", "48ff2c24"],
  ["iretq to kernel code",         "6a18 54 6802020000 6a10 488d0500000000 50 48cf"],
  ["iretq to address 0",           "6a2b 54 6802020000 6a33 6a00 48cf"],
  ["iretq to no canonical address", "6a2b 54 6802020000 6a33 48b80000000000000080 50 48cf"],
  ["iretq with IOPL and TF",       "6a2b 54 6802330000 6a33 488d0502000000 50 48cf c3"],
  ["sysretq",                      "488d0d03000000 480f07 c3"],
  ["sysexit",                      "0f35"],
  ["swapgs",                       "0f01f8 c3"],
  // instructions that only the kernel may execute
  ["hlt",                          "f4"],
  ["cli",                          "fa"],
  ["in",                           "ec"],
  ["out",                          "ee"],
  ["rdmsr",                        "31c9 0f32"],
  ["wrmsr",                        "b9820000c0 0f30"],
  ["mov from cr0",                 "0f20c0"],
  ["mov to cr4",                   "0f22e0"],
  ["mov to dr7",                   "0f23f8"],
  ["lgdt",                         "0f011424"],
  ["lidt",                         "0f011c24"],
  ["sgdt",                         "4883ec10 0f010424"],
  ["lldt",                         "0f00d0"],
  ["ltr",                          "0f00d8"],
  ["invlpg",                       "0f013c24"],
  ["wbinvd",                       "0f09"],
  ["clts",                         "0f06"],
  ["xsetbv",                       "0f01d1"],
  ["monitor",                      "0f01c8"],
  ["vmcall",                       "0f01c1 c3"],
  ["vmmcall",                      "0f01d9 c3"],
  ["wrpkru",                       "31c9 31d2 b8ffffffff 0f01ef c3"],
  ["int1",                         "f1"],
  ["int 3",                        "cc"],
  ["int 0x02",                     "cd02"],
  ["int 0x08",                     "cd08"],
  ["int 0x20",                     "cd20"],
  ["int 0xff",                     "cdff"],
  ["ud2",                          "0f0b"],
  // stacks
  ["rsp is 0",                     "31e4 50"],
  ["rsp is no canonical address",  "48bc0000000000000080 50"],
  ["rsp is in the kernel",         "48c7c400f0ffff 50"],
  ["rsp is in the gates",          "48bc0008008044000000 50"],
  ["rsp is in the code",           "48bc0001004022000000 50"],
  ["rsp is at the stack's end",    "48bc000000c033000000 50"],
  ["rsp is odd, and a fault",      "4883ec07 0f0b"],
  ["recursion without end",        "e8fbffffff"],
  // memory
  ["code over itself",             "488d0500000000 c600c3 c3"],
  ["code over the gates",          "48b80000008044000000 c600c3 c3"],
  ["code in the heap",             "48b80000008011000000 66c7000f05 c64002c3 ffe0"],
  ["code in the stack",            "4883ec10 66c704240f05 c6442402c3 ffe4"],
  ["a jump to 0",                  "31c0 ffe0"],
  ["a jump to the vsyscall page",  "48c7c0000060ff ffd0 c3"],
  ["a store into the kernel",      "48c7c000f0ffff 8900"],
  ["a store to the address of programs",       "b800004000 c600c3"],
  ["the block's step is 0",        "*30 48c743f000000000 41ffe3"],
  ["the block's step is the heap", "*30 48b80000008011000000 488943f0 41ffe3"],
  ["the block's host function is 9999", "*30 c743040f270000 c70303000000 *11 ffe3"],
  ["the block's host function is -1",   "*30 c74304ffffffff c70303000000 *11 ffe3"],
  ["the whole block is overwritten", "*30 488dbb00feffff b8ffffffff b900040000 f3aa c3"],
];

/** Code before a part of an oddity that begins with `*`. */
const PRELUDES: { readonly [name: string]: CodeBytes } = {
  // rbx: BLOCK.left; r11: the gate for returns
  "*30": [...set(11, LAYOUT.host), 0x49, 0x63, 0x5b, 0x02, 0x49, 0x8d, 0x5c, 0x1b, 0x0a],
  // rbx: the code that leaves the guest, without the gate
  "*11": [0x49, 0x63, 0x5b, 0x0b, 0x49, 0x8d, 0x5c, 0x1b, 0x0f],
};

const oddity = (hex: string): CodeBytes =>
  hex.split(" ").flatMap((part) => PRELUDES[part] ?? [...Buffer.from(part, "hex")]);

export function attemptsAt(target: AttemptTarget): readonly EscapeAttempt[] {
  const calls = systemCalls(target);
  const bySystemCall = ROADS.flatMap((road) =>
    calls
      .filter(({ number32 }) => number32 !== null)
      .map((call) => image(`${call.name} by ${road.name}`, (place) => road.code(call, place))),
  );
  const gates = gateAddresses().map((address) =>
    image(`the gates at 0x${address.toString(16)}`, () => [
      ...set(RDI, target.pid),
      ...set(RSI, SIGKILL),
      ...set(11, address),
      ...set(RAX, 62),
      ...CALL_R11,
      ...RET,
    ]),
  );
  const odd = ODDITIES.map(([name, hex]) => image(name, () => oddity(hex)));
  return [...bySystemCall, ...gates, ...odd];
}

/**
 * Returns the addresses of every gate, of some bytes inside a gate, and of some places without one.
 */
function gateAddresses(): readonly number[] {
  const first = hostCallAddress(LAYOUT, 0);
  const after = hostCallAddress(LAYOUT, HOST_CALL_COUNT);
  return [
    ...Array.from({ length: HOST_CALL_COUNT }, (_, i) => first + HOST_CALL_STRIDE * i),
    ...[GATES_ADDRESS + 3, GATES_ADDRESS + 16, GATES_ADDRESS + 32, GATES_ADDRESS + 48],
    ...[first + 5, first + 10, first - 1, after, after + 16, GATES_ADDRESS + GATES_SIZE - 1],
    ...[GATES_ADDRESS + GATES_SIZE, GATES_ADDRESS - 1],
  ];
}
