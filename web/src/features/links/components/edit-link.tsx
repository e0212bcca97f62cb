import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { addressFrom } from '@/lib/url/address';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { Link } from '@/lib/api/types';
import { partnersQuery } from '@/lib/api/shared-queries';
import { DestinationField } from './destination-field';
import { Folded } from './folded';
import { FormDialog } from './form-dialog';
import { LinkFields } from './link-fields';
import { editLink } from '../api/links';
import { changesOf, draftOf, SUBS, type LinkDraft } from '../lib/draft';

export function EditLink({ link, onClose }: { readonly link: Link; readonly onClose: () => void }) {
  const partners = useQuery(partnersQuery);
  const [opened] = useState(link);
  const [more, setMore] = useState(() => hasOptions(opened));
  const changesIn = ({ draft, isActive }: { readonly draft: LinkDraft; readonly isActive: boolean }) => ({
    ...changesOf({ ...draft, destination: addressFrom(draft.destination) }, opened),
    ...(isActive === opened.isActive ? {} : { isActive }),
  });
  const save = useCommand(editLink, {
    onError: (error) => {
      if (error instanceof ApiError && Object.keys(error.fields).some((field) => field !== 'destination'))
        setMore(true);
    },
  });
  const form = useRequestForm({
    initial: { draft: draftOf(opened), isActive: opened.isActive },
    command: save,
    input: (values) => ({ id: link.id, ...changesIn(values) }),
    onSent: onClose,
  });
  const { draft, isActive } = form.values;
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
        partner={partners.data?.find((partner) => partner.id === link.partnerId)}
      />
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

/** Whether more is set than the destination, which then is in view at once. */
function hasOptions(link: Link): boolean {
  return (
    link.rules.length + link.variants.length + link.tags.length > 0 ||
    Boolean(link.coupon ?? link.expiresAt ?? link.fallback ?? link.folder) ||
    SUBS.some((name) => link[name] !== '')
  );
}
