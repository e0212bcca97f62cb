import { useState } from 'react';
import { PostbackDialog } from '@/components/partners/postback-url';
import { Button } from '@/components/ui/button';
import type { Explanation, Website } from '@/lib/api/types';
import type { MissingClick } from '../api/assignment';
import { causeOf, fixOf } from '../lib/missing-click';
import { AssignForm } from './assign-form';

interface Props {
  readonly missing: MissingClick;
  readonly conversion: Explanation['conversion'];
  readonly website: Website;
  readonly at: (time: string) => string;
  readonly onAssigned: () => void;
}

/** Why an unattributed sale has no click, how to fix that for the next ones, and a form that assigns this one. */
export function MissingClickPart({ missing, conversion, website, at, onAssigned }: Props) {
  const [shown, setShown] = useState<'postback' | 'assign' | null>(null);
  const { steps, postback } = fixOf(missing);
  const canAssign = conversion.status === 'pending' || conversion.status === 'approved';
  return (
    <section aria-labelledby="missing-click" className="rounded-lg border border-line p-4">
      <h3 id="missing-click" className="font-semibold">
        No matching click found
      </h3>
      <p className="mt-1 break-words">{causeOf(missing, at)} So no commission is credited.</p>
      <h4 className="mt-3 font-medium">How to fix this</h4>
      <ol className="mt-1 list-decimal pl-5 text-muted">
        {steps.map((step, index) => (
          <li key={index}>{step}</li>
        ))}
      </ol>
      <div className="mt-3 flex flex-wrap gap-2">
        {canAssign && shown !== 'assign' && (
          <Button size="sm" variant="primary" onClick={() => setShown('assign')}>
            Assign by hand
          </Button>
        )}
        {postback && (
          <Button size="sm" onClick={() => setShown('postback')}>
            Show postback URL
          </Button>
        )}
      </div>
      {shown === 'assign' && (
        <AssignForm
          conversion={conversion}
          website={website}
          partnerId={missing.partnerId ?? ''}
          at={at}
          onClose={() => setShown(null)}
          onAssigned={onAssigned}
        />
      )}
      {shown === 'postback' && (
        <PostbackDialog
          website={website}
          {...(missing.partnerId ? { partnerId: missing.partnerId } : {})}
          onClose={() => setShown(null)}
        />
      )}
    </section>
  );
}
