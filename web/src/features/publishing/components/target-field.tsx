// Where a button or an image leads: a tracked link, a page of the site, or a web address.
import { useQuery } from '@tanstack/react-query';
import { SelectField, TextField } from '@/components/ui/field';
import { Check } from '@/components/ui/check';
import { linksQuery } from '../api/sites';
import type { Target } from '../lib/document';
import { useBlockContext, useFault } from './block-context';

interface Props {
  readonly path: string;
  readonly value: Target | null;
  readonly onChange: (value: Target | null) => void;
}

export function TargetField({ path, value, onChange }: Props) {
  const { websiteId, pages } = useBlockContext();
  const links = useQuery(linksQuery(websiteId));
  const fault = useFault(path);
  const choose = (kind: string) => {
    if (kind === 'link') onChange({ kind, link_id: links.data?.[0]?.id ?? '' });
    else if (kind === 'page') onChange({ kind, page_id: pages[0]?.id ?? '' });
    else if (kind === 'web') onChange({ kind, url: 'https://' });
    else onChange(null);
  };
  const noLinks = links.data?.length === 0;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Leads to"
        value={value?.kind ?? ''}
        error={value === null || value.kind === 'web' ? undefined : fault}
        hint={noLinks ? 'Create a tracked link under Links to use it here.' : undefined}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">Nothing</option>
        <option value="link" disabled={!links.data || noLinks}>
          Tracked link
        </option>
        <option value="page">Page of this site</option>
        <option value="web">Web address</option>
      </SelectField>
      {value?.kind === 'link' && (
        <SelectField
          label="Tracked link"
          value={value.link_id}
          onChange={(event) => onChange({ kind: 'link', link_id: event.target.value })}
        >
          {links.data && !links.data.some(({ id }) => id === value.link_id) && (
            <option value={value.link_id}>A link that no longer exists</option>
          )}
          {links.data?.map(({ id, slug, partnerName }) => (
            <option key={id} value={id}>{`${partnerName}: ${slug}`}</option>
          ))}
        </SelectField>
      )}
      {value?.kind === 'page' && (
        <SelectField
          label="Page"
          value={value.page_id}
          onChange={(event) => onChange({ kind: 'page', page_id: event.target.value })}
        >
          {pages.map(({ id, title, short_title }) => (
            <option key={id} value={id}>
              {short_title || title}
            </option>
          ))}
        </SelectField>
      )}
      {value?.kind === 'web' && (
        <div className="flex flex-col gap-2">
          <TextField
            label="Web address"
            type="url"
            value={value.url}
            error={fault}
            onChange={(event) => onChange({ ...value, url: event.target.value })}
          />
          <Check
            label="Paid link (rel=sponsored)"
            checked={value.is_sponsored ?? false}
            onChange={(is_sponsored) => onChange({ ...value, is_sponsored })}
          />
        </div>
      )}
    </div>
  );
}
