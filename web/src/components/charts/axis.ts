// Axes of charts: round steps, and labels that do not overlap.

/** Round values from 0 to at least `most`: about `count` steps; of counts only whole numbers. */
export function axisTicks(most: number, count = 4, whole = false): readonly number[] {
  if (!(most > 0)) return whole ? [0, 1] : [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ([1, 2, 2.5, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
  const step = whole ? Math.max(1, Math.ceil(round)) : round;
  const steps = Math.ceil(most / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Which of `count` labels are written where each needs `room` of `width`: the first, and every nth. */
export function labelStep(count: number, width: number, room: number): number {
  return Math.max(1, Math.ceil((count * room) / Math.max(1, width)));
}
