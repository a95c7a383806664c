// A binary search tree of records in an array: insertion, sums by recursion, a list through it.
typedef struct { int key; int left; int right; int next; } Node;

static int insert(Node *nodes, int root, int fresh) {
  int at = root;
  for (;;) {
    if (nodes[fresh].key < nodes[at].key) {
      if (nodes[at].left < 0) { nodes[at].left = fresh; return at; }
      at = nodes[at].left;
    } else {
      if (nodes[at].right < 0) { nodes[at].right = fresh; return at; }
      at = nodes[at].right;
    }
  }
}

static int sum(const Node *nodes, int at) {
  if (at < 0) return 0;
  return nodes[at].key + 3 * sum(nodes, nodes[at].left) + 5 * sum(nodes, nodes[at].right);
}

int kernel(unsigned char *heap, int n) {
  int *keys = (int *)heap;
  Node *nodes = (Node *)(heap + 131072);
  unsigned hash = 0;
  for (int i = 0; i < n; i++) {
    nodes[i].key = keys[i];
    nodes[i].left = -1;
    nodes[i].right = -1;
    nodes[i].next = i * 7 % n;
    if (i > 0) hash = hash * 3 + (unsigned)insert(nodes, 0, i);
  }
  int at = 0;
  for (int i = 0; i < 2 * n; i++) {
    at = nodes[at].next;
    hash ^= (unsigned)nodes[at].key + (unsigned)at;
    at = at + 1 < n ? at + 1 : 0;
  }
  return (int)hash + sum(nodes, 0);
}
