import { Download, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { downloadText } from '@/lib/files/download';
import { Button } from '../ui/button';
import { CopyButton } from '../ui/copy-field';
import { Check } from '../ui/check';

interface Props {
  readonly codes: readonly string[];
  readonly onSaved: () => void;
}

/** Ten codes, shown once. "Continue" is enabled after the user confirms saving them. */
export function RecoveryCodes({ codes, onSaved }: Props) {
  const [saved, setSaved] = useState(false);
  const text = codes.join('\n');
  return (
    <div className="flex flex-col gap-4">
      <p className="flex items-start gap-2 rounded-lg bg-warn-soft px-3 py-2.5 text-warn">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        These recovery codes are shown only once. Each one works once if you lose your authenticator.
      </p>
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-[repeat(auto-fill,minmax(13rem,1fr))] gap-x-4 gap-y-1 rounded-lg border border-line bg-sunken px-3 py-2.5 font-mono text-[0.8125rem]"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label="recovery codes" />
        <Button size="sm" onClick={() => downloadText('althing-recovery-codes.txt', `${text}\n`)}>
          <Download aria-hidden className="size-3.5" />
          Download
        </Button>
      </div>
      <Check label="I have saved them" checked={saved} onChange={setSaved} />
      <Button variant="primary" size="lg" disabled={!saved} onClick={onSaved}>
        Continue
      </Button>
    </div>
  );
}
