import { FileUp } from 'lucide-react';
import { useId, useState } from 'react';
import { cx } from '@/lib/cx';

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly accept: string;
  readonly file: File | null;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onChange: (file: File | null) => void;
}

/** A file that is dragged here or chosen. The input covers the whole area, so that the browser itself takes what is dropped. */
export function FileDrop({ label, hint, accept, file, error, disabled = false, onChange }: Props) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      <div
        className={cx(
          'relative flex flex-col items-center gap-1 rounded-lg border border-dashed px-4 py-6 text-center',
          'focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-brand',
          isOver ? 'border-brand bg-brand-soft' : error ? 'border-bad' : 'border-line-strong hover:bg-sunken',
        )}
      >
        <FileUp aria-hidden className="size-5 text-muted" />
        <p className="max-w-full font-medium wrap-anywhere">
          {file ? file.name : 'Drop the file here, or click to choose it'}
        </p>
        <p className="text-[0.8125rem] text-muted">{file ? sizeText(file.size) : 'No file chosen'}</p>
        <input
          id={id}
          type="file"
          accept={accept}
          disabled={disabled}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${error ? `${id}-error ` : ''}${id}-hint`}
          className="absolute inset-0 size-full cursor-pointer opacity-0 disabled:cursor-not-allowed"
          onDragEnter={() => setOver(true)}
          onDragLeave={() => setOver(false)}
          onDrop={() => setOver(false)}
          onChange={(event) => onChange(event.target.files?.[0] ?? null)}
        />
      </div>
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
      <p id={`${id}-hint`} className="mt-1.5 text-[0.8125rem] text-muted">
        {hint}
      </p>
    </div>
  );
}

const KILOBYTE = 1024;

/** "812 bytes", "14.2 kB", "3.1 MB". */
export function sizeText(bytes: number): string {
  if (bytes < KILOBYTE) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const [size, unit] = bytes < KILOBYTE ** 2 ? [bytes / KILOBYTE, 'kB'] : [bytes / KILOBYTE ** 2, 'MB'];
  return `${size.toFixed(1)} ${unit}`;
}
