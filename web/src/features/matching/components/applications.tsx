import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { opened } from '@/components/data/opened';
import { ErrorBox } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { applicationsQuery, type Application } from '../api/matching';
import { STATUSES, trackedLink } from '../lib/labels';

const UpdateDialog = opened(() => import('./update-dialog').then((module) => module.UpdateDialog));

/** The member's applications with status and history; hidden while there are none. */
export function ApplicationsCard() {
  const found = useQuery(applicationsQuery);
  const [open, setOpen] = useState<Application | null>(null);
  if (found.error && !found.data)
    return (
      <ErrorBox
        className="mt-8"
        error={found.error}
        prefix="Error loading your applications"
        onRetry={() => void found.refetch()}
      />
    );
  if (!found.data || found.data.length === 0) return null;
  return (
    <Card title="Your applications" description="Track the status of your applications." className="mt-8">
      <ul className="flex flex-col divide-y divide-line">
        {found.data.map((item) => (
          <li key={item.id} className="py-4 first:pt-0 last:pb-0">
            <Followed item={item} onUpdate={() => setOpen(item)} />
          </li>
        ))}
      </ul>
      {open && <UpdateDialog item={open} onClose={() => setOpen(null)} />}
    </Card>
  );
}

function Followed({ item, onUpdate }: { readonly item: Application; readonly onUpdate: () => void }) {
  const zone = browserTimezone();
  const status = STATUSES[item.status];
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-52">
          <h3 className="font-semibold">{item.companyName}</h3>
          <p className="text-[0.8125rem] text-muted">
            {`${item.category} · applied ${formatZoned(item.appliedAt, zone)} · page opened ${item.visits} ${item.visits === 1 ? 'time' : 'times'}`}
            {item.programRetired && ' · no longer in the directory'}
          </p>
        </div>
        <Badge tone={status.tone}>{status.label}</Badge>
        <Button size="sm" aria-label={`Update the application to ${item.companyName}`} onClick={onUpdate}>
          Update
        </Button>
        <a
          href={trackedLink(item.id)}
          target="_blank"
          rel="noopener"
          className={buttonClass({ size: 'sm', variant: 'ghost' })}
          aria-label={`Open page of ${item.companyName}`}
        >
          Open page
        </a>
      </div>
      <details className="mt-1.5">
        <summary className="cursor-pointer text-[0.8125rem] font-medium text-muted">History ({item.steps})</summary>
        {item.steps > item.history.length && (
          <p className="mt-2 text-[0.8125rem] text-muted">Latest {item.history.length}:</p>
        )}
        <ol className="mt-2 flex flex-col gap-1.5 border-l border-line pl-3">
          {item.history.map((step, index) => (
            <li key={`${step.at}-${index}`}>
              <span className="font-medium">{STATUSES[step.status].label}</span>{' '}
              <span className="text-muted">{formatZoned(step.at, zone)}</span>
              {step.note && <p className="break-words whitespace-pre-line">{step.note}</p>}
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}
