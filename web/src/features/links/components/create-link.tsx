import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { NewPartner } from '@/components/partners/new-partner';
import { ErrorBox } from '@/components/data/states';
import { SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
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
import { createLink } from '../api/link-commands';
import { NO_UTM, partnersAt, slugFrom, UTM, withUtm, type Utm } from '../lib/creation';
import { creationOf, draftOf, EMPTY_DRAFT, type LinkDraft } from '../lib/draft';

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
  const [open, setOpen] = useState({ utm: false, more: false });
  const [adding, setAdding] = useState(false);
  const [uncopied, setUncopied] = useState<NewLink | null>(null);
  const active = partners.data?.filter((partner) => partner.isActive) ?? [];
  const partnerIn = ({ draft, partnerId }: Pick<Values, 'draft' | 'partnerId'>) => {
    const found = partnersAt(draft.destination, active);
    return (
      active.find((item) => item.id === partnerId) ??
      (found.length === 1 ? found[0] : active.length === 1 && draft.destination === '' ? active[0] : undefined)
    );
  };
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
  const form = useRequestForm({
    initial: {
      draft: begun.draft,
      websiteId: begun.websiteId,
      partnerId: like?.partnerId ?? begin?.partnerId ?? '',
      slug: '',
      utm: NO_UTM,
    },
    rules: (values) => ({
      websiteId: (id) => (id ? undefined : 'Choose a website'),
      partnerId: () => (partnerIn(values) ? undefined : 'Choose the partner of this link'),
    }),
    command: create,
    input: (values: Values) => {
      const { draft, websiteId, utm } = values;
      const partner = partnerIn(values);
      const slug = slugFrom(values.slug);
      const destination =
        draft.destination.trim() || hasUtm(utm)
          ? withUtm(addressFrom(draft.destination) || (partner?.baseUrl ?? ''), utm)
          : '';
      return {
        websiteId,
        partnerId: partner?.id ?? '',
        ...creationOf({ ...draft, destination }),
        ...(slug ? { slug } : {}),
      };
    },
  });
  const { draft, partnerId: chosen, utm } = form.values;
  const found = partnersAt(draft.destination, active);
  const partner = partnerIn(form.values);
  const name = slugFrom(form.values.slug);
  const fields = create.error instanceof ApiError ? create.error.fields : {};
  const only = websites.length === 1 ? websites[0] : undefined;
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
      form={form}
      isDirty={
        JSON.stringify(draft) !== JSON.stringify(begun.draft) ||
        form.values.slug !== '' ||
        hasUtm(utm) ||
        form.values.websiteId !== begun.websiteId
      }
      onClose={onClose}
      footer={
        <>
          <p className="mr-auto min-w-0 truncate font-mono text-[0.8125rem]" aria-live="polite">
            <span className="sr-only">Preview: </span>
            {about.data && addressOf(about.data.trackingUrl, name)}
          </p>
          <SubmitButton form={form} disabled={adding}>
            Create link
          </SubmitButton>
        </>
      }
    >
      {partners.error && <ErrorBox error={partners.error} onRetry={() => void partners.refetch()} />}
      <DestinationField
        isNew
        value={draft.destination}
        onChange={(destination) => form.set('draft')({ ...draft, destination })}
        error={fields['destination']}
        partner={partner}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Partner"
          value={partner?.id ?? ''}
          onChange={(event) => form.set('partnerId')(event.target.value)}
          error={form.fault('partnerId')}
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
          {...form.field('slug')}
          onBlur={() => form.set('slug')(name)}
          hint="Last part of the link. Leave blank for a random slug."
        />
      </div>
      {adding && (
        <NewPartner
          website={hostOf(draft.destination)}
          onAdded={(id) => {
            form.set('partnerId')(id);
            setAdding(false);
          }}
          onCancel={() => setAdding(false)}
        />
      )}
      {!only && (
        <SelectField label="Website" {...form.field('websiteId')} required>
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
        <UtmFields utm={utm} onChange={form.set('utm')} />
      </Folded>
      <Folded
        title="More options"
        summary="Sub-IDs, coupon, tags, targeting, split, expiry"
        open={open.more}
        onToggle={(next) => setOpen((now) => ({ ...now, more: next }))}
      >
        <LinkFields draft={draft} partnerId={partner?.id ?? ''} onChange={form.set('draft')} errors={fields} />
      </Folded>
      {create.error && <ErrorBox error={create.error} />}
    </FormDialog>
  );
}

interface Values {
  readonly draft: LinkDraft;
  readonly websiteId: string;
  /** Empty: the one that the destination tells. */
  readonly partnerId: string;
  readonly slug: string;
  readonly utm: Utm;
}

const hasUtm = (utm: Utm): boolean => UTM.some((name) => utm[name].trim() !== '');

const VISIBLE: ReadonlySet<string> = new Set(['destination', 'partnerId', 'websiteId', 'slug']);

/** The address as it will be; an ellipsis for what is chosen at random. */
function addressOf(trackingUrl: string, slug: string): string {
  return `${trackingUrl.replace(/^https?:\/\//, '')}/go/${slug || '…'}`;
}
