import { useState } from 'react';
import { opened } from '@/components/data/opened';
import type { Insight } from '../api/insights';

const DismissDialog = opened(() => import('./dismiss-dialog').then((module) => module.DismissDialog));

/** Hides an insight, with the reason that is saved with it. */
export function DismissInsight({ websiteId, insight }: { readonly websiteId: string; readonly insight: Insight }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={`Dismiss: ${insight.title}`}
        className="min-h-6 rounded-md font-medium max-sm:min-h-10 underline-offset-4 hover:underline"
        onClick={() => setOpen(true)}
      >
        Dismiss
      </button>
      {open && <DismissDialog websiteId={websiteId} insight={insight} onClose={() => setOpen(false)} />}
    </>
  );
}
