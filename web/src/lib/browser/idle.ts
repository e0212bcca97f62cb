/** A page that animates on a slow machine is never idle: after this time the next one runs anyway. */
const MAX_WAIT_MS = 500;

/** Runs `run` when the page has nothing else to do. */
export const whenIdle = oneAtATime((next) => {
  // Not in every browser.
  if ('requestIdleCallback' in window) requestIdleCallback(next, { timeout: MAX_WAIT_MS });
  else setTimeout(next);
});

/** Runs `run` in a task of its own. */
export const inOwnTask = oneAtATime((next) => setTimeout(next));

/** A queue: each runs when `schedule` calls back, behind what was queued before it, so that input is handled in between.
 *  What queues returns a function that cancels it. */
function oneAtATime(schedule: (next: () => void) => void): (run: () => void) => () => void {
  const waiting = new Set<() => void>();
  const next = () => {
    const [run] = waiting;
    if (!run) return;
    waiting.delete(run);
    if (waiting.size > 0) schedule(next);
    run();
  };
  return (run) => {
    waiting.add(run);
    if (waiting.size === 1) schedule(next);
    return () => void waiting.delete(run);
  };
}
