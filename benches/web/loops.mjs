// Attention as plain loops in JavaScript: what every contestant's result is compared with, and a contestant itself.

/** weights `[h, n, n]` and output `[h, n, d]` into `w` and `o`. */
export function loops({ h, n, d }, q, k, v, scale, w, o) {
  for (let head = 0; head < h; head += 1) {
    const base = head * n * d;
    for (let i = 0; i < n; i += 1) {
      const row = (head * n + i) * n, query = base + i * d;
      let most = -Infinity;
      for (let j = 0; j < n; j += 1) {
        const key = base + j * d;
        let sum = 0;
        for (let c = 0; c < d; c += 1) sum += q[query + c] * k[key + c];
        w[row + j] = sum * scale;
        most = Math.max(most, w[row + j]);
      }
      let sum = 0;
      for (let j = 0; j < n; j += 1) sum += w[row + j] = Math.exp(w[row + j] - most);
      for (let j = 0; j < n; j += 1) w[row + j] /= sum;
      o.fill(0, query, query + d);
      for (let j = 0; j < n; j += 1) {
        const weight = w[row + j], key = base + j * d;
        for (let c = 0; c < d; c += 1) o[query + c] += weight * v[key + c];
      }
    }
  }
}

/** The same with four queries at once and two keys at once: what a careful author of JavaScript gets. */
export function blockedLoops({ h, n, d }, q, k, v, scale, w, o) {
  for (let head = 0; head < h; head += 1) {
    const base = head * n * d;
    for (let i = 0; i < n; i += 4) {
      const rows = Math.min(4, n - i);
      // Rows that do not exist repeat the last one, and write the same numbers again.
      const at = [0, 1, 2, 3].map((r) => i + Math.min(r, rows - 1));
      const [q0, q1, q2, q3] = at.map((r) => base + r * d), [w0, w1, w2, w3] = at.map((r) => (head * n + r) * n);
      for (let j = 0; j < n; j += 2) {
        const other = Math.min(j + 1, n - 1), k0 = base + j * d, k1 = base + other * d;
        let a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
        for (let c = 0; c < d; c += 1) {
          const x = k[k0 + c], y = k[k1 + c], p0 = q[q0 + c], p1 = q[q1 + c], p2 = q[q2 + c], p3 = q[q3 + c];
          a0 += p0 * x; a1 += p1 * x; a2 += p2 * x; a3 += p3 * x;
          b0 += p0 * y; b1 += p1 * y; b2 += p2 * y; b3 += p3 * y;
        }
        w[w0 + j] = a0 * scale; w[w1 + j] = a1 * scale; w[w2 + j] = a2 * scale; w[w3 + j] = a3 * scale;
        w[w0 + other] = b0 * scale; w[w1 + other] = b1 * scale; w[w2 + other] = b2 * scale; w[w3 + other] = b3 * scale;
      }
      for (let r = 0; r < rows; r += 1) {
        const row = (head * n + i + r) * n, out = base + (i + r) * d;
        let most = -Infinity, sum = 0;
        for (let j = 0; j < n; j += 1) if (w[row + j] > most) most = w[row + j];
        for (let j = 0; j < n; j += 1) sum += w[row + j] = Math.exp(w[row + j] - most);
        const inverse = 1 / sum;
        for (let j = 0; j < n; j += 1) w[row + j] *= inverse;
        o.fill(0, out, out + d);
        let j = 0;
        for (; j + 4 <= n; j += 4) {
          const p0 = w[row + j], p1 = w[row + j + 1], p2 = w[row + j + 2], p3 = w[row + j + 3];
          const v0 = base + j * d, v1 = v0 + d, v2 = v1 + d, v3 = v2 + d;
          for (let c = 0; c < d; c += 1) o[out + c] += p0 * v[v0 + c] + p1 * v[v1 + c] + p2 * v[v2 + c] + p3 * v[v3 + c];
        }
        for (; j < n; j += 1) {
          const p = w[row + j], v0 = base + j * d;
          for (let c = 0; c < d; c += 1) o[out + c] += p * v[v0 + c];
        }
      }
    }
  }
}
