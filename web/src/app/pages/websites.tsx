import { Link } from '@tanstack/react-router';
import { AllWebsites } from '@/features/websites/components/all-websites';
import { NoWebsites } from './no-websites';
import { Page } from './page';
import { textLink } from './text-link';

export function WebsitesPage() {
  return (
    <Page title="All websites" subtitle="Today, yesterday and the last 30 days of each of your websites">
      <AllWebsites
        none={<NoWebsites />}
        link={(website) => (
          <Link to="/analytics" search={{ website: website.websiteId }} className={textLink}>
            {website.domain}
          </Link>
        )}
      />
    </Page>
  );
}
