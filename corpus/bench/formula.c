// Parses formulas by recursive descent to a tree, simplifies and evaluates it for many values. Pointers,
// recursion, and calls through a table of functions. Gives the sum of the values.

#include <stdint.h>

enum { NODES_MAX = 256 };

struct node {
  int operation; // index in OPERATIONS; -1: a number; -2: the variable
  int32_t number;
  struct node *left, *right;
};

static struct node nodes[NODES_MAX];
static int used;
static const char *at;

static int32_t add(int32_t x, int32_t y) { return (int32_t)((uint32_t)x + (uint32_t)y); }
static int32_t sub(int32_t x, int32_t y) { return (int32_t)((uint32_t)x - (uint32_t)y); }
static int32_t mul(int32_t x, int32_t y) { return (int32_t)((uint32_t)x * (uint32_t)y); }
static int32_t divide(int32_t x, int32_t y) { return y == 0 || (y == -1 && x == INT32_MIN) ? 0 : x / y; }
static int32_t rest(int32_t x, int32_t y) { return y == 0 || y == -1 ? 0 : x % y; }
static int32_t both(int32_t x, int32_t y) { return x & y; }
static int32_t either(int32_t x, int32_t y) { return x | y; }

static int32_t (*const OPERATIONS[])(int32_t, int32_t) = {add, sub, mul, divide, rest, both, either};
static const char SIGNS[] = "+-*/%&|";
static const int RANKS[] = {3, 3, 4, 4, 4, 2, 1};

static struct node *make(int operation, int32_t number, struct node *left, struct node *right) {
  if (used == NODES_MAX) __builtin_trap();
  struct node *made = &nodes[used++];
  *made = (struct node){operation, number, left, right};
  return made;
}

static struct node *formula(int rank);

static struct node *operand(void) {
  if (*at == '(') {
    at++;
    struct node *inner = formula(1);
    if (*at++ != ')') __builtin_trap();
    return inner;
  }
  if (*at == 'x') return at++, make(-2, 0, 0, 0);
  if (*at < '0' || *at > '9') __builtin_trap();
  int32_t number = 0;
  while (*at >= '0' && *at <= '9') number = number * 10 + (*at++ - '0');
  return make(-1, number, 0, 0);
}

static int operation_at(void) {
  for (int i = 0; SIGNS[i] != 0; i++) {
    if (SIGNS[i] == *at) return i;
  }
  return -1;
}

static struct node *formula(int rank) {
  struct node *left = operand();
  for (int next = operation_at(); next >= 0 && RANKS[next] >= rank; next = operation_at()) {
    at++;
    left = make(next, 0, left, formula(RANKS[next] + 1));
  }
  return left;
}

// Operations on two numbers become numbers.
static void simplify(struct node *node) {
  if (node->operation < 0) return;
  simplify(node->left);
  simplify(node->right);
  if (node->left->operation == -1 && node->right->operation == -1) {
    node->number = OPERATIONS[node->operation](node->left->number, node->right->number);
    node->operation = -1;
  }
}

static int32_t value(const struct node *node, int32_t x) {
  switch (node->operation) {
    case -1: return node->number;
    case -2: return x;
    default: return OPERATIONS[node->operation](value(node->left, x), value(node->right, x));
  }
}

static const char *const FORMULAS[] = {
    "x*x-3*(x+7)/(2+1)|1",
    "(x%17+(4*5-20))*(x/3&255)",
    "((((x+1)*2+1)*2+1)*2+1)-x*(8|0)",
    "1000000007*x%65537-(x-x)*9",
};

int32_t formulas(int32_t n) {
  if (n < 0) __builtin_trap();
  uint32_t sum = 0;
  for (int f = 0; f < 4; f++) {
    used = 0;
    at = FORMULAS[f];
    struct node *tree = formula(1);
    if (*at != 0) __builtin_trap();
    simplify(tree);
    for (int32_t x = -n; x < n; x++) sum = sum * 31 + (uint32_t)value(tree, x);
  }
  return (int32_t)sum;
}

#ifndef __wasm__
double kernel(unsigned char *heap, const int32_t *args) {
  (void)heap;
  return formulas(args[0]);
}
#endif
