/** The line that a website puts into its pages. */
export function snippet(trackingUrl: string, siteKey: string): string {
  return `<script defer src="${trackingUrl.replace(/\/$/, '')}/t.js" data-site="${siteKey}"></script>`;
}

export const TEST_EVENT = 'althing.test';

/** Sends one custom event as a website would; it is in the live list and in no figure. */
export async function sendTestEvent(trackingUrl: string, siteKey: string, domain: string): Promise<void> {
  const response = await fetch(`${trackingUrl.replace(/\/$/, '')}/track`, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'Content-Type': 'text/plain' },
    body: JSON.stringify({ type: TEST_EVENT, site: siteKey, url: `https://${domain}/` }),
  });
  if (!response.ok) {
    const problem = (await response.json().catch(() => null)) as { message?: string } | null;
    throw new Error(problem?.message ?? `The tracking server responded with status ${response.status}.`);
  }
}
