import { Link2, Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '@/components/ui/button';
import { copyText } from '@/lib/browser/clipboard';
import { toast, toastError } from '@/stores/toasts';

interface Props {
  /** What is shared; default: the page as it is shown. */
  readonly url?: string;
  readonly title: string;
  readonly description?: string;
  /** With words, or small and round. */
  readonly variant?: 'button' | 'icon';
}

/** 24 × 24, drawn with the colour of the text. */
const LOGOS = {
  Twitter:
    'M14.2 10.2 22.7 0.5h-2l-7.4 8.4L7.4 0.5H0.6l8.9 12.8-8.9 10.2h2l7.8-8.9 6.2 8.9h6.8zM11.4 13.3l-0.9-1.3L3.3 2h3.1l5.8 8.2 0.9 1.3 7.6 10.6h-3.1z',
  Facebook:
    'M24 12a12 12 0 1 0-13.9 11.9v-8.4h-3V12h3V9.4c0-3 1.8-4.7 4.5-4.7 1.3 0 2.7.2 2.7.2v3h-1.5c-1.5 0-2 .9-2 1.9V12h3.4l-.5 3.5h-2.8v8.4A12 12 0 0 0 24 12z',
  LinkedIn:
    'M20.4 20.5h-3.6v-5.6c0-1.3 0-3-1.8-3s-2.1 1.5-2.1 2.9v5.7H9.3V9h3.4v1.6h.1c.5-.9 1.6-1.9 3.4-1.9 3.6 0 4.3 2.4 4.3 5.5zM5.3 7.4a2.1 2.1 0 1 1 0-4.1 2.1 2.1 0 0 1 0 4.1zM7.1 20.5H3.6V9h3.6zM22.2 0H1.8C.8 0 0 .8 0 1.7v20.6c0 .9.8 1.7 1.8 1.7h20.4c1 0 1.8-.8 1.8-1.7V1.7C24 .8 23.2 0 22.2 0z',
} as const;
type Network = keyof typeof LOGOS;

/** Spec §7: a new window of 600 × 400, an email, or the copied link. */
export function ShareSection({ url, title, description = '', variant = 'button' }: Props) {
  const shared = () => url ?? window.location.href;
  const copy = () =>
    copyText(shared()).then(
      () => toast('Link copied!', 'The link has been copied to your clipboard.'),
      () => toastError('Failed to copy', 'Please try again.'),
    );
  const look = variant === 'icon' ? buttonClass({ variant: 'ghost', size: 'icon' }) : buttonClass();
  const inside = (icon: ReactNode, words: string) => (
    <>
      {icon}
      <span className={variant === 'icon' ? 'sr-only' : undefined}>{words}</span>
    </>
  );
  return (
    <div role="group" aria-label="Share" className="flex flex-wrap items-center justify-center gap-2">
      {(Object.keys(LOGOS) as Network[]).map((network) => (
        <button
          key={network}
          type="button"
          className={look}
          onClick={() => openWindow(addressOf(network, { url: shared(), title, description }))}
        >
          {inside(
            <svg aria-hidden viewBox="0 0 24 24" className="size-4 fill-current">
              <path d={LOGOS[network]} />
            </svg>,
            variant === 'icon' ? `Share on ${network}` : network,
          )}
        </button>
      ))}
      <a className={look} href={mailOf({ url: shared(), title, description })}>
        {inside(<Mail aria-hidden className="size-4" />, variant === 'icon' ? 'Share by email' : 'Email')}
      </a>
      <button type="button" className={look} onClick={() => void copy()}>
        {inside(<Link2 aria-hidden className="size-4" />, variant === 'icon' ? 'Copy link' : 'Copy Link')}
      </button>
    </div>
  );
}

interface Shared {
  readonly url: string;
  readonly title: string;
  readonly description: string;
}

function addressOf(network: Network, { url, title, description }: Shared): string {
  if (network === 'Twitter') return `https://twitter.com/intent/tweet?${query({ url, text: title })}`;
  if (network === 'Facebook') return `https://www.facebook.com/sharer/sharer.php?${query({ u: url })}`;
  return `https://www.linkedin.com/shareArticle?${query({ mini: 'true', url, title, summary: description })}`;
}

const mailOf = ({ url, title, description }: Shared): string =>
  `mailto:?${query({ subject: title, body: description ? `${description}\n\n${url}` : url })}`;

/** Spaces as %20: email programs show a plus sign literally. */
const query = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** The network's page gets no opener and no referrer. */
const openWindow = (address: string): void =>
  void window.open(address, '_blank', 'noopener,noreferrer,width=600,height=400');
