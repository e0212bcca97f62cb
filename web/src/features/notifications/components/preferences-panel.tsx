import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Loading } from '@/components/data/states';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { Check } from '@/components/ui/check';
import { useCommand } from '@/lib/api/command';
import { choose, preferencesQuery, type DigestMail } from '../api/notifications';

const MAILS: readonly { readonly value: DigestMail; readonly label: string }[] = [
  { value: 'off', label: 'No email' },
  { value: 'daily', label: 'Once a day' },
  { value: 'weekly', label: 'Once a week' },
];

/** Notification preferences; each change is saved immediately. */
export function PreferencesPanel() {
  const query = useQuery(preferencesQuery);
  const change = useCommand(choose);
  if (query.error && !query.data)
    return (
      <ErrorBox error={query.error} prefix="Error loading your preferences" onRetry={() => void query.refetch()} />
    );
  if (!query.data) return <Loading label="Loading your preferences" />;
  return (
    <Card
      title="Notifications"
      description="Digest emails contain unread items, once a day or once a week. Deadlines and payments are always emailed right away."
    >
      <ul className="-my-3 divide-y divide-line">
        {query.data.map((row) => (
          <li key={row.kind} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
            <span className="min-w-48 flex-1 font-medium">{row.title}</span>
            <span className="flex items-center gap-4">
              <Check
                label="In the app"
                name={`${row.title}: in the app`}
                checked={row.inApp}
                onChange={(inApp) => change.mutate({ kind: row.kind, inApp, mail: row.mail })}
              />
              {row.atOnce ? (
                <span className="flex min-h-9 w-36 items-center text-muted">Emailed right away</span>
              ) : (
                <Select
                  className="w-36"
                  label={`${row.title}: by email`}
                  value={row.mail}
                  onChange={(event) =>
                    change.mutate({
                      kind: row.kind,
                      inApp: row.inApp,
                      mail: MAILS.find((item) => item.value === event.target.value)?.value ?? 'off',
                    })
                  }
                >
                  {MAILS.map((item) => (
                    <option key={item.value} value={item.value}>
                      {item.label}
                    </option>
                  ))}
                </Select>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
