// Two editors at once: what was saved elsewhere is newer than what this one began with.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import type { Latest } from '../hooks/use-document';
import { differencesOf } from '../lib/compare';
import type { PageDocument, SiteDocument } from '../lib/document';
import { siteDifferences } from '../lib/site-compare';

interface Choice<T> {
  readonly mine: T;
  /** The latest version on the server. */
  readonly read: () => Promise<Latest<T>>;
  readonly onKeepMine: (latest: Latest<T>) => void;
  readonly onTakeTheirs: (latest: Latest<T>) => void;
}

export const PageConflict = (props: Choice<PageDocument>) => (
  <Conflict what="page" {...props} differences={(theirs) => differencesOf(props.mine, theirs)} />
);

export const SiteConflict = (props: Choice<SiteDocument>) => (
  <Conflict what="site" {...props} differences={(theirs) => siteDifferences(props.mine, theirs)} />
);

interface Props<T> extends Choice<T> {
  readonly what: string;
  readonly differences: (theirs: T) => readonly { readonly name: string; readonly what: string }[];
}

function Conflict<T>({ what, read, differences, onKeepMine, onTakeTheirs }: Props<T>) {
  const [comparing, setComparing] = useState(false);
  const latest = useQuery({ queryKey: ['sites', 'conflict', what], queryFn: read, staleTime: 0, gcTime: 0 });
  const { data } = latest;
  const decide = (act: (latest: Latest<T>) => void) => {
    setComparing(false);
    if (data) act(data);
  };
  const choices = (
    <>
      <Button size="sm" variant="primary" disabled={!data} onClick={() => decide(onKeepMine)}>
        Keep mine
      </Button>
      <Button size="sm" disabled={!data} onClick={() => decide(onTakeTheirs)}>
        Take theirs
      </Button>
    </>
  );
  return (
    <div role="alert" className="flex flex-col gap-3 rounded-lg border border-line bg-warn-soft px-4 py-3 text-warn">
      <p>{`This ${what} was changed in another window or by another person. Your changes are stored in this browser.`}</p>
      {latest.error && <ErrorBox error={latest.error} onRetry={() => void latest.refetch()} />}
      <div className="flex flex-wrap gap-2">
        {choices}
        <Button size="sm" disabled={!data} onClick={() => setComparing(true)}>
          Compare
        </Button>
      </div>
      {comparing && data && (
        <Dialog
          open
          onOpenChange={setComparing}
          title="Compare both versions"
          description="Keep mine saves your version over theirs. Take theirs can be undone."
        >
          <Differences found={differences(data.value)} />
          <div className="mt-4 flex justify-end gap-2">{choices}</div>
        </Dialog>
      )}
    </div>
  );
}

function Differences({ found }: { readonly found: readonly { readonly name: string; readonly what: string }[] }) {
  if (found.length === 0) return <p>Both versions have the same content.</p>;
  return (
    <ul aria-label="Differences" className="flex flex-col divide-y divide-line">
      {found.map(({ name, what }, index) => (
        <li key={index} className="flex items-baseline justify-between gap-4 py-2">
          <span className="min-w-0 break-words">{name}</span>
          <span className="shrink-0 text-[0.8125rem] text-muted">{what}</span>
        </li>
      ))}
    </ul>
  );
}
