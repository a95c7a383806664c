// gcc -O1 -fsanitize=undefined -c THIS; echo $?
// Expected 0; GCC 12.2.0 ends with 1, of an internal compiler error in the pass profile_estimate ("in sign_mask, at
// wide-int.h:855"). Without the sanitizer it ends with 0.
#include <stdint.h>
void f(void) {
  uint32_t x = 1;
  while ((int32_t)x > 0) x += 0x80000000u;
}
