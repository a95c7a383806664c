// jsc --useConcurrentJIT=0 --thresholdForBBQOptimizeAfterWarmUp=0 --thresholdForBBQOptimizeSoon=0 --useOMGJIT=0 -m THIS
// Expected -2147483648 (2^31 modulo 2^32 - 1); JavaScriptCore 2.50.6 throws "Integer overflow". With --useBBQJIT=0 it prints it.
const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0,
  10, 13, 1, 11, 0, 0x41, 0x80, 0x80, 0x80, 0x80, 0x78, 0x41, 0x7f, 0x70, 0x0b]; // i32.const -2147483648, i32.const -1, i32.rem_u
print(new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports.f());
