// jsc --useConcurrentJIT=0 --thresholdForBBQOptimizeAfterWarmUp=0 --thresholdForBBQOptimizeSoon=0 --useOMGJIT=0 -m THIS
// Expected 1 (-1 >>> 31); JavaScriptCore 2.50.6 prints 0. With --useBBQJIT=0 it prints 1.
const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0,
  10, 9, 1, 7, 0, 0x41, 0x7f, 0x41, 0x7f, 0x76, 0x0b]; // i32.const -1, i32.const -1, i32.shr_u
print(new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports.f());
