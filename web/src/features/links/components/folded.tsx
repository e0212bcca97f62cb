import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** What is set in it, in a few words. */
  readonly summary: string;
  readonly open: boolean;
  readonly onToggle: (open: boolean) => void;
  readonly children: ReactNode;
}

/** A part of a form that is folded until it is needed. */
export function Folded({ title, summary, open, onToggle, children }: Props) {
  return (
    <details
      open={open}
      className="group rounded-lg border border-line"
      onToggle={(event) => onToggle(event.currentTarget.open)}
    >
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-lg px-3.5 py-2.5 font-medium select-none">
        <ChevronRight aria-hidden className="size-4 shrink-0 transition-transform group-open:rotate-90" />
        {title}
        {summary && <span className="truncate text-[0.8125rem] font-normal text-muted">{summary}</span>}
      </summary>
      <div className="flex flex-col gap-4 border-t border-line p-3.5">{children}</div>
    </details>
  );
}
