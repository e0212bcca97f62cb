import { useQuery } from '@tanstack/react-query';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { countryName } from '@/lib/labels/countries';
import { ago } from '@/lib/dates';
import { useNow } from '@/lib/dates/now';
import { Loaded } from './loaded';
import { endOtherSessions, endSession } from '../api/account-commands';
import { sessionsQuery } from '../api/sessions';

export function SessionsCard() {
  const sessions = useQuery(sessionsQuery);
  const now = useNow();
  const end = useCommand(endSession);
  const endOthers = useCommand(endOtherSessions);
  const others = sessions.data?.some((session) => !session.current) ?? false;
  return (
    <Card
      title="Sessions"
      description="Devices where you are signed in"
      actions={
        others && (
          <Button size="sm" busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sign out other sessions
          </Button>
        )
      }
    >
      <Loaded query={sessions}>
        {(rows) => (
          <ul aria-label="Sessions" className="divide-y divide-line">
            {rows.map((session) => (
              <li key={session.id} className="flex items-center gap-3 py-2.5 first:pt-0 last:pb-0">
                <div className="min-w-0 flex-1">
                  <p className="font-medium">{session.device || 'Unknown browser'}</p>
                  <p className="text-[0.8125rem] text-muted">
                    {sentence([
                      session.country === 'ZZ' ? '' : countryName(session.country),
                      session.current ? 'active now' : `last active ${ago(Date.parse(session.lastSeenAt), now)} ago`,
                    ])}
                  </p>
                </div>
                {session.current ? (
                  <Badge tone="good">This session</Badge>
                ) : (
                  <Button
                    size="sm"
                    aria-label={`Sign out session: ${session.device || 'an unknown browser'}`}
                    disabled={end.isPending}
                    onClick={() => end.mutate(session.id)}
                  >
                    Sign out
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function sentence(parts: readonly string[]): string {
  const text = parts.filter(Boolean).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
