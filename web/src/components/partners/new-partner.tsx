import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '@/components/ui/button';
import { focusFirstFault, TextField } from '@/components/ui/field';
import { addressFrom, hostOf } from '@/lib/url/address';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { parsePercent } from '@/lib/format/percent';
import { networkOf, networkOfHost, proposedParameter, UNKNOWN } from '@/lib/networks/postback';
import { addPartner } from '@/lib/api/shared-commands';
import { ErrorBox } from '@/components/data/states';
import { NetworkField } from './network-field';

interface Props {
  /** The address to begin with. */
  readonly website?: string;
  /** Called with the id once the lists have it. */
  readonly onAdded: (id: string) => void;
  readonly onCancel: () => void;
}

/** The fields of a private partner. It is no form of its own: it also stands inside the form of a new link. */
export function NewPartner({ website = '', onAdded, onCancel }: Props) {
  const group = useRef<HTMLDivElement>(null);
  const first = useRef<HTMLInputElement>(null);
  // A person opened it: it is seen whole, above the buttons of the form around it.
  useEffect(() => {
    first.current?.focus();
    group.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const [name, setName] = useState('');
  const [site, setSite] = useState(website);
  const [network, setNetwork] = useState('');
  const [typed, setParameter] = useState<string>();
  const [commission, setCommission] = useState('');
  const [tried, setTried] = useState(false);
  const recognised = networkOfHost(hostOf(site))?.id;
  const preset = network || (recognised ?? UNKNOWN);
  const passed = networkOf(preset)?.clickId;
  const parameter = typed ?? proposedParameter(preset);
  const percent = parsePercent(commission);
  const create = useCommand(addPartner);
  const refused = create.error instanceof ApiError ? create.error.fields : {};
  const errors = {
    name: tried && name.trim() === '' ? 'Enter a name' : refused['name'],
    site: tried && site.trim() === '' ? 'Enter the program’s website' : refused['baseUrl'],
    commission: tried && percent === null ? 'Enter a percentage from 0 to 100' : refused['commission'],
  };
  const submit = () => {
    setTried(true);
    if (name.trim() !== '' && site.trim() !== '' && percent !== null)
      create.mutate(
        {
          name: name.trim(),
          baseUrl: addressFrom(site),
          commission: percent,
          description: '',
          isActive: true,
          cookieDays: 30,
          ...(network || !recognised ? { postbackPreset: preset } : {}),
          ...(parameter.trim() && !passed ? { clickIdParameter: parameter.trim() } : {}),
        },
        { onSuccess: ({ id }) => onAdded(id) },
      );
    if (group.current) focusFirstFault(group.current);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter') return;
    event.preventDefault(); // the form around it is not submitted
    submit();
  };
  return (
    <div
      ref={group}
      role="group"
      aria-label="New partner"
      className="flex scroll-mb-20 flex-col gap-4 rounded-lg border border-line bg-sunken/50 p-3"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Partner name"
          required
          ref={first}
          autoComplete="off"
          maxLength={100}
          onKeyDown={onKeyDown}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors.name}
        />
        <TextField
          label="Website"
          required
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="shop.example"
          onKeyDown={onKeyDown}
          value={site}
          onChange={(event) => setSite(event.target.value)}
          error={errors.site}
        />
        <NetworkField value={preset} onChange={setNetwork} />
        <TextField
          label="Commission (%)"
          required
          inputMode="decimal"
          autoComplete="off"
          onKeyDown={onKeyDown}
          value={commission}
          onChange={(event) => setCommission(event.target.value)}
          error={errors.commission}
          hint="Percent of each sale. You can set flat fees and tiers later."
        />
      </div>
      {passed ? (
        <p className="text-[0.8125rem] text-muted">
          Links pass the click ID as <code>{passed}</code>.
        </p>
      ) : (
        <TextField
          label="Click ID parameter (optional)"
          autoComplete="off"
          spellCheck={false}
          onKeyDown={onKeyDown}
          value={parameter}
          onChange={(event) => setParameter(event.target.value)}
          error={refused['clickIdParameter']}
          hint="The parameter of its links that comes back with the sale. If the program names another one, enter that."
        />
      )}
      {create.error && Object.keys(refused).length === 0 && <ErrorBox error={create.error} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto text-[0.8125rem] text-muted">Only you can see and use it.</p>
        <Button size="sm" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="sm" variant="primary" busy={create.isPending} onClick={submit}>
          Add partner
        </Button>
      </div>
    </div>
  );
}
