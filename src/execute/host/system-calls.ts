// Lists the system calls of Linux on x86-64 that the native child makes, by number
// (linux/unistd_64.h).

export const CALL = {
  read: 0,
  write: 1,
  close: 3,
  mmap: 9,
  mprotect: 10,
  munmap: 11,
  rt_sigaction: 13,
  setitimer: 38,
  clone: 56,
  wait4: 61,
  setgroups: 116,
  setresuid: 117,
  setresgid: 119,
  capset: 126,
  sigaltstack: 131,
  prctl: 157,
  setrlimit: 160,
  exit_group: 231,
  unshare: 272,
  seccomp: 317,
  close_range: 436,
} as const;

const NAMES = new Map<number, string>(Object.entries(CALL).map(([name, number]) => [number, name]));
export const systemCallNamed = (number: number): string =>
  NAMES.get(number) ?? `system call ${number}`;
