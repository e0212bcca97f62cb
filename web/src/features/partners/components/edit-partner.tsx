import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { NetworkField } from '@/components/partners/network-field';
import { TextField } from '@/components/ui/field';
import { addressFrom } from '@/lib/url/address';
import { ApiError } from '@/lib/api/errors';
import { UpdatePartner } from '@/lib/api/request-schemas';
import type { AdminPartner } from '@/lib/api/types';
import { networkOf } from '@/lib/networks/postback';
import { marked } from '../lib/marked';
import { draftOf, termsOf, type TermsDraft } from '../lib/terms';
import { TermsEditor } from './terms-editor';
import type { PartnerChange, PartnerChanges } from '../api/partners';

type Editable = Pick<
  AdminPartner,
  'id' | 'name' | 'slug' | 'baseUrl' | 'description' | 'cookieDays' | 'postbackPreset' | 'ownClickIdParameter' | 'terms'
>;

interface Values {
  readonly name: string;
  readonly baseUrl: string;
  readonly description: string;
  readonly cookieDays: string;
  readonly postbackPreset: string;
  readonly clickIdParameter: string;
  readonly terms: TermsDraft;
  readonly effectiveFrom: string;
}

interface Props {
  readonly partner: Editable;
  readonly update: UseMutationResult<unknown, Error, PartnerChange>;
  readonly onClose: () => void;
}

/** A partner of the directory, or a private one. */
export function EditPartner({ partner, update, onClose }: Props) {
  const [opened] = useState(partner);
  const begun = draftOf(opened.terms);
  const changesOf = (values: Values): PartnerChanges => {
    const read = termsOf(values.terms);
    const { name, description, postbackPreset, clickIdParameter, effectiveFrom: from } = values;
    const baseUrl = addressFrom(values.baseUrl);
    // Only what was changed here: what another admin has changed meanwhile stays.
    return {
      ...(name === opened.name ? {} : { name }),
      ...(baseUrl === opened.baseUrl ? {} : { baseUrl }),
      ...(description === opened.description.trim() ? {} : { description }),
      ...(daysIn(values.cookieDays) === opened.cookieDays ? {} : { cookieDays: daysIn(values.cookieDays) }),
      ...(postbackPreset === (opened.postbackPreset ?? 'default') ? {} : { postbackPreset }),
      ...(clickIdParameter === (opened.ownClickIdParameter ?? '') ? {} : { clickIdParameter }),
      ...(isSame(values.terms, begun) || 'error' in read
        ? {}
        : { terms: read.terms, ...(from ? { effectiveFrom: new Date(from).toISOString() } : {}) }),
    };
  };
  const form = useRequestForm({
    request: UpdatePartner,
    initial: {
      name: partner.name,
      baseUrl: partner.baseUrl,
      description: partner.description,
      cookieDays: String(partner.cookieDays),
      postbackPreset: partner.postbackPreset ?? 'default',
      clickIdParameter: partner.ownClickIdParameter ?? '',
      terms: begun,
      effectiveFrom: '',
    },
    rules: {
      name: { required: true, missing: 'Please enter a name' },
      baseUrl: { required: true, missing: 'Enter the program’s website URL' },
      cookieDays: (text) => (daysIn(text) < 1 || daysIn(text) > 365 ? 'The window is 1 to 365 days' : undefined),
      terms: (draft) => {
        const read = termsOf(draft);
        return 'error' in read ? read.error : undefined;
      },
    },
    command: {
      error: null, // a toast says why
      isPending: update.isPending,
      mutate: (changes: PartnerChanges) =>
        Object.keys(changes).length === 0 ? onClose() : update.mutate({ partner, changes }, { onSuccess: onClose }),
    },
    input: changesOf,
  });
  const { postbackPreset: preset, terms } = form.values;
  const refused = update.error instanceof ApiError ? update.error.fields : {};
  return (
    <FormDialog
      form={form}
      title={`Edit ${partner.name}`}
      description={`Slug ${partner.slug}. New terms apply to clicks from now on (or a date you set). Earlier clicks keep the old terms.`}
      action="Save"
      onClose={onClose}
    >
      <TextField label="Name" {...form.field('name')} {...marked(refused, 'name')} />
      <TextField
        label="Base URL"
        autoComplete="url"
        inputMode="url"
        {...form.field('baseUrl')}
        {...marked(refused, 'baseUrl')}
      />
      <TextField label="Description" {...form.field('description')} />
      <TermsEditor draft={terms} onChange={form.set('terms')} error={form.fault('terms')} />
      {!isSame(terms, begun) && (
        <TextField
          label="New terms begin (optional)"
          type="datetime-local"
          hint="Blank = now. In your time zone."
          {...form.field('effectiveFrom')}
          {...marked(refused, 'effectiveFrom')}
          max="9999-12-31T23:59"
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Cookie window (days)"
          type="number"
          {...form.field('cookieDays')}
          {...marked(refused, 'cookieDays')}
          min={1}
          max={365}
        />
        <NetworkField value={preset} onChange={form.set('postbackPreset')} />
      </div>
      <TextField
        label="Click ID parameter (optional)"
        placeholder={networkOf(preset)?.clickId ?? ''}
        hint={
          networkOf(preset)?.clickId
            ? `The parameter of its links that takes the click ID. Leave blank for the network’s: ${networkOf(preset)?.clickId}.`
            : 'The parameter of its links that takes the click ID and comes back with the sale. Without it, sales can’t be attributed.'
        }
        {...form.field('clickIdParameter')}
        {...marked(refused, 'clickIdParameter')}
      />
    </FormDialog>
  );
}

const daysIn = (text: string): number => (/^\d{1,3}$/.test(text.trim()) ? Number(text) : 0);

const isSame = (one: TermsDraft, other: TermsDraft): boolean => JSON.stringify(one) === JSON.stringify(other);
