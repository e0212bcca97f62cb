import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from '@/lib/cx';
import { useInView } from './in-view';
import { useMoreBeside } from './scroll-edges';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly content: ReactNode;
  readonly disabled?: boolean;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value?: string;
  readonly onChange?: (id: string) => void;
  /** `compact`: a quiet row inside a card. */
  readonly look?: keyof typeof LISTS;
  /** Only the content of the current tab is shown: it has begun something that must be finished first. */
  readonly bare?: boolean;
  /** Stands in the row of a compact list, or above it on a phone. */
  readonly before?: ReactNode;
}

export function Tabs({ label, tabs, value, onChange, look = 'line', bare = false, before }: Props) {
  const list = useInView<HTMLDivElement>('[data-state=active]', value ?? '');
  useMoreBeside(list);
  return (
    <Radix.Root
      {...(value === undefined ? { defaultValue: tabs[0]?.id ?? '' } : { value })}
      onValueChange={(id) => onChange?.(id)}
    >
      <Row before={before}>
        <Radix.List ref={list} aria-label={label} hidden={bare} className={bare ? 'hidden' : LISTS[look]}>
          {tabs.map((tab) => (
            <Radix.Trigger key={tab.id} value={tab.id} disabled={tab.disabled ?? false} className={TRIGGERS[look]}>
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </Row>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="rounded-lg focus-visible:outline-offset-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

function Row({ before, children }: { readonly before: ReactNode; readonly children: ReactNode }) {
  if (before === undefined) return children;
  return (
    <div className="mb-1 flex min-w-0 gap-x-4 max-sm:flex-col sm:items-center sm:pr-24">
      <div className="flex min-h-8 shrink-0 items-center max-sm:min-h-10">{before}</div>
      {children}
    </div>
  );
}

const base =
  'font-medium text-muted whitespace-nowrap transition-colors hover:text-text data-[state=active]:text-text disabled:cursor-not-allowed disabled:opacity-55 disabled:hover:text-muted';
const lineTab = cx(
  base,
  '-mb-px border-b-2 border-transparent px-3 py-2.5 data-[state=active]:border-brand focus-visible:-outline-offset-2',
);
const pillTab = cx(
  base,
  'flex-1 rounded-md px-3 py-1.5 max-sm:px-2 data-[state=active]:bg-surface data-[state=active]:shadow-card',
);
const compactTab = cx(
  base,
  'min-h-8 rounded-md px-2 text-[0.8125rem] data-[state=active]:bg-sunken focus-visible:-outline-offset-2 max-sm:min-h-10',
);
const TRIGGERS = { line: lineTab, pill: pillTab, compact: compactTab } as const;
const LISTS = {
  line: 'fades-sideways mb-6 flex gap-1 overflow-x-auto border-b border-line',
  pill: 'mb-5 flex gap-1 rounded-lg bg-sunken p-1',
  compact: 'fades-sideways flex min-w-0 gap-0.5 overflow-x-auto max-sm:-mx-2',
} as const;
