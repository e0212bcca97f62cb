import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { textOf } from '@/lib/url/search';
import { websitesQuery } from '@/lib/api/shared-queries';
import { MyPartners } from '@/features/partners/components/my-partners';
import { MyRequests } from '@/features/partners/components/my-requests';
import { Page } from './page';

export function MyPartnersPage() {
  const navigate = useNavigate();
  const websites = useQuery(websitesQuery);
  const wanted = textOf(useSearch({ from: '/member/links/partners' })['website']);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  return (
    <Page
      title="My partners"
      subtitle="Add programs of your own, or request them for everyone"
      tools={
        <div className="flex flex-wrap gap-2">
          {website && (websites.data?.length ?? 0) > 1 && (
            <Select
              label="Website of postback URLs"
              value={website.id}
              onChange={(event) => void navigate({ to: '/links/partners', search: { website: event.target.value } })}
            >
              {websites.data?.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.domain}
                </option>
              ))}
            </Select>
          )}
          <Link to="/links" className={buttonClass()}>
            All links
          </Link>
        </div>
      }
    >
      <div className="flex flex-col gap-6">
        <MyPartners website={website} />
        <MyRequests />
      </div>
    </Page>
  );
}
