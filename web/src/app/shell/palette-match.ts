// Which entries of the palette match what is typed: every word has to be in the title or among the other words for it.

export interface Entry {
  readonly title: string;
  /** Other words that people look for it by. */
  readonly words?: string;
}

/** The matching entries, the best first. Nothing typed: all of them. */
export function matching<T extends Entry>(entries: readonly T[], typed: string): readonly T[] {
  const words = wordsOf(typed);
  if (words.length === 0) return entries;
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

function scoreOf({ title, words = '' }: Entry, typed: readonly string[]): number {
  const [name, others] = [plain(title), plain(words)];
  let score = name === typed.join(' ') ? 10 : 0;
  for (const word of typed) {
    if (name.startsWith(word)) score += 4;
    else if (beginsWord(name, word)) score += 3;
    else if (beginsWord(others, word)) score += 2;
    else if (name.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

const beginsWord = (text: string, word: string): boolean => ` ${text}`.includes(` ${word}`);
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
const wordsOf = (typed: string): readonly string[] => plain(typed).split(' ').filter(Boolean);
