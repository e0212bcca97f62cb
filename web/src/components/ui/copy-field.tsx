import { Check, Copy } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { copyText } from '@/lib/browser/clipboard';
import { cx } from '@/lib/cx';
import { toast, toastError } from '@/stores/toasts';
import { Button } from './button';
import { useMoreBeside } from './scroll-edges';

interface CopyProps {
  readonly text: string;
  readonly label: string;
  /** The button's text, where two buttons are side by side. */
  readonly shows?: string;
  /** No label on a phone, where the copied text needs the space. */
  readonly iconOnPhones?: boolean;
}

export function CopyButton({ text, label, shows = 'Copy', iconOnPhones = false }: CopyProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    copyText(text).then(
      () => {
        setCopied(true);
        toast('Copied!');
      },
      () => toastError('Failed to copy', 'Please try again.'),
    );
  };
  const Icon = copied ? Check : Copy;
  return (
    <Button size="sm" onClick={copy} aria-label={`Copy ${label}`}>
      <Icon aria-hidden className="size-3.5" />
      <span className={cx(iconOnPhones && 'max-sm:hidden')}>{copied ? 'Copied' : shows}</span>
    </Button>
  );
}

/** A value to copy: a key, a URL, a snippet. */
export function CopyField({
  label,
  value,
  multiline = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly multiline?: boolean;
}) {
  const code = useRef<HTMLElement>(null);
  useMoreBeside(code);
  return (
    <div role="group" aria-label={label} className="min-w-0">
      <div className="mb-1.5 flex items-center justify-between gap-3">
        <span className="font-medium">{label}</span>
        <CopyButton text={value} label={label} />
      </div>
      <code
        ref={code}
        role="group"
        aria-label="Value"
        tabIndex={0}
        className={cx(
          'block rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[0.8125rem]',
          multiline ? 'whitespace-pre-wrap break-words' : 'fades-sideways overflow-x-auto whitespace-nowrap',
        )}
      >
        {value}
      </code>
    </div>
  );
}
