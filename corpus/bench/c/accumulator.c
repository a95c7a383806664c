// An interpreter of letters whose state is in variables: an accumulator, two index registers and a carry.
enum { STOP = 'Q', SET = '=', LOADX = 'L', STOREX = 'S', ADDX = '+', SUBI = '-', XORI = '^', SHL = '<', ROR = '>', TAX = 'X', TXA = 'A' };
enum { INX = 'I', DEY = 'D', SETY = 'Y', BNEY = 'N', BCC = 'C', ADC = 'M', CMPX = '?' };

static unsigned run(const unsigned char *code, unsigned *memory, unsigned y) {
  const unsigned char *pc = code;
  unsigned a = 0, x = 0, carry = 0;
  for (;;) {
    switch (*pc++) {
      case SET: a = *pc++; break;
      case LOADX: a = memory[x & 63]; break;
      case STOREX: memory[x & 63] = a; break;
      case ADDX: { unsigned sum = a + x; carry = sum < a; a = sum; break; }
      case SUBI: { unsigned by = *pc++; carry = a < by; a -= by; break; }
      case XORI: a ^= *pc++; break;
      case SHL: carry = a >> 31; a <<= 1; break;
      case ROR: { unsigned low = a & 1; a = a >> 1 | carry << 31; carry = low; break; }
      case TAX: x = a; break;
      case TXA: a = x; break;
      case INX: x++; break;
      case DEY: y--; break;
      case SETY: y = *pc++; break;
      case BNEY: { int offset = (signed char)*pc++; if (y != 0) pc += offset; break; }
      case BCC: { int offset = (signed char)*pc++; if (!carry) pc += offset; break; }
      case ADC: a += carry + memory[x & 63]; break;
      case CMPX: carry = a < x; break;
      case STOP: return a ^ x << 7 ^ y;
      default: return ~a;
    }
  }
}

int kernel(unsigned char *heap, int n) {
  unsigned char *code = heap + 1024;
  int at = 0;
  // do { a = m[x] + carry + m[x]; if (a < x) a ^= 0x5a; else a <<= 1; rotate; m[x] = a; x++; a += x; a -= 3 } while (--y)
  code[at++] = LOADX; code[at++] = ADC; code[at++] = CMPX; code[at++] = BCC; code[at++] = 2; code[at++] = XORI; code[at++] = 0x5a;
  code[at++] = SHL; code[at++] = BCC; code[at++] = 1; code[at++] = ROR; code[at++] = STOREX; code[at++] = INX; code[at++] = ADDX;
  code[at++] = SUBI; code[at++] = 3; code[at++] = STOREX; code[at++] = DEY; code[at++] = BNEY; code[at++] = (unsigned char)-20;
  code[at++] = STOP;
  return (int)run(code, (unsigned *)heap, (unsigned)n);
}
