import { ActivityCard } from './activity';
import { AppearanceCard } from './appearance';
import { DataCard } from './data';
import { LinkedCard } from './linked';
import { PasswordCard } from './password';
import { ProfileCard } from './profile';
import { SessionsCard } from './sessions';
import { TwoFactorCard } from './two-factor';

export function GeneralPanel() {
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
        <ActivityCard />
        <DataCard />
      </div>
    </div>
  );
}
