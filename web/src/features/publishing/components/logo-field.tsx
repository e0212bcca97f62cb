// The logo of a site: an uploaded image in the header of every page and in the browser's tab.
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import type { Image } from '../lib/document';
import { imageUrl, UploadImage } from './image-field';

interface Props {
  readonly siteId: string;
  readonly value: Image | null;
  readonly error: string | undefined;
  readonly onChange: (logo: Image | null) => void;
}

export function LogoField({ siteId, value, error, onChange }: Props) {
  const [replacing, setReplacing] = useState(false);
  return (
    <fieldset className="min-w-0 rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">Logo</legend>
      <p className="mb-3 text-[0.8125rem] text-muted">
        In the header of each page and in the browser’s tab. A wide logo replaces the name, a square one is shown with
        it.
      </p>
      {error && (
        <p role="alert" className="mb-3 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
      {value === null || replacing ? (
        <UploadImage
          siteId={siteId}
          action="Upload logo"
          isDecorative
          onUse={(logo) => {
            setReplacing(false);
            onChange(logo);
          }}
        />
      ) : (
        <div className="flex flex-wrap items-center gap-3">
          <img
            src={imageUrl(value.hash)}
            alt="Logo"
            width={value.width}
            height={value.height}
            className="h-10 w-auto max-w-56 rounded-md border border-line bg-white object-contain p-1"
          />
          <Button size="sm" onClick={() => setReplacing(true)}>
            Replace
          </Button>
          <Button size="sm" onClick={() => onChange(null)}>
            Remove logo
          </Button>
        </div>
      )}
    </fieldset>
  );
}
