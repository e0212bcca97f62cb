// Which lines two versions of a text have in common.
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

const MAX_CELLS = 1_000_000;

export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...a.slice(0, start).map(same),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/** By the longest common subsequence; of very long texts, everything is removed and added. */
function between(a: readonly string[], b: readonly string[]): DiffLine[] {
  const width = b.length + 1;
  const lengths = a.length * b.length > MAX_CELLS ? null : new Uint32Array((a.length + 1) * width);
  const common = (i: number, j: number) => lengths?.[i * width + j] ?? 0;
  if (lengths) {
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        lengths[i * width + j] =
          a[i] === b[j] ? common(i + 1, j + 1) + 1 : Math.max(common(i + 1, j), common(i, j + 1));
      }
    }
  }
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (lengths && i < a.length && j < b.length && a[i] === b[j]) {
      found.push({ kind: 'same', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || common(i + 1, j) >= common(i, j + 1))) {
      found.push({ kind: 'removed', text: a[i] ?? '' });
      i += 1;
    } else {
      found.push({ kind: 'added', text: b[j] ?? '' });
      j += 1;
    }
  }
  return found;
}
