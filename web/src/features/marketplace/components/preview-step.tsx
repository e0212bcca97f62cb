import { Send } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Ask } from './action-confirmation';
import type { Faults } from '../lib/draft';
import { imageUrl } from './images-step';
import { ListingCard } from './listing-card';
import type { ListingFields, ListingInFull } from '../lib/types';

interface Props {
  readonly listing: ListingInFull;
  readonly fields: ListingFields;
  readonly images: readonly string[];
  readonly missing: Faults;
  readonly onField: (name: string) => void;
  /** null: it was submitted already. */
  readonly submit: { readonly mutate: () => void; readonly isPending: boolean; readonly error: Error | null } | null;
}

export function PreviewStep({ listing, fields, images, missing, onField, submit }: Props) {
  const [asking, setAsking] = useState(false);
  const lacks = Object.entries(missing);
  const [first] = images;
  return (
    <div className="grid items-start gap-6 md:grid-cols-2">
      <div className="max-w-sm">
        <ListingCard listing={{ ...listing, ...fields, image: first ? imageUrl(first) : null }} />
      </div>
      <div className="flex flex-col gap-4">
        <p className="break-words whitespace-pre-wrap">{fields.description || 'No description yet.'}</p>
        {lacks.length > 0 && (
          <div className="rounded-lg bg-warn-soft p-4 text-warn">
            <p className="font-medium">Complete before submitting:</p>
            <ul aria-label="Missing information" className="mt-2 flex flex-col gap-1">
              {lacks.map(([name, message]) => (
                <li key={name}>
                  <button type="button" className="text-left underline" onClick={() => onField(name)}>
                    {message}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        )}
        {submit && (
          <Button
            variant="primary"
            size="lg"
            className="self-start"
            disabled={lacks.length > 0}
            onClick={() => setAsking(true)}
          >
            <Send aria-hidden className="size-4" />
            Submit for review
          </Button>
        )}
      </div>
      {asking && submit && (
        <Ask
          title="Submit this listing?"
          action="Submit for review"
          doing={submit}
          onConfirm={submit.mutate}
          onClose={() => setAsking(false)}
          description="An admin reviews it. Once approved, it is online for 90 days and members can make offers."
        />
      )}
    </div>
  );
}
