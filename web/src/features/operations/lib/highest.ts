// The highest percentage that was shown of each build: a log that grows faster than it is read must not move a bar back.
const seen = new Map<string, number>();

export function highest(build: string, percent: number): number {
  const most = Math.max(percent, seen.get(build) ?? 0);
  seen.set(build, most);
  return most;
}
