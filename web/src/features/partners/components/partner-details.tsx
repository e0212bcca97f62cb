import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import type { AdminPartner } from '@/lib/api/types';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { countOf } from '@/lib/format';
import { useNow } from '@/lib/dates/now';
import { aboutQuery } from '@/lib/api/setup-queries';
import { networkOf, postbackHint, postbackUrl, TOKEN_PLACE } from '@/lib/networks/postback';
import { termsHistoryQuery } from '../api/terms';

/** What a partner paid since when, and the address that its network calls. */
export function PartnerDetails({ partner, onClose }: { readonly partner: AdminPartner; readonly onClose: () => void }) {
  const about = useQuery(aboutQuery);
  const history = useQuery(termsHistoryQuery(partner.id));
  const now = useNow();
  // The newest first; those ahead are announced.
  const inForce = history.data?.find((item) => Date.parse(item.effectiveAt) <= now);
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={partner.name}
      description={`${countOf(partner.links, 'link')}, ${countOf(partner.conversions, 'conversion')}, ${countOf(partner.cookieDays, 'day')} cookie window.`}
    >
      <div className="flex flex-col gap-5">
        <p className="text-[0.8125rem] text-muted">
          {partner.clickIdParameter
            ? `Links pass the click ID as ${partner.clickIdParameter} (${networkOf(partner.postbackPreset)?.label}).`
            : 'Links can’t pass a click ID: set the network or the click ID parameter of this partner.'}
        </p>
        <section aria-label="Commission history">
          <h3 className="mb-2 font-medium">Commission history</h3>
          {history.error ? (
            <ErrorBox error={history.error} onRetry={() => void history.refetch()} />
          ) : !history.data ? (
            <Skeleton className="h-16" />
          ) : (
            <ol className="divide-y divide-line rounded-lg border border-line">
              {history.data.map((item) => (
                <li key={item.effectiveAt} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
                  <span className="font-medium">{item.terms.text}</span>
                  <span className="text-muted">
                    {item === inForce ? 'in effect since' : Date.parse(item.effectiveAt) > now ? 'from' : 'since'}{' '}
                    {formatZoned(item.effectiveAt, browserTimezone())}
                  </span>
                </li>
              ))}
            </ol>
          )}
        </section>
        {about.error && <ErrorBox error={about.error} onRetry={() => void about.refetch()} />}
        {about.data && (
          <section aria-label="Postback" className="flex flex-col gap-2">
            <CopyField
              label="Postback URL for the network"
              value={postbackUrl(about.data.trackingUrl, partner.slug, partner.postbackPreset)}
              multiline
            />
            <p className="text-[0.8125rem] text-muted">
              {postbackHint(partner.postbackPreset)} Replace {TOKEN_PLACE} with the website’s postback token: in Account
              Settings, Websites, a new token comes with the complete URL.
            </p>
          </section>
        )}
      </div>
    </Dialog>
  );
}
