// Text limits, checked before sending. The server decides.
export const TITLE = { min: 3, max: 255 } as const;
export const TEXT = { min: 8, max: 32_767 } as const;

/** As the server counts: a sign outside the basic plane is one, not two. */
export const lengthOf = (text: string): number => Array.from(text.trim()).length;

export function titleFault(title: string): string | undefined {
  const length = lengthOf(title);
  if (length < TITLE.min) return `Title must be at least ${TITLE.min} characters`;
  return length > TITLE.max ? `Title must be at most ${TITLE.max} characters` : undefined;
}

export function textFault(text: string): string | undefined {
  const length = lengthOf(text);
  if (length < TEXT.min) return `Text must be at least ${TEXT.min} characters`;
  return length > TEXT.max ? `Text must be at most ${TEXT.max.toLocaleString('en-US')} characters` : undefined;
}

/** Rules shown next to the form of a new thread. */
export const RULES: readonly string[] = [
  'Until three of your posts are published, a post can have at most 2 links and 2 mentions, and posts with links need approval.',
  'In your first 24 hours: 3 threads and 10 replies.',
  'Wait 2 minutes between threads and 30 seconds between replies; later 15 and 5 seconds.',
  'For everyone: 20 threads, 50 likes and 20 reports per day, and the same text only once in 5 minutes.',
];
