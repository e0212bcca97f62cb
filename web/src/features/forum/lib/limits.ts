// What a text may be, told before it is sent. The server decides.
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

/** What is told beside the form of a new thread. */
export const RULES: readonly string[] = [
  'Until three of your posts are shown, you are new: at most 2 links and 2 mentions in a post, and posts with links wait for a moderator.',
  'In your first 24 hours: 3 threads and 10 replies.',
  'Between two threads 2 minutes, between two replies 30 seconds; later 15 and 5 seconds.',
  'Everybody: 20 threads, 50 likes and 20 reports a day, and no text twice within 5 minutes.',
];
