import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { chooseDigest, digestQuery, type DigestEvery } from '../api/digest';

const CHOICES: readonly { readonly value: DigestEvery; readonly label: string }[] = [
  { value: 'off', label: 'Never' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
];

/** Frequency of the insights digest for all websites of the account; saved immediately. */
export function DigestChoice() {
  const client = useQueryClient();
  const digest = useQuery(digestQuery);
  const choose = useCommand(chooseDigest, {
    onSuccess: (_, chosen) => client.setQueryData(digestQuery.queryKey, { every: chosen }),
  });
  // What was chosen is shown at once, and no longer if the server rejects it.
  const every = choose.isPending ? choose.variables : digest.data?.every;
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden>Email digest</span>
      <Select
        label="Email digest"
        value={every ?? 'off'}
        disabled={every === undefined || choose.isPending}
        onChange={(event) => choose.mutate(event.target.value as DigestEvery)}
      >
        {CHOICES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </span>
  );
}

/** The same setting as next to the insights, among all email settings. */
export function DigestPanel() {
  return (
    <Card
      title="Insights by email"
      description="New insights by email at 07:00 UTC, only when there are any. Weekly emails are sent on Mondays."
    >
      <DigestChoice />
    </Card>
  );
}
