// A hash table with open addressing: keys of 64 bits, counters beside them.
typedef struct { unsigned long key; int count; int next; } Entry;

static unsigned slot_of(unsigned long key, unsigned mask) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdul;
  key ^= key >> 29;
  return (unsigned)key & mask;
}

static Entry *lookup(Entry *table, unsigned mask, unsigned long key) {
  unsigned at = slot_of(key, mask);
  while (table[at].count != 0 && table[at].key != key) at = (at + 1) & mask;
  return &table[at];
}

int kernel(unsigned char *heap, int n) {
  unsigned *words = (unsigned *)heap;
  Entry *table = (Entry *)(heap + 262144);
  unsigned mask = 4095;
  int distinct = 0;
  unsigned hash = 0;
  for (unsigned i = 0; i <= mask; i++) table[i].count = 0;
  for (int i = 0; i < n; i++) {
    unsigned long key = words[i] % 2003;
    Entry *entry = lookup(table, mask, key * key + 1);
    if (entry->count == 0) {
      entry->key = key * key + 1;
      entry->next = distinct++;
    }
    entry->count++;
    hash = hash * 17 + (unsigned)(entry->count * entry->next);
  }
  return (int)(hash + (unsigned)distinct);
}
