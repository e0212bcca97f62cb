import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { NetworkField } from '@/components/partners/network-field';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { focusFirstFault, TextField } from '@/components/ui/field';
import { addressFrom, hostOf } from '@/lib/url/address';
import { ApiError } from '@/lib/api/errors';
import { parsePercent } from '@/lib/format/percent';
import { networkOfHost } from '@/lib/networks/postback';
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
  const [name, setName] = useState(begin?.name ?? '');
  const [baseUrl, setBaseUrl] = useState(begin?.baseUrl ?? '');
  const [commission, setCommission] = useState('');
  const [network, setNetwork] = useState('');
  const [tried, setTried] = useState(false);
  const recognised = networkOfHost(hostOf(baseUrl));
  const percent = parsePercent(commission);
  const refused = create.error instanceof ApiError ? create.error.fields : {};
  const errors = {
    name: tried && name.trim() === '' ? 'Please enter a name' : undefined,
    baseUrl: tried && baseUrl.trim() === '' ? 'Enter the program’s website URL' : undefined,
    commission: tried && percent === null ? 'Please enter a percentage from 0 to 100 in steps of 0.01' : undefined,
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={title}
      description={description}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          focusFirstFault(event.currentTarget);
          setTried(true);
          if (name.trim() !== '' && baseUrl.trim() !== '' && percent !== null) {
            create.mutate(
              {
                name: name.trim(),
                baseUrl: addressFrom(baseUrl),
                commission: percent,
                ...(network ? { postbackPreset: network } : {}),
              },
              { onSuccess: onClose },
            );
          }
        }}
      >
        <TextField
          label="Name"
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors.name}
          {...marked(refused, 'name', 'slug')}
          hint={name.trim() === '' ? undefined : `Slug: ${slugOf(name.trim())}`}
        />
        <TextField
          label="Base URL"
          required
          inputMode="url"
          autoComplete="url"
          placeholder="https://"
          value={baseUrl}
          onChange={(event) => setBaseUrl(event.target.value)}
          error={errors.baseUrl}
          {...marked(refused, 'baseUrl')}
          hint="Links may lead to any page of this site."
        />
        <NetworkField value={network || (recognised?.id ?? 'default')} onChange={setNetwork} />
        <TextField
          label="Commission (%)"
          required
          type="number"
          step={0.01}
          min={0}
          max={100}
          inputMode="decimal"
          value={commission}
          onChange={(event) => setCommission(event.target.value)}
          error={errors.commission}
          {...marked(refused, 'commission')}
          hint="Percent of each sale. You can set flat fees, CPL and tiers later."
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={create.isPending}>
            Add Partner
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
