import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { SelectField } from '@/components/ui/field';
import { addressFrom } from '@/lib/url/address';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { Link } from '@/lib/api/types';
import { partnersQuery } from '@/lib/api/shared-queries';
import { DestinationField } from './destination-field';
import { Folded } from './folded';
import { FormDialog } from './form-dialog';
import { LinkFields } from './link-fields';
import { editLink } from '../api/link-commands';
import { partnersAt } from '../lib/creation';
import { changesOf, draftOf, SUBS, type LinkDraft } from '../lib/draft';

export function EditLink({ link, onClose }: { readonly link: Link; readonly onClose: () => void }) {
  const partners = useQuery(partnersQuery);
  const [opened] = useState(link);
  const [more, setMore] = useState(() => hasOptions(opened));
  const offered = partners.data?.filter((item) => item.isActive || item.id === opened.partnerId) ?? [];
  /** The chosen partner, else the one that the destination tells, else the present one. */
  const partnerIn = ({ draft, partnerId }: Values) => {
    const found = partnersAt(draft.destination, offered);
    const told = found.length === 1 && draft.destination !== opened.destination ? found[0]?.id : undefined;
    return offered.find((item) => item.id === (partnerId || (told ?? opened.partnerId)));
  };
  const changesIn = (values: Values) => {
    const partner = partnerIn(values);
    return {
      ...changesOf({ ...values.draft, destination: addressFrom(values.draft.destination) }, opened),
      ...(values.isActive === opened.isActive ? {} : { isActive: values.isActive }),
      ...(partner === undefined || partner.id === opened.partnerId ? {} : { partnerId: partner.id }),
    };
  };
  const save = useCommand(editLink, {
    onError: (error) => {
      if (error instanceof ApiError && Object.keys(error.fields).some((field) => !VISIBLE.has(field))) setMore(true);
    },
  });
  const form = useRequestForm({
    initial: { draft: draftOf(opened), isActive: opened.isActive, partnerId: '' },
    command: save,
    input: (values) => ({ id: link.id, ...changesIn(values) }),
    onSent: onClose,
  });
  const { draft, isActive } = form.values;
  const partner = partnerIn(form.values);
  const isMoved = partner !== undefined && partner.id !== opened.partnerId;
  /** A destination of another partner's is no good any more. */
  const choose = (id: string) => {
    const next = offered.find((item) => item.id === id);
    form.set('partnerId')(id);
    if (next && !partnersAt(draft.destination, [next]).length)
      form.set('draft')({ ...draft, destination: id === opened.partnerId ? opened.destination : next.baseUrl });
  };
  const fields = save.error instanceof ApiError ? save.error.fields : {};
  return (
    <FormDialog
      form={form}
      title="Edit link"
      description={link.url}
      isDirty={Object.keys(changesIn(form.values)).length > 0}
      onClose={onClose}
      footer={
        <>
          <Check className="mr-auto" label="Active" checked={isActive} onChange={form.set('isActive')} />
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form}>Save</SubmitButton>
        </>
      }
    >
      <DestinationField
        isNew={false}
        value={draft.destination}
        onChange={(destination) => form.set('draft')({ ...draft, destination })}
        error={fields['destination']}
        partner={partner}
      />
      {offered.length > 0 && (
        <SelectField
          label="Partner"
          value={partner?.id ?? ''}
          onChange={(event) => choose(event.target.value)}
          error={fields['partnerId']}
          hint={
            isMoved
              ? `The link keeps its address. Earlier clicks stay with ${opened.partnerName ?? 'the partner before'}.`
              : 'A link can move to another partner and keep its address.'
          }
        >
          {offered.map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
              {item.isPrivate && ' (private)'}
            </option>
          ))}
        </SelectField>
      )}
      <Folded
        title="More options"
        summary="Sub-IDs, coupon, tags, targeting, split, expiry"
        open={more}
        onToggle={setMore}
      >
        <LinkFields draft={draft} partnerId={link.partnerId} onChange={form.set('draft')} errors={fields} />
      </Folded>
      {save.error && <ErrorBox error={save.error} />}
    </FormDialog>
  );
}

interface Values {
  readonly draft: LinkDraft;
  readonly isActive: boolean;
  /** Empty: the one that the destination tells. */
  readonly partnerId: string;
}

const VISIBLE: ReadonlySet<string> = new Set(['destination', 'partnerId']);

/** Whether more is set than the destination, which then is in view at once. */
function hasOptions(link: Link): boolean {
  return (
    link.rules.length + link.variants.length + link.tags.length > 0 ||
    Boolean(link.coupon ?? link.expiresAt ?? link.fallback ?? link.folder) ||
    SUBS.some((name) => link[name] !== '')
  );
}
