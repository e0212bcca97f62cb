import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { KeptFrom } from '@/components/data/kept-from';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { AssignConversion } from '@/lib/api/request-schemas';
import type { Explanation, Website } from '@/lib/api/types';
import { partnersQuery } from '@/lib/api/shared-queries';
import { assign, candidatesQuery, linkChoicesQuery, SHOWN, type CandidateClick } from '../api/assignment';

interface Props {
  readonly conversion: Pick<Explanation['conversion'], 'id' | 'txid'>;
  readonly website: Website;
  /** The partner to show first; empty: all of them. */
  readonly partnerId: string;
  readonly at: (time: string) => string;
  readonly onClose: () => void;
  readonly onAssigned: () => void;
}

type Kind = 'click' | 'link';

/** Assigns a sale to one of the clicks before it, or to a link if the click itself is not known. */
export function AssignForm({ conversion, website, partnerId, at, onClose, onAssigned }: Props) {
  const [kind, setKind] = useState<Kind>('click');
  const [partner, setPartner] = useState(partnerId);
  const [search, setSearch] = useState('');
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => first.current?.focus(), []); // the button that opened the form is gone
  const partners = useQuery(partnersQuery);
  const assignment = useCommand(assign(conversion));
  const form = useRequestForm({
    request: AssignConversion,
    initial: { clickId: '', linkId: '', reason: '' },
    rules: {
      clickId: (id) => (kind === 'click' && !id ? 'Choose a click' : undefined),
      linkId: (id) => (kind === 'link' && !id ? 'Choose a link' : undefined),
      reason: { maxLength: 500, missing: 'Please give a reason' },
    },
    command: assignment,
    input: ({ clickId, linkId, reason }) => ({ choice: kind === 'click' ? { clickId } : { linkId }, reason }),
    onSent: onAssigned,
  });
  const name = kind === 'click' ? 'clickId' : 'linkId';
  const wanted = useDeferredValue(search.trim());

  const restart = (change: () => void) => {
    change();
    form.set('clickId')('');
    form.set('linkId')('');
  };
  const choices = {
    conversion,
    website,
    partner,
    search: wanted,
    at,
    chosen: form.values[name],
    onChoose: form.set(name),
    error: form.fault(name),
  };
  return (
    <Form form={form} aria-label="Assign by hand" className="mt-4 flex flex-col gap-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Assign to"
          value={kind}
          ref={first}
          onChange={(event) => restart(() => setKind(event.target.value as Kind))}
        >
          <option value="click">A click</option>
          <option value="link">A link, if the click is not known</option>
        </SelectField>
        <SelectField
          label="Partner"
          value={partner}
          onChange={(event) => restart(() => setPartner(event.target.value))}
        >
          <option value="">All partners</option>
          {(partners.data ?? []).map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
            </option>
          ))}
        </SelectField>
      </div>
      <TextField
        label={`Search ${kind}s`}
        type="search"
        value={search}
        maxLength={200}
        onChange={(event) => setSearch(event.target.value)}
        hint={kind === 'click' ? 'By link, source or click ID' : 'By link address or destination'}
      />
      {kind === 'click' ? <Clicks {...choices} /> : <Links {...choices} />}
      <TextField
        label="Reason"
        hint="Saved and visible to everyone with access. An assignment is final."
        {...form.field('reason')}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton form={form}>Assign</SubmitButton>
      </div>
    </Form>
  );
}

interface ChoicesProps {
  readonly conversion: { readonly id: string };
  readonly website: Website;
  readonly partner: string;
  readonly search: string;
  readonly at: (time: string) => string;
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
  readonly error: string | undefined;
}

function Clicks({ conversion, website, partner, search, at, ...rest }: ChoicesProps) {
  const [limit, setLimit] = useState<number>(SHOWN[0]);
  const { data, ...clicks } = useQuery(candidatesQuery(conversion.id, partner, search, limit));
  return (
    <Choices
      {...rest}
      label="Clicks before the sale"
      query={{ ...clicks, data: data?.data }}
      limit={limit}
      onMore={setLimit}
      none="No clicks before the sale match."
      note={<KeptFrom day={data?.keptFrom} of={website.id} className="mb-1.5" />}
      options={(data?.data ?? []).map((click) => ({
        value: click.clickId,
        title: at(click.at),
        text: describe(click),
        marks: (
          <>
            {!click.isWithinWindow && <Badge tone="warn">Outside cookie window</Badge>}
            {click.conversions > 0 && <Badge tone="neutral">{earned(click.conversions)}</Badge>}
          </>
        ),
      }))}
    />
  );
}

function Links({ website, partner, search, ...rest }: ChoicesProps) {
  const [limit, setLimit] = useState<number>(SHOWN[0]);
  const links = useQuery(linkChoicesQuery(website.id, partner, search, limit));
  return (
    <Choices
      {...rest}
      label="Links"
      query={links}
      limit={limit}
      onMore={setLimit}
      none="No links match."
      options={(links.data ?? []).map((link) => ({
        value: link.id,
        title: `/go/${link.slug}`,
        text: [link.partnerName, link.destination].filter(Boolean).join(' · '),
      }))}
    />
  );
}

interface Option {
  readonly value: string;
  readonly title: string;
  readonly text: string;
  readonly marks?: ReactNode;
}

interface ListProps {
  readonly label: string;
  readonly query: {
    readonly error: Error | null;
    readonly data: readonly unknown[] | undefined;
    readonly refetch: () => unknown;
    readonly isFetching: boolean;
  };
  /** How many are read at most. */
  readonly limit: number;
  readonly onMore: (limit: number) => void;
  readonly options: readonly Option[];
  readonly note?: ReactNode;
  readonly none: string;
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
  readonly error: string | undefined;
}

/** One of a list, as radio buttons: the arrow keys move in it. */
function Choices({ label, query, limit, onMore, options, note, none, chosen, onChoose, error }: ListProps) {
  const id = useId();
  const more = options.length < limit ? undefined : SHOWN.find((count) => count > limit);
  if (query.error && !query.data) return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton className="h-40" />;
  return (
    <div
      role="radiogroup"
      tabIndex={-1}
      aria-labelledby={`${id}-label`}
      aria-invalid={error ? true : undefined}
      aria-describedby={error ? `${id}-error` : undefined}
    >
      <p id={`${id}-label`} className="mb-1.5 font-medium">
        {label}
      </p>
      {note}
      {options.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <div className="max-h-72 divide-y divide-line overflow-y-auto rounded-lg border border-line">
          {options.map((option) => (
            <label
              key={option.value}
              className="flex cursor-pointer items-start gap-3 px-3 py-2 hover:bg-sunken has-checked:bg-brand-soft"
            >
              <input
                type="radio"
                name={id}
                className="mt-1"
                value={option.value}
                checked={chosen === option.value}
                onChange={() => onChoose(option.value)}
              />
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-center gap-2 font-medium">
                  {option.title}
                  {option.marks}
                </span>
                <span className="block text-[0.8125rem] break-words text-muted">{option.text}</span>
              </span>
            </label>
          ))}
        </div>
      )}
      {more !== undefined && (
        <Button size="sm" variant="ghost" className="mt-1.5" busy={query.isFetching} onClick={() => onMore(more)}>
          Show more
        </Button>
      )}
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

const describe = (click: CandidateClick): string =>
  [
    click.link && `/go/${click.link}`,
    click.partnerName,
    click.page && `on ${click.page}`,
    click.source && `from ${click.source}`,
    click.campaign,
    click.country === 'ZZ' ? '' : click.country,
    click.device,
  ]
    .filter(Boolean)
    .join(' · ');

const earned = (count: number): string => (count === 1 ? '1 conversion' : `${count} conversions`);
