import { Download } from 'lucide-react';
import { useState } from 'react';
import { buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { TextField } from '@/components/ui/field';
import type { Website } from '@/lib/api/types';
import { addDays, todayIn } from '@/lib/dates';
import { uploadFile, type Destination, type FileKind } from '../api/destinations';
import { labelOf } from '../lib/platforms';

interface Props {
  readonly destination: Destination;
  readonly website: Pick<Website, 'timezone'>;
}

const FILES: readonly (readonly [FileKind, string])[] = [
  ['conversions', 'Conversions'],
  ['corrections', 'Corrections'],
];

/** Files of conversions, and of their later amounts and retractions, to upload to the platform. */
export function UploadFilesCard({ destination, website }: Props) {
  const today = todayIn(website.timezone);
  const [from, setFrom] = useState(addDays(today, -6));
  const [to, setTo] = useState(today);
  const [first, last] = from <= to ? [from, to] : [to, from];
  const name = labelOf(destination);
  return (
    <Card
      title={`Files for ${name}`}
      description={
        destination.isAutomatic
          ? 'Conversions are sent automatically. The files also have those of before, which you upload yourself.'
          : `Upload conversions to ${name} first, then corrections. Each delivery is in the file of one day; uploading a file twice counts once.`
      }
    >
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="First day"
          type="date"
          min="1990-01-01"
          max={today}
          value={from}
          required
          onChange={(event) => event.target.value && setFrom(event.target.value)}
        />
        <TextField
          label="Last day"
          type="date"
          min="1990-01-01"
          max={today}
          value={to}
          required
          onChange={(event) => event.target.value && setTo(event.target.value)}
        />
        {FILES.map(([kind, label]) => (
          <a
            key={kind}
            className={buttonClass()}
            href={uploadFile(destination.id, first, last, kind)}
            download
            aria-label={`Download ${kind} for ${name}`}
          >
            <Download aria-hidden className="size-4" />
            {label}
          </a>
        ))}
      </div>
    </Card>
  );
}
