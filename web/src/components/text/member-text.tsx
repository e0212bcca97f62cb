// What people wrote, as Markdown. Reading it takes more code than a page may cost: until that is there, or where it cannot
// be fetched, the text is shown as it was written.
import { lazy, Suspense } from 'react';
import { Boundary } from '../data/boundary';
import type { Mention } from './markdown-tree';

export const loadMarkdown = () => import('./markdown');
const Markdown = lazy(() => loadMarkdown().then((module) => ({ default: module.Markdown })));

interface Props {
  readonly text: string;
  /** Whom "@handle" leads to. */
  readonly mentions?: readonly Mention[];
}

export function MemberText({ text, mentions = [] }: Props) {
  const plain = <p className="break-words whitespace-pre-wrap">{text}</p>;
  return (
    <Boundary key={text} fallback={plain}>
      <Suspense fallback={plain}>
        <Markdown text={text} mentions={mentions} />
      </Suspense>
    </Boundary>
  );
}
