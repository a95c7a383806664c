// Double arithmetic: bodies that attract each other, and a polynomial by Horner's scheme.
static double square(double x) { return x * x; }

static double horner(double x, int degree) {
  double sum = 0;
  for (int k = degree; k >= 0; k--) sum = sum * x + 1.0 / (k + 1);
  return sum;
}

int kernel(unsigned char *heap, int n) {
  double *x = (double *)heap, *v = x + 16;
  for (int i = 0; i < 8; i++) {
    x[i] = i * 1.5;
    v[i] = 0.25 - i * 0.125;
  }
  for (int step = 0; step < n; step++) {
    for (int i = 0; i < 8; i++) {
      double force = 0;
      for (int j = 0; j < 8; j++) {
        if (j == i) continue;
        double d = x[j] - x[i];
        force += d / (square(d) + 0.5);
      }
      v[i] += force * 0.01;
    }
    for (int i = 0; i < 8; i++) x[i] += v[i] * 0.01;
    x[step & 7] += horner(v[step & 7], 6) * 0.0001;
  }
  double sum = 0;
  for (int i = 0; i < 8; i++) sum += x[i] * (i + 1);
  return (int)(sum * 1000000.0);
}
