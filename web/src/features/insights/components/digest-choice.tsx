import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { useDigest, type DigestEvery } from './queries';

const CHOICES: readonly { readonly value: DigestEvery; readonly label: string }[] = [
  { value: 'off', label: 'Never' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
];

/** How often new insights of all one's websites are mailed; kept at once. */
export function DigestChoice() {
  const { every, choose, isPending } = useDigest();
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden>Mail me what is new</span>
      <Select label="Mail me what is new" value={every ?? 'off'} disabled={every === undefined || isPending} onChange={(event) => choose(event.target.value as DigestEvery)}>
        {CHOICES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </span>
  );
}

/** The same choice as beside the insights, where all other mails are chosen. */
export function DigestPanel() {
  return (
    <Card title="Insights by mail" description="What is found in the figures of your websites, at 7:00 UTC, when there is something new. Weekly mails come on Mondays.">
      <DigestChoice />
    </Card>
  );
}
