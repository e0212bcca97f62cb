import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { useDigest, type DigestEvery } from '../api/insights';

const CHOICES: readonly { readonly value: DigestEvery; readonly label: string }[] = [
  { value: 'off', label: 'Never' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
];

/** Frequency of the insights digest for all websites of the account; saved immediately. */
export function DigestChoice() {
  const { every, choose, isPending } = useDigest();
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden>Email digest</span>
      <Select
        label="Email digest"
        value={every ?? 'off'}
        disabled={every === undefined || isPending}
        onChange={(event) => choose(event.target.value as DigestEvery)}
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
