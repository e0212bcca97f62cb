import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { NewPartner } from '@/components/partners/new-partner';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { addressFrom, hostOf } from '@/lib/url/address';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { Link, NewLink, Partner, Website } from '@/lib/api/types';
import { copyText } from '@/lib/browser/clipboard';
import { aboutQuery } from '@/lib/api/setup-queries';
import { toast } from '@/stores/toasts';
import { DestinationField } from './destination-field';
import { Folded } from './folded';
import { FormDialog } from './form-dialog';
import { LinkFields } from './link-fields';
import { UtmFields } from './utm-fields';
import { createLink } from '../api/links';
import { NO_UTM, partnersAt, slugFrom, UTM, withUtm } from '../lib/creation';
import { creationOf, draftOf, EMPTY_DRAFT } from '../lib/draft';

interface Props {
  /** With more than one there is a choice. */
  readonly websites: readonly Website[];
  readonly partners: UseQueryResult<Partner[]>;
  /** A link to begin with: all but its slug and coupon, which no other may have. */
  readonly like?: Link;
  /** A partner and a destination to begin with; the partner is recognized from the destination if null. */
  readonly begin?: { readonly partnerId: string | null; readonly destination: string };
  readonly onClose: () => void;
}

/** Destination and Enter make a link and copy it; everything else is optional. */
export function CreateLink({ websites, partners, like, begin, onClose }: Props) {
  const about = useQuery(aboutQuery);
  const [begun] = useState(() => ({
    draft: like ? { ...draftOf(like), coupon: '' } : { ...EMPTY_DRAFT, destination: begin?.destination ?? '' },
    websiteId: like?.websiteId ?? (websites.length === 1 ? (websites[0]?.id ?? '') : ''),
  }));
  const [websiteId, setWebsiteId] = useState(begun.websiteId);
  const [chosen, setChosen] = useState(like?.partnerId ?? begin?.partnerId ?? '');
  const [slug, setSlug] = useState('');
  const [draft, setDraft] = useState(begun.draft);
  const [utm, setUtm] = useState(NO_UTM);
  const [open, setOpen] = useState({ utm: false, more: false });
  const [tried, setTried] = useState(false);
  const [adding, setAdding] = useState(false);
  const [uncopied, setUncopied] = useState<NewLink | null>(null);
  const active = partners.data?.filter((partner) => partner.isActive) ?? [];
  const found = partnersAt(draft.destination, active);
  const partner =
    active.find((item) => item.id === chosen) ??
    (found.length === 1 ? found[0] : active.length === 1 && draft.destination === '' ? active[0] : undefined);
  const destination = withUtm(addressFrom(draft.destination) || (partner?.baseUrl ?? ''), utm);
  const hasUtm = UTM.some((name) => utm[name].trim() !== '');
  const name = slugFrom(slug);
  const create = useCommand(createLink, {
    onSuccess: async (link) => {
      const copied = await copyText(link.url).then(
        () => true,
        () => false,
      );
      if (!copied) return setUncopied(link);
      toast('Link created and copied', link.url);
      onClose();
    },
    onError: (error) => {
      // A refused field that is folded away could not be corrected.
      if (error instanceof ApiError && Object.keys(error.fields).some((field) => !VISIBLE.has(field)))
        setOpen((now) => ({ ...now, more: true }));
    },
  });
  const fields = create.error instanceof ApiError ? create.error.fields : {};
  const only = websites.length === 1 ? websites[0] : undefined;
  const isDirty = draft !== begun.draft || slug !== '' || hasUtm || websiteId !== begun.websiteId;
  if (uncopied)
    return (
      <Dialog open onOpenChange={(next) => !next && onClose()} title="Link created" description="Copy it from here.">
        <div className="flex flex-col gap-4">
          <CopyField label="Link address" value={uncopied.url} />
          <Button variant="primary" className="self-end" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  return (
    <FormDialog
      title="Create link"
      description={`New tracked link for ${only ? only.domain : 'a website'}`}
      isDirty={isDirty}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (partner && websiteId)
          create.mutate({
            websiteId,
            partnerId: partner.id,
            ...creationOf({ ...draft, destination: draft.destination.trim() || hasUtm ? destination : '' }),
            ...(name ? { slug: name } : {}),
          });
      }}
      footer={
        <>
          <p className="mr-auto min-w-0 truncate font-mono text-[0.8125rem]" aria-live="polite">
            <span className="sr-only">Preview: </span>
            {about.data && addressOf(about.data.trackingUrl, name)}
          </p>
          <Button type="submit" variant="primary" busy={create.isPending} disabled={adding}>
            Create link
          </Button>
        </>
      }
    >
      {partners.error && <ErrorBox error={partners.error} onRetry={() => void partners.refetch()} />}
      <DestinationField
        isNew
        value={draft.destination}
        onChange={(next) => setDraft({ ...draft, destination: next })}
        error={fields['destination']}
        partner={partner}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Partner"
          value={partner?.id ?? ''}
          onChange={(event) => setChosen(event.target.value)}
          error={fields['partnerId'] ?? (tried && !partner ? 'Choose the partner of this link' : undefined)}
          hint={
            <>
              {partner && partner.id !== chosen && found.length === 1 && 'Recognized from the destination. '}
              <button
                type="button"
                className="font-medium text-brand hover:underline"
                aria-expanded={adding}
                onClick={() => setAdding(true)}
              >
                Add a partner
              </button>
            </>
          }
        >
          <option value="">Choose…</option>
          {(found.length > 1 && (!partner || found.includes(partner)) ? found : active).map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
              {item.isPrivate && ' (private)'}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Slug (optional)"
          autoComplete="off"
          value={slug}
          onChange={(event) => setSlug(event.target.value)}
          onBlur={() => setSlug(name)}
          error={fields['slug']}
          hint="Last part of the link. Leave blank for a random slug."
        />
      </div>
      {adding && (
        <NewPartner
          website={hostOf(draft.destination)}
          onAdded={(id) => {
            setChosen(id);
            setAdding(false);
          }}
          onCancel={() => setAdding(false)}
        />
      )}
      {!only && (
        <SelectField
          label="Website"
          required
          value={websiteId}
          onChange={(event) => setWebsiteId(event.target.value)}
          error={fields['websiteId'] ?? (tried && !websiteId ? 'Choose a website' : undefined)}
        >
          <option value="">Choose…</option>
          {websites.map((website) => (
            <option key={website.id} value={website.id}>
              {website.domain}
            </option>
          ))}
        </SelectField>
      )}
      <Folded
        title="UTM parameters"
        summary={UTM.filter((item) => utm[item].trim()).join(', ')}
        open={open.utm}
        onToggle={(next) => setOpen((now) => ({ ...now, utm: next }))}
      >
        <UtmFields utm={utm} onChange={setUtm} />
      </Folded>
      <Folded
        title="More options"
        summary="Sub-IDs, coupon, tags, targeting, split, expiry"
        open={open.more}
        onToggle={(next) => setOpen((now) => ({ ...now, more: next }))}
      >
        <LinkFields draft={draft} onChange={setDraft} errors={fields} />
      </Folded>
      {create.error && <ErrorBox error={create.error} />}
    </FormDialog>
  );
}

const VISIBLE: ReadonlySet<string> = new Set(['destination', 'partnerId', 'websiteId', 'slug']);

/** The address as it will be; an ellipsis for what is chosen at random. */
function addressOf(trackingUrl: string, slug: string): string {
  return `${trackingUrl.replace(/^https?:\/\//, '')}/go/${slug || '…'}`;
}
