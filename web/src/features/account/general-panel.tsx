import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { api, body } from '@/lib/api/client';
import { useUi, type Theme } from '@/stores/ui';

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'system', label: 'As the system' },
];

export function GeneralPanel() {
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <Profile />
      <Appearance />
    </div>
  );
}

function Profile() {
  const user = useQuery({
    queryKey: ['user'],
    queryFn: ({ signal }) => body(api.GET('/api/platform/user', { signal })),
  });
  return (
    <Card title="Profile" description="Who you are signed in as">
      {user.error ? (
        <ErrorBox error={user.error} onRetry={() => void user.refetch()} />
      ) : !user.data ? (
        <Skeleton className="h-24" />
      ) : (
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2.5">
          <dt className="text-muted">Name</dt>
          <dd className="min-w-0 break-words font-medium">{user.data.name}</dd>
          <dt className="text-muted">Email</dt>
          <dd className="min-w-0 font-medium break-all">{user.data.email}</dd>
          <dt className="text-muted">Roles</dt>
          <dd className="flex flex-wrap gap-1.5">
            {user.data.roles.map((role) => (
              <Badge key={role} tone="brand">
                {role}
              </Badge>
            ))}
          </dd>
        </dl>
      )}
    </Card>
  );
}

function Appearance() {
  const { theme, setTheme, singleKeys, setSingleKeys } = useUi();
  return (
    <Card title="Appearance and keyboard" description="Kept in this browser">
      <fieldset>
        <legend className="mb-2 font-medium">Theme</legend>
        <div className="flex flex-wrap gap-2">
          {THEMES.map((item) => (
            <label key={item.value} className="flex cursor-pointer items-center gap-2 rounded-lg border border-line px-3 py-2 has-checked:border-brand has-checked:bg-brand-soft">
              <input type="radio" name="theme" className="accent-brand" checked={theme === item.value} onChange={() => setTheme(item.value)} />
              {item.label}
            </label>
          ))}
        </div>
      </fieldset>
      <label className="mt-5 flex cursor-pointer items-center gap-2.5">
        <input type="checkbox" className="size-4 accent-brand" checked={singleKeys} onChange={(event) => setSingleKeys(event.target.checked)} />
        Single-key shortcuts
      </label>
    </Card>
  );
}
