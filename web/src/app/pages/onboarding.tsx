import { Link } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConnectWebsite } from '@/features/websites/components/connect-website';
import { Page } from './page';

export function OnboardingPage() {
  return (
    <Page narrow title="Connect a website" subtitle="Three steps to the first event">
      <Card title="Your website" description="Add one line of code to your site to count its page views and clicks.">
        <ConnectWebsite
          next={(website) => (
            <Link to="/dashboard" search={{ website: website.id }} className={buttonClass({ variant: 'primary' })}>
              Go to Dashboard
            </Link>
          )}
        />
      </Card>
    </Page>
  );
}
