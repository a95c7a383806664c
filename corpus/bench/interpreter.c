#include <stdint.h>
#include <stdlib.h>

enum { PUSH, LOAD, STORE, ADD, MULTIPLY, REMAINDER, LESS, JUMP, JUMP_IF_FALSE, RETURN };
enum { N, MODULUS, I, SUM, LOCALS };
enum { STACK_MAX = 8, TURN = 10, END = 41 };

// for (i = 0, sum = 1; i < n; i++) sum = (sum * 31 + i) % modulus; return sum
static const unsigned char program[] = {
    PUSH, 0, 0, STORE, I, PUSH, 1, 0, STORE, SUM,
    LOAD, I, LOAD, N, LESS, JUMP_IF_FALSE, END,
    LOAD, SUM, PUSH, 31, 0, MULTIPLY, LOAD, I, ADD, LOAD, MODULUS, REMAINDER, STORE, SUM,
    LOAD, I, PUSH, 1, 0, ADD, STORE, I, JUMP, TURN,
    LOAD, SUM, RETURN,
};

static int32_t interpret(const unsigned char *code, int32_t n, int32_t modulus) {
  int32_t locals[LOCALS], stack[STACK_MAX];
  locals[N] = n;
  locals[MODULUS] = modulus;
  int32_t pc = 0, depth = 0;
  for (;;) {
    switch (code[pc]) {
    case PUSH:
      stack[depth++] = (int16_t)(code[pc + 1] | code[pc + 2] << 8);
      pc += 3;
      break;
    case LOAD:
      stack[depth++] = locals[code[pc + 1]];
      pc += 2;
      break;
    case STORE:
      locals[code[pc + 1]] = stack[--depth];
      pc += 2;
      break;
    case ADD:
      depth--;
      if (__builtin_add_overflow(stack[depth - 1], stack[depth], &stack[depth - 1])) abort();
      pc++;
      break;
    case MULTIPLY:
      depth--;
      if (__builtin_mul_overflow(stack[depth - 1], stack[depth], &stack[depth - 1])) abort();
      pc++;
      break;
    case REMAINDER:
      depth--;
      if (stack[depth] <= 0) abort();
      stack[depth - 1] %= stack[depth];
      pc++;
      break;
    case LESS:
      depth--;
      stack[depth - 1] = stack[depth - 1] < stack[depth];
      pc++;
      break;
    case JUMP:
      pc = code[pc + 1];
      break;
    case JUMP_IF_FALSE:
      pc = stack[--depth] ? pc + 2 : code[pc + 1];
      break;
    case RETURN:
      return stack[depth - 1];
    }
  }
}

double kernel(unsigned char *heap, const int32_t *args) {
  unsigned char *code = heap + 8;
  for (unsigned i = 0; i < sizeof program; i++) code[i] = program[i];
  return interpret(code, args[0], args[1]);
}
