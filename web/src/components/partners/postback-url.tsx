import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Boundary } from '@/components/data/boundary';
import { Button } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { Partner, Website, WebsiteKey } from '@/lib/api/types';
import { copyText } from '@/lib/browser/clipboard';
import { postbackHint, postbackUrl } from '@/lib/networks/postback';
import { aboutQuery, keysQuery, newestLinksQuery } from '@/lib/api/setup-queries';
import { createPostbackKey, revealPostbackKey } from '@/lib/api/shared-commands';
import { partnersQuery } from '@/lib/api/shared-queries';
import { toast, toastError } from '@/stores/toasts';
import { ErrorBox, Skeleton } from '@/components/data/states';

const TestConversion = lazy(() => import('./test-conversion').then((module) => ({ default: module.TestConversion })));

interface Props {
  readonly website: Pick<Website, 'id' | 'domain'> & Partial<Pick<Website, 'currency'>>;
  /** The token as it was just made; else it is read again when it is copied. */
  readonly token?: string;
  /** The token to show first. */
  readonly keyId?: string;
  /** The partner to show first. */
  readonly partnerId?: string;
}

/** The whole address that a partner's network calls when it has a sale to report. */
export function PostbackUrl({ website, token, keyId, partnerId }: Props) {
  const about = useQuery(aboutQuery);
  const partners = useQuery(partnersQuery);
  const [chosen, setChosen] = useState(partnerId ?? '');
  const failed = about.error ?? partners.error;
  if (failed)
    return <ErrorBox error={failed} onRetry={() => void Promise.all([about.refetch(), partners.refetch()])} />;
  if (!about.data || !partners.data) return <Skeleton className="h-44" />;
  const active = partners.data.filter((partner) => partner.isActive);
  const partner = active.find((item) => item.id === chosen) ?? active[0];
  if (!partner)
    return <p className="text-[0.8125rem] text-muted">Once a partner exists, its postback URL appears here.</p>;
  const urlWith = (secret: string) =>
    postbackUrl(about.data.trackingUrl, partner.slug, partner.postbackPreset ?? null, secret, website.currency);
  return (
    <section aria-label="Postback URL" className="flex min-w-0 flex-col gap-3">
      <SelectField label="Partner" value={partner.id} onChange={(event) => setChosen(event.target.value)}>
        {active.map((item) => (
          <option key={item.id} value={item.id}>
            {item.name}
          </option>
        ))}
      </SelectField>
      {token ? (
        <CopyField label="Postback URL for the network" value={urlWith(token)} multiline />
      ) : (
        <StoredToken website={website} keyId={keyId} urlWith={urlWith} />
      )}
      <p className="text-[0.8125rem] text-muted">{postbackHint(partner.postbackPreset ?? null)}</p>
      {!token && <TestOfPartner key={partner.id} website={website} partner={partner} />}
    </section>
  );
}

/** The test conversion goes through the newest link to the partner that works. */
function TestOfPartner({ website, partner }: { readonly website: Props['website']; readonly partner: Partner }) {
  const links = useQuery(newestLinksQuery(website.id, partner.id));
  const link = links.data?.find((item) => item.isActive);
  if (!links.data) return null; // the URL is what the dialog is for
  return (
    <Boundary fallback={null}>
      <Suspense fallback={null}>
        <div className="border-t border-line pt-3">
          {link ? (
            <TestConversion link={link.id} />
          ) : (
            <p className="text-[0.8125rem] text-muted">
              Create a link to {partner.name} to send a test conversion through it.
            </p>
          )}
        </div>
      </Suspense>
    </Boundary>
  );
}

export function PostbackDialog({ onClose, ...rest }: Props & { readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Postback URL"
      description={`Paste this URL at the partner’s network to report sales of ${rest.website.domain}.`}
    >
      <PostbackUrl {...rest} />
    </Dialog>
  );
}

interface StoredProps {
  readonly website: Pick<Website, 'id' | 'domain'>;
  readonly keyId: string | undefined;
  readonly urlWith: (secret: string) => string;
}

/** A token is read, and the audit trail says so, when its URL is copied. */
function StoredToken({ website, keyId, urlWith }: StoredProps) {
  const keys = useQuery(keysQuery(website.id));
  const [chosen, setChosen] = useState(keyId ?? '');
  const create = useCommand(createPostbackKey(website.id));
  const reveal = useCommand(revealPostbackKey(website.id));
  if (keys.error) return <ErrorBox error={keys.error} onRetry={() => void keys.refetch()} />;
  if (!keys.data) return <Skeleton className="h-24" />;
  const stored = keys.data.filter((key) => key.kind === 'postback' && key.isReadable && !key.revokedAt).toReversed();
  const key = stored.find((item) => item.id === chosen) ?? stored[0];
  if (!key)
    return (
      <div className="flex flex-col items-start gap-2 rounded-lg bg-sunken p-3">
        <p className="text-[0.8125rem] text-muted">
          {website.domain} has no postback token that can be shown again. Tokens that are in use keep working.
        </p>
        <Button size="sm" variant="primary" busy={create.isPending} onClick={() => create.mutate()}>
          Create a token
        </Button>
      </div>
    );
  const copy = () =>
    reveal.mutate(key.id, {
      onSuccess: ({ token }) => {
        copyText(urlWith(token)).then(
          () => toast('Postback URL copied'),
          () => toastError('Failed to copy', 'Please try again.'),
        );
      },
    });
  return (
    <>
      {stored.length > 1 && (
        <SelectField label="Token" value={key.id} onChange={(event) => setChosen(event.target.value)}>
          {stored.map((item) => (
            <option key={item.id} value={item.id}>
              {tokenName(item)}
            </option>
          ))}
        </SelectField>
      )}
      <div role="group" aria-label="Postback URL for the network" className="min-w-0">
        <div className="mb-1.5 flex items-center justify-between gap-3">
          <span className="font-medium">Postback URL for the network</span>
          <Button size="sm" variant="primary" busy={reveal.isPending} onClick={copy} aria-label="Copy postback URL">
            <Copy aria-hidden className="size-3.5" />
            Copy
          </Button>
        </div>
        <code
          role="group"
          aria-label="Value"
          tabIndex={0}
          className="block rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[0.8125rem] break-words whitespace-pre-wrap"
        >
          {urlWith(HIDDEN).replace(encodeURIComponent(HIDDEN), `pb_••••${key.last4}`)}
        </code>
        <p className="mt-1.5 text-[0.8125rem] text-muted">The token is hidden here. Copy gives the complete URL.</p>
      </div>
    </>
  );
}

const HIDDEN = 'HIDDEN';

/** "Awin (…9gmq)". */
export const tokenName = (key: Pick<WebsiteKey, 'name' | 'last4'>): string =>
  key.name ? `${key.name} (…${key.last4})` : `…${key.last4}`;
