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
  readonly look?: 'line' | 'pill';
  /** Only the content of the current tab is shown: it has begun something that must be finished first. */
  readonly bare?: boolean;
}

export function Tabs({ label, tabs, value, onChange, look = 'line', bare = false }: Props) {
  const list = useInView<HTMLDivElement>('[data-state=active]', value ?? '');
  useMoreBeside(list);
  return (
    <Radix.Root
      {...(value === undefined ? { defaultValue: tabs[0]?.id ?? '' } : { value })}
      onValueChange={(id) => onChange?.(id)}
    >
      <Radix.List
        ref={list}
        aria-label={label}
        hidden={bare}
        className={cx(
          bare ? 'hidden' : 'flex gap-1',
          look === 'line'
            ? 'fades-sideways mb-6 overflow-x-auto border-b border-line'
            : 'mb-5 rounded-lg bg-sunken p-1',
        )}
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            disabled={tab.disabled ?? false}
            className={look === 'line' ? lineTab : pillTab}
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="rounded-lg focus-visible:outline-offset-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
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
