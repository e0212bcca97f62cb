import type { UseMutationResult } from '@tanstack/react-query';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { NetworkField } from '@/components/partners/network-field';
import { TextField } from '@/components/ui/field';
import { addressFrom, hostOf } from '@/lib/url/address';
import { ApiError } from '@/lib/api/errors';
import { AddPartner as AddPartnerBounds } from '@/lib/api/request-schemas';
import { parsePercent } from '@/lib/format/percent';
import { networkOf, networkOfHost, proposedParameter, UNKNOWN } from '@/lib/networks/postback';
import { slugOf, type NewPartner } from '../api/partners';
import { marked } from '../lib/marked';

interface Props {
  readonly title?: string;
  readonly description?: string;
  /** What the form is filled with. */
  readonly begin?: { readonly name: string; readonly baseUrl: string };
  readonly create: UseMutationResult<unknown, Error, NewPartner>;
  readonly onClose: () => void;
}

/** The form of a new partner of the directory. */
export function AddPartner({
  title = 'Add New Partner',
  description = 'Add an affiliate program your sites promote.',
  begin,
  create,
  onClose,
}: Props) {
  const form = useRequestForm({
    request: AddPartnerBounds,
    initial: { name: begin?.name ?? '', baseUrl: begin?.baseUrl ?? '', commission: '', postbackPreset: '' },
    rules: {
      name: { missing: 'Please enter a name' },
      baseUrl: { missing: 'Enter the program’s website URL' },
      commission: (text) =>
        parsePercent(text) === null ? 'Please enter a percentage from 0 to 100 in steps of 0.01' : undefined,
    },
    command: {
      ...create,
      error: null,
      mutate: (partner: NewPartner) => create.mutate(partner, { onSuccess: onClose }),
    }, // a toast says why
    input: ({ name, baseUrl, commission, postbackPreset }) => {
      const recognised = networkOfHost(hostOf(baseUrl));
      const preset = postbackPreset || (recognised?.id ?? UNKNOWN);
      return {
        name,
        baseUrl: addressFrom(baseUrl),
        commission: parsePercent(commission) ?? 0,
        ...(postbackPreset || !recognised ? { postbackPreset: preset } : {}),
        ...(proposedParameter(preset) ? { clickIdParameter: proposedParameter(preset) } : {}),
      };
    },
  });
  const { name, baseUrl, postbackPreset: network } = form.values;
  const preset = network || (networkOfHost(hostOf(baseUrl))?.id ?? UNKNOWN);
  const passed = networkOf(preset)?.clickId ?? proposedParameter(preset);
  const refused = create.error instanceof ApiError ? create.error.fields : {};
  return (
    <FormDialog form={form} title={title} description={description} action="Add Partner" onClose={onClose}>
      <TextField
        label="Name"
        hint={name.trim() === '' ? undefined : `Slug: ${slugOf(name.trim())}`}
        {...form.field('name')}
        {...marked(refused, 'name', 'slug')}
      />
      <TextField
        label="Base URL"
        inputMode="url"
        autoComplete="url"
        placeholder="https://"
        hint="Links may lead to any page of this site."
        {...form.field('baseUrl')}
        {...marked(refused, 'baseUrl')}
      />
      <div className="flex flex-col gap-1.5">
        <NetworkField value={preset} onChange={form.set('postbackPreset')} />
        {passed && (
          <p className="text-[0.8125rem] text-muted">
            Links pass the click ID as <code>{passed}</code>. You can change it later.
          </p>
        )}
      </div>
      <TextField
        label="Commission (%)"
        type="number"
        step={0.01}
        inputMode="decimal"
        hint="Percent of each sale. You can set flat fees, CPL and tiers later."
        {...form.field('commission')}
        {...marked(refused, 'commission')}
        required
        min={0}
        max={100}
      />
    </FormDialog>
  );
}
