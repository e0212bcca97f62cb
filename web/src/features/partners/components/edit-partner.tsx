import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { NetworkField } from '@/components/partners/network-field';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { focusFirstFault, TextField } from '@/components/ui/field';
import { addressFrom } from '@/lib/url/address';
import { ApiError } from '@/lib/api/errors';
import type { AdminPartner } from '@/lib/api/types';
import { networkOf } from '@/lib/networks/postback';
import { marked } from '../lib/marked';
import { draftOf, termsOf } from '../lib/terms';
import { TermsEditor } from './terms-editor';
import type { PartnerChange, PartnerChanges } from '../api/partners';

type Editable = Pick<
  AdminPartner,
  'id' | 'name' | 'slug' | 'baseUrl' | 'description' | 'cookieDays' | 'postbackPreset' | 'ownClickIdParameter' | 'terms'
>;

interface Props {
  readonly partner: Editable;
  readonly update: UseMutationResult<unknown, Error, PartnerChange>;
  readonly onClose: () => void;
}

/** A partner of the directory, or a private one. */
export function EditPartner({ partner, update, onClose }: Props) {
  const [opened] = useState(partner);
  const [name, setName] = useState(partner.name);
  const [baseUrl, setBaseUrl] = useState(partner.baseUrl);
  const [description, setDescription] = useState(partner.description);
  const [cookieDays, setCookieDays] = useState(String(partner.cookieDays));
  const [preset, setPreset] = useState(partner.postbackPreset ?? 'default');
  const [parameter, setParameter] = useState(partner.ownClickIdParameter ?? '');
  const [draft, setDraft] = useState(() => draftOf(partner.terms));
  const [from, setFrom] = useState('');
  const [tried, setTried] = useState(false);
  const read = termsOf(draft);
  const isNewTerms = JSON.stringify(draft) !== JSON.stringify(draftOf(opened.terms));
  const days = /^\d{1,3}$/.test(cookieDays.trim()) ? Number(cookieDays) : 0;
  const refused = update.error instanceof ApiError ? update.error.fields : {};
  const errors = {
    name: tried && name.trim() === '' ? 'Please enter a name' : undefined,
    baseUrl: tried && baseUrl.trim() === '' ? 'Enter the program’s website URL' : undefined,
    cookieDays: tried && (days < 1 || days > 365) ? 'The window is 1 to 365 days' : undefined,
    terms: tried && 'error' in read ? read.error : undefined,
  };
  const submit = () => {
    setTried(true);
    if ('error' in read || name.trim() === '' || baseUrl.trim() === '' || days < 1 || days > 365) return;
    // Only what was changed here: what another admin has changed meanwhile stays.
    const changes: PartnerChanges = {
      ...(name.trim() === opened.name ? {} : { name: name.trim() }),
      ...(addressFrom(baseUrl) === opened.baseUrl ? {} : { baseUrl: addressFrom(baseUrl) }),
      ...(description === opened.description ? {} : { description }),
      ...(days === opened.cookieDays ? {} : { cookieDays: days }),
      ...(preset === (opened.postbackPreset ?? 'default') ? {} : { postbackPreset: preset }),
      ...(parameter.trim() === (opened.ownClickIdParameter ?? '') ? {} : { clickIdParameter: parameter.trim() }),
      ...(isNewTerms ? { terms: read.terms, ...(from ? { effectiveFrom: new Date(from).toISOString() } : {}) } : {}),
    };
    if (Object.keys(changes).length === 0) onClose();
    else update.mutate({ partner, changes }, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`Edit ${partner.name}`}
      description={`Slug ${partner.slug}. New terms apply to clicks from now on (or a date you set). Earlier clicks keep the old terms.`}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          focusFirstFault(event.currentTarget);
          submit();
        }}
      >
        <TextField
          label="Name"
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors.name}
          {...marked(refused, 'name')}
        />
        <TextField
          label="Base URL"
          required
          autoComplete="url"
          inputMode="url"
          value={baseUrl}
          onChange={(event) => setBaseUrl(event.target.value)}
          error={errors.baseUrl}
          {...marked(refused, 'baseUrl')}
        />
        <TextField
          label="Description"
          maxLength={4000}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <TermsEditor draft={draft} onChange={setDraft} error={errors.terms} />
        {isNewTerms && (
          <TextField
            label="New terms begin (optional)"
            type="datetime-local"
            max="9999-12-31T23:59"
            value={from}
            onChange={(event) => setFrom(event.target.value)}
            {...marked(refused, 'effectiveFrom')}
            hint="Blank = now. In your time zone."
          />
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Cookie window (days)"
            type="number"
            min={1}
            max={365}
            value={cookieDays}
            onChange={(event) => setCookieDays(event.target.value)}
            error={errors.cookieDays}
            {...marked(refused, 'cookieDays')}
          />
          <NetworkField value={preset} onChange={setPreset} />
        </div>
        <TextField
          label="Click ID parameter (optional)"
          placeholder={networkOf(preset)?.clickId ?? ''}
          value={parameter}
          onChange={(event) => setParameter(event.target.value)}
          {...marked(refused, 'clickIdParameter')}
          hint={
            networkOf(preset)?.clickId
              ? `The parameter of its links that takes the click ID. Leave blank for the network’s: ${networkOf(preset)?.clickId}.`
              : 'The parameter of its links that takes the click ID and comes back with the sale. Without it, sales can’t be attributed.'
          }
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={update.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
