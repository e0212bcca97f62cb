import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { SelectField, TextField } from '@/components/ui/field';
import { linkChoicesQuery, MAX_CHOICES } from '../api/links';

interface Props {
  readonly websiteId: string;
  /** Empty: any link. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** The link whose clicks a cost was for. Of many links some are offered, and the others found by their text. */
export function LinkField({ websiteId, value, onChange }: Props) {
  const [search, setSearch] = useState('');
  const links = useQuery(linkChoicesQuery(websiteId, useDeferredValue(search.trim())));
  const choices = links.data ?? [];
  const isMany = search !== '' || choices.length >= MAX_CHOICES;
  return (
    <>
      <SelectField
        label="Link (optional)"
        {...(links.error ? { error: 'The links could not be loaded' } : {})}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">Any link</option>
        {value && !choices.some(({ id }) => id === value) && <option value={value}>The chosen link</option>}
        {choices.map(({ id, slug }) => (
          <option key={id} value={id}>
            {slug}
          </option>
        ))}
      </SelectField>
      {isMany && (
        <TextField
          label="Find a link"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          maxLength={200}
        />
      )}
    </>
  );
}
