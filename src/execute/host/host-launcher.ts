// The program that starts the child in namespaces of its own: it must have one thread when it asks
// for them, which Node never has. A few instructions as an ELF file in memory, so that nothing has
// to be installed or compiled.
//
// 1. It ends with the process that has started it, and gives up all privileges to come.
// 2. It asks for the namespaces, and ends with a status if the kernel refuses.
// 3. It forks, because a process is in a new pid namespace only if it is born there. The child
//    executes what the arguments say; a new user namespace has taken every capability from it.
// 4. It waits for the child with all files closed, so that the child's end closes the pipes.

const NEW = { ipc: 0x0800_0000, user: 0x1000_0000, pid: 0x2000_0000, network: 0x4000_0000 };
const SIGKILL = 9;
const SIGCHLD = 17;
const CALL = { prctl: 157, unshare: 272, clone: 56, closeRange: 436, wait: 61, execute: 59 };
const CLOSE = 3;
const EXIT_GROUP = 231;
const PRCTL_PARENT_DEATH = 1;
const PRCTL_NO_NEW_PRIVILEGES = 38;

/** From the most to the least, if the kernel refuses; an ordinary user needs the first. */
export const NAMESPACE_LEVELS: readonly (readonly (keyof typeof NEW)[])[] = [
  ["user", "network", "ipc", "pid"],
  ["network", "ipc", "pid"],
  [],
];

const RDI = 7;
const RSI = 6;
const RDX = 2;
const R10 = 10;
const BASE_ADDRESS = 0x40_0000;
const HEADERS_SIZE = 64 + 56;

/** @param fd where the child finds this file, which it does not keep */
export function launcherImage(namespaces: readonly (keyof typeof NEW)[], fd: number): Uint8Array {
  const flags = namespaces.reduce((all, name) => all | NEW[name], 0);
  const code = launcherCode(flags, fd);
  const size = HEADERS_SIZE + code.length;
  const image = new Uint8Array(size);
  const view = new DataView(image.buffer);
  // Elf64_Ehdr: magic, 64 bits, little-endian, version; an executable for x86-64
  image.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint32(16, 2 | (62 << 16), true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, BigInt(BASE_ADDRESS + HEADERS_SIZE), true); // entry
  view.setBigUint64(32, 64n, true); // program headers
  view.setUint16(52, 64, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 1, true);
  // Elf64_Phdr: all of the file, to be read and executed
  view.setUint32(64, 1, true);
  view.setUint32(68, 5, true);
  view.setBigUint64(80, BigInt(BASE_ADDRESS), true);
  view.setBigUint64(96, BigInt(size), true);
  view.setBigUint64(104, BigInt(size), true);
  view.setBigUint64(112, 4096n, true);
  image.set(code, HEADERS_SIZE);
  return image;
}

function launcherCode(flags: number, fd: number): readonly number[] {
  const dieWithParent = [
    ...set(RDI, PRCTL_PARENT_DEATH),
    ...set(RSI, SIGKILL),
    ...call(CALL.prctl),
  ];
  const child = [
    ...dieWithParent,
    ...set(RDI, fd),
    ...call(CLOSE),
    ...[0x49, 0x8b, 0x7c, 0x24, 0x10], //       mov  rdi, [r12 + 16], the first argument
    ...[0x49, 0x8d, 0x74, 0x24, 0x10], //       lea  rsi, [r12 + 16]
    ...[0x49, 0x8b, 0x04, 0x24], //             mov  rax, [r12], the number of arguments
    ...[0x49, 0x8d, 0x54, 0xc4, 0x10], //       lea  rdx, [r12 + 8 * rax + 16], the environment
    ...call(CALL.execute),
    ...exit(1),
  ];
  const parent = [
    ...set(RDI, 0),
    ...set(RSI, -1),
    ...set(RDX, 0),
    ...call(CALL.closeRange), // older kernels have none: the pipes then close a little later
    ...set(RDI, -1),
    ...set(RSI, 0),
    ...set(R10, 0),
    ...call(CALL.wait),
    ...exit(0),
  ];
  const fork = [
    ...set(RDI, SIGCHLD),
    ...set(RSI, 0),
    ...set(RDX, 0),
    ...set(R10, 0),
    ...[0x45, 0x31, 0xc0], //                   xor  r8d, r8d
    ...call(CALL.clone),
  ];
  return [
    ...[0x49, 0x89, 0xe4], //                   mov  r12, rsp
    ...dieWithParent,
    ...set(RDI, PRCTL_NO_NEW_PRIVILEGES),
    ...set(RSI, 1),
    ...set(RDX, 0),
    ...set(R10, 0),
    ...[0x45, 0x31, 0xc0], //                   xor  r8d, r8d
    ...call(CALL.prctl),
    ...set(RDI, flags),
    ...call(CALL.unshare),
    ...unlessNegative(exit(1)),
    ...fork,
    ...unlessNegative(exit(1)),
    ...[0x85, 0xc0], //                         test eax, eax
    ...[0x0f, 0x84, ...word(parent.length)], // je   child
    ...parent,
    ...child,
  ];
}

const word = (value: number): readonly number[] => [
  ...new Uint8Array(new Int32Array([value]).buffer),
];

/** `mov r32, imm32`; of -1 the upper half is ignored. */
const set = (register: number, value: number): readonly number[] => [
  ...(register > 7 ? [0x41] : []),
  0xb8 | (register & 7),
  ...word(value),
];

/** `mov eax, number; syscall` */
const call = (number: number): readonly number[] => [0xb8, ...word(number), 0x0f, 0x05];
const exit = (status: number): readonly number[] => [...set(RDI, status), ...call(EXIT_GROUP)];

/** `test eax, eax; jns behind` */
const unlessNegative = (code: readonly number[]): readonly number[] => [
  ...[0x85, 0xc0, 0x0f, 0x89, ...word(code.length)],
  ...code,
];
