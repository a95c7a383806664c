// jsc THIS
// Expected: true. JavaScriptCore of WebKitGTK 2.54.2 prints false; right in 2.52.6, and with --useFTLJIT=0.
function overflows(x) {
  return x * x !== (x * x | 0);
}
noInline(overflows);
for (let i = 0; i < 1e7; i++) overflows(i & 15);
print(overflows(65536)); // the product is 2 ** 32, and 2 ** 32 | 0 is 0
