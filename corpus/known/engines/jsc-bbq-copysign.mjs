// jsc --useConcurrentJIT=0 --thresholdForBBQOptimizeAfterWarmUp=0 --thresholdForBBQOptimizeSoon=0 --useOMGJIT=0 -m THIS
// Expected true (the result is -0); JavaScriptCore 2.50.6 prints false. With --useBBQJIT=0 it prints true.
const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 6, 1, 0x60, 1, 0x7d, 1, 0x7d, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0,
  10, 12, 1, 10, 0, 0x20, 0, 0x43, 0, 0, 0, 0x80, 0x98, 0x0b]; // local.get 0, f32.const -0, f32.copysign
const { f } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports;
f(0);
print(Object.is(f(0), -0));
