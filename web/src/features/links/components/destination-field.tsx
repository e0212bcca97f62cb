import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import type { Partner } from '@/lib/api/types';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
  /** Whose links it is one of; undefined: not known yet. */
  readonly partner: Partner | undefined;
  readonly isNew: boolean;
}

const TOKENS = ['{click_id}', '{sub1}', '{country}', '{device}', '{link}'];
const HAS_CLICK_ID = /\{click_?id\}/;

/** Where a link leads, and whether sales through it can be attributed. */
export function DestinationField({ value, onChange, error, partner, isNew }: Props) {
  return (
    <div>
      <TextField
        label={isNew ? 'Destination (optional)' : 'Destination'}
        required={!isNew}
        type="text"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder={partner?.baseUrl ?? 'https://'}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        error={error}
        hint={`Page on the partner’s site, or the program’s link.${isNew ? ' Blank = the partner’s address.' : ''}`}
      />
      <div className="mt-1.5 flex flex-wrap items-center gap-1" role="group" aria-label="Placeholders">
        {TOKENS.map((token) => (
          <Button
            key={token}
            size="sm"
            variant="ghost"
            className="font-mono text-xs"
            aria-label={`Add ${token} to the destination`}
            onClick={() => onChange(value + token)}
          >
            {token}
          </Button>
        ))}
      </div>
      {partner && <ClickIdNote destination={value} partner={partner} />}
    </div>
  );
}

function ClickIdNote({ destination, partner }: { readonly destination: string; readonly partner: Partner }) {
  if (HAS_CLICK_ID.test(destination))
    return <p className="mt-1 text-[0.8125rem] text-good">The click ID is passed where you put {'{click_id}'}.</p>;
  if (partner.clickIdParameter)
    return (
      <p className="mt-1 text-[0.8125rem] text-good">
        The click ID is added automatically as <code>{partner.clickIdParameter}</code>.
      </p>
    );
  return (
    <p className="mt-1 text-[0.8125rem] text-warn">
      This link can’t pass a click ID, so its sales can’t be attributed. Add {'{click_id}'} in the parameter that{' '}
      {partner.name} sends back.
    </p>
  );
}
