// An uploaded image with the text that says what it shows. An image is not used before it has one, or is decorative.
import { ImagePlus } from 'lucide-react';
import { useRef, useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { uploadImage } from '../api/sites';
import type { Image } from '../lib/document';
import { useFault } from './block-context';

const KINDS = ['image/jpeg', 'image/png', 'image/webp'];
const MAX_MB = 5;
const NEEDS_ALT = 'Say what the image shows, or mark it as decorative.';

export const imageUrl = (hash: string): string => `/api/platform/sites/images/${hash}`;

export function faultOfFile(file: File): string | null {
  if (!KINDS.includes(file.type)) return `“${file.name}” is not a JPEG, PNG or WebP image.`;
  return file.size > MAX_MB * 1024 * 1024 ? `“${file.name}” is larger than ${MAX_MB} MB.` : null;
}

interface UploadProps {
  readonly siteId: string;
  readonly action: string;
  /** What the image shows is said by the text beside it: it is used as it comes. */
  readonly isDecorative?: boolean;
  readonly onUse: (image: Image) => void;
}

/** Chooses a file, uploads it, and requires a description. */
export function UploadImage({ siteId, action, isDecorative = false, onUse }: UploadProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [pending, setPending] = useState<Image | null>(null);
  const uploading = uploadImage(siteId);
  const upload = useCommand(
    {
      ...uploading,
      send: (file) => {
        const fault = faultOfFile(file);
        return fault ? Promise.reject(new Error(fault)) : uploading.send(file);
      },
    },
    {
      onSuccess: ({ hash, width, height }) =>
        (isDecorative ? onUse : setPending)({ hash, width, height, alt: '', is_decorative: isDecorative }),
    },
  );
  const isDescribed = pending !== null && (pending.alt.trim() !== '' || pending.is_decorative);
  return (
    <div className="flex flex-col items-start gap-3">
      <input
        ref={picker}
        type="file"
        accept={KINDS.join(',')}
        className="sr-only"
        aria-label="Image file"
        tabIndex={-1}
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file) upload.mutate(file);
        }}
      />
      {!pending && (
        <Button busy={upload.isPending} onClick={() => picker.current?.click()}>
          <ImagePlus aria-hidden className="size-4" />
          {upload.isPending ? 'Uploading…' : action}
        </Button>
      )}
      {!pending && <p className="text-[0.8125rem] text-muted">{`JPEG, PNG or WebP of at most ${MAX_MB} MB`}</p>}
      {upload.error && <ErrorBox className="self-stretch" error={upload.error} />}
      {pending && (
        <>
          <Described image={pending} onChange={setPending} error={undefined} />
          <Button
            variant="primary"
            disabled={!isDescribed}
            onClick={() => {
              onUse({ ...pending, alt: pending.is_decorative ? '' : pending.alt.trim() });
              setPending(null);
            }}
          >
            Use image
          </Button>
        </>
      )}
    </div>
  );
}

interface Props {
  readonly siteId: string;
  readonly path: string;
  readonly value: Image | null;
  readonly onChange: (image: Image | null) => void;
  /** It cannot be removed, only replaced. */
  readonly isNeeded?: boolean;
}

export function ImageField({ siteId, path, value, onChange, isNeeded = false }: Props) {
  const [replacing, setReplacing] = useState(false);
  const fault = useFault(path);
  return (
    <fieldset className="min-w-0 rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">Image</legend>
      {value === null || replacing ? (
        <UploadImage
          siteId={siteId}
          action="Upload image"
          onUse={(image) => {
            setReplacing(false);
            onChange(image);
          }}
        />
      ) : (
        <div className="flex flex-col items-start gap-3">
          <Described image={value} onChange={onChange} error={fault} />
          <div className="flex gap-2">
            <Button size="sm" onClick={() => setReplacing(true)}>
              Replace
            </Button>
            {!isNeeded && (
              <Button size="sm" onClick={() => onChange(null)}>
                Remove image
              </Button>
            )}
          </div>
        </div>
      )}
    </fieldset>
  );
}

interface DescribedProps {
  readonly image: Image;
  readonly onChange: (image: Image) => void;
  readonly error: string | undefined;
}

function Described({ image, onChange, error }: DescribedProps) {
  const isMissing = image.alt.trim() === '' && !image.is_decorative;
  return (
    <div className="flex w-full flex-col gap-3">
      <img
        src={imageUrl(image.hash)}
        alt=""
        width={image.width}
        height={image.height}
        className="max-h-40 w-auto self-start rounded-lg border border-line bg-sunken object-contain"
      />
      <TextField
        label="Alt text"
        hint="What the image shows, for people who cannot see it"
        value={image.alt}
        maxLength={250}
        disabled={image.is_decorative}
        error={isMissing ? NEEDS_ALT : error}
        onChange={(event) => onChange({ ...image, alt: event.target.value })}
      />
      <Check
        label="Decorative: it adds no information"
        checked={image.is_decorative}
        onChange={(is_decorative) => onChange({ ...image, is_decorative, alt: is_decorative ? '' : image.alt })}
      />
    </div>
  );
}
