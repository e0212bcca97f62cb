import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '@/components/data/states';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { userQuery } from '@/lib/api/shared-queries';
import { providersQuery } from '@/lib/session/sign-in-providers';
import { activityQuery } from '../api/activity';
import { linkedQuery } from '../api/linked-sign-ins';
import { sessionsQuery } from '../api/sessions';
import { accessTokensQuery } from '../api/access-tokens';
import { AccessTokensCard } from './access-tokens';
import { ActivityCard } from './activity';
import { AppearanceCard } from './appearance';
import { DataCard } from './data';
import { LinkedCard } from './linked';
import { PasswordCard } from './password';
import { ProfileCard } from './profile';
import { SessionsCard } from './sessions';
import { TwoFactorCard } from './two-factor';

/** All cards at once: one that comes late would move those below it. */
export function GeneralPanel() {
  const queries = [
    useQuery(userQuery),
    useQuery(sessionsQuery),
    useQuery(accessTokensQuery),
    useQuery(linkedQuery),
    useQuery(providersQuery),
    useCursorQuery(activityQuery),
  ];
  if (queries.some((query) => query.isPending)) {
    return (
      <div role="status" aria-label="Loading your settings" className="grid gap-5 lg:grid-cols-2">
        <Skeleton className="h-dvh" />
        <Skeleton className="h-dvh max-lg:hidden" />
      </div>
    );
  }
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <div className="grid gap-5">
        <ProfileCard />
        <PasswordCard />
        <TwoFactorCard />
        <LinkedCard />
      </div>
      <div className="grid gap-5">
        <AppearanceCard />
        <SessionsCard />
        <AccessTokensCard />
        <ActivityCard />
        <DataCard />
      </div>
    </div>
  );
}
