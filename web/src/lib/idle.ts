/** A page that animates on a slow machine is never idle: after this time the next one runs anyway. */
const MAX_WAIT_MS = 500;
const waiting = new Set<() => void>();
let requested = false;

/** Runs `run` when the page has nothing else to do, behind what was queued before it: one at a time, so that input is
 *  handled in between. Returns a function that cancels it. */
export function whenIdle(run: () => void): () => void {
  waiting.add(run);
  request();
  return () => void waiting.delete(run);
}

function request(): void {
  if (requested || waiting.size === 0) return;
  requested = true;
  const next = () => {
    requested = false;
    const [run] = waiting;
    if (run) {
      waiting.delete(run);
      run();
    }
    request();
  };
  // Not in every browser.
  if ('requestIdleCallback' in window) requestIdleCallback(next, { timeout: MAX_WAIT_MS });
  else setTimeout(next);
}
