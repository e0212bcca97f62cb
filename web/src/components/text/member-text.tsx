// What people wrote, as Markdown. Reading it takes more code than a page may cost: until that is there, or where it cannot
// be fetched, the text is shown as it was written.
import { lazy, startTransition, Suspense, useEffect, useState } from 'react';
import { whenIdle } from '@/lib/browser/idle';
import { Boundary } from '../data/boundary';
import type { Mention } from './markdown-tree';

type Module = typeof import('./markdown');
let loaded: Module | null = null;

export const loadMarkdown = async (): Promise<Module> => (loaded = await import('./markdown'));
/** Drawn when the page is idle: the text can be read, and drawing it is long work. */
const LateMarkdown = lazy(async () => {
  const { Markdown } = await loadMarkdown();
  await new Promise<void>(whenIdle);
  return { default: Markdown };
});

interface Props {
  readonly text: string;
  /** Whom "@handle" leads to. */
  readonly mentions?: readonly Mention[];
  /** Below the first view: as it was written until the page is idle. */
  readonly later?: boolean;
}

export function MemberText({ text, mentions = [], later = false }: Props) {
  const [waits, setWaits] = useState(later);
  useEffect(() => (waits ? whenIdle(() => startTransition(() => setWaits(false))) : undefined), [waits]);
  // Once it is there, nothing waits: not even for the microtask that lazy() takes, after which all would be drawn again.
  const [Markdown] = useState(() => loaded?.Markdown ?? LateMarkdown);
  const plain = <p className="break-words whitespace-pre-wrap">{text}</p>;
  if (waits) return plain;
  return (
    <Boundary key={text} fallback={plain}>
      <Suspense fallback={plain}>
        <Markdown text={text} mentions={mentions} />
      </Suspense>
    </Boundary>
  );
}
