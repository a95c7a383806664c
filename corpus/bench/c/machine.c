// An interpreter: a loop around a switch over bytes, a stack in memory.
enum { HALT, PUSH, ADD, SUB, MUL, DUP, SWAP, DROP, LOAD, STORE, JUMP, JNZ, LESS, AND, XOR, SHR };

static int run(const unsigned char *code, int *stack, int *locals) {
  int pc = 0, sp = 0;
  for (;;) {
    unsigned char op = code[pc++];
    switch (op) {
      case HALT: return stack[sp - 1];
      case PUSH: stack[sp++] = (signed char)code[pc++]; break;
      case ADD: sp--; stack[sp - 1] += stack[sp]; break;
      case SUB: sp--; stack[sp - 1] -= stack[sp]; break;
      case MUL: sp--; stack[sp - 1] *= stack[sp]; break;
      case DUP: stack[sp] = stack[sp - 1]; sp++; break;
      case SWAP: { int top = stack[sp - 1]; stack[sp - 1] = stack[sp - 2]; stack[sp - 2] = top; break; }
      case DROP: sp--; break;
      case LOAD: stack[sp++] = locals[code[pc++]]; break;
      case STORE: locals[code[pc++]] = stack[--sp]; break;
      case JUMP: pc = code[pc]; break;
      case JNZ: if (stack[--sp] != 0) pc = code[pc]; else pc++; break;
      case LESS: sp--; stack[sp - 1] = stack[sp - 1] < stack[sp]; break;
      case AND: sp--; stack[sp - 1] &= stack[sp]; break;
      case XOR: sp--; stack[sp - 1] ^= stack[sp]; break;
      case SHR: sp--; stack[sp - 1] = (int)((unsigned)stack[sp - 1] >> (stack[sp] & 31)); break;
      default: return -1;
    }
  }
}

int kernel(unsigned char *heap, int n) {
  unsigned char *code = heap + 1024;
  int *locals = (int *)(heap + 512);
  int *stack = (int *)(heap + 2048);
  locals[0] = n;
  locals[1] = 1;
  locals[2] = 0;
  // do { x = x * 31 ^ (x >> 3) + n; if ((x & 7) < 3) y += x; } while (--n != 0)
  int at = 0;
  code[at++] = LOAD; code[at++] = 1; code[at++] = PUSH; code[at++] = 31; code[at++] = MUL; code[at++] = LOAD; code[at++] = 1; code[at++] = PUSH; code[at++] = 3; code[at++] = SHR; code[at++] = LOAD; code[at++] = 0; code[at++] = ADD; code[at++] = XOR; code[at++] = DUP; code[at++] = STORE; code[at++] = 1;
  code[at++] = PUSH; code[at++] = 7; code[at++] = AND; code[at++] = PUSH; code[at++] = 3; code[at++] = LESS; code[at++] = PUSH; code[at++] = 1; code[at++] = XOR; code[at++] = JNZ; code[at++] = 35;
  code[at++] = LOAD; code[at++] = 2; code[at++] = LOAD; code[at++] = 1; code[at++] = ADD; code[at++] = STORE; code[at++] = 2;
  code[at++] = LOAD; code[at++] = 0; code[at++] = PUSH; code[at++] = 1; code[at++] = SUB; code[at++] = DUP; code[at++] = STORE; code[at++] = 0; code[at++] = JNZ; code[at++] = 0; code[at++] = LOAD; code[at++] = 2; code[at++] = HALT;
  return run(code, stack, locals);
}
