import { Card } from '@/components/ui/card';
import { ConnectWebsite } from '@/features/websites/components/connect-website';
import { AfterConnecting } from './after-connecting';
import { Page } from './page';

export function OnboardingPage() {
  return (
    <Page narrow title="Connect a website" subtitle="Three steps to the first event">
      <Card title="Your website" description="Add one line of code to your site to count its page views and clicks.">
        <ConnectWebsite next={(website) => <AfterConnecting website={website.id} />} />
      </Card>
    </Page>
  );
}
