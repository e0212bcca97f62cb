import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import type { AdminPartner } from '@/lib/api/types';
import { browserTimezone, formatDateTime } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { aboutQuery } from '@/lib/shared-queries';
import { postbackUrl, TOKEN_PLACE } from './postback';
import { termsHistoryQuery } from './queries';

/** What a partner paid since when, and the address that its network calls. */
export function PartnerDetails({ partner, onClose }: { readonly partner: AdminPartner; readonly onClose: () => void }) {
  const about = useQuery(aboutQuery);
  const history = useQuery(termsHistoryQuery(partner.id));
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={partner.name}
      description={`${formatCount(partner.links)} links, ${formatCount(partner.conversions)} conversions, ${partner.cookieDays} days of cookie window.`}
    >
      <div className="flex flex-col gap-5">
        <section aria-label="Commission history">
          <h3 className="mb-2 font-medium">Commission history</h3>
          {history.error ? (
            <ErrorBox error={history.error} onRetry={() => void history.refetch()} />
          ) : !history.data ? (
            <Skeleton className="h-16" />
          ) : (
            <ol className="divide-y divide-line rounded-lg border border-line">
              {history.data.map((item, index) => (
                <li key={item.effectiveAt} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
                  <span className="font-medium">{item.terms.text}</span>
                  <span className="text-muted">
                    since {formatDateTime(item.effectiveAt, browserTimezone())}
                    {index === 0 && ', in force'}
                  </span>
                </li>
              ))}
            </ol>
          )}
        </section>
        {about.data && (
          <section aria-label="Postback" className="flex flex-col gap-2">
            <CopyField label="Postback URL for the network" value={postbackUrl(about.data.trackingUrl, partner.slug, partner.postbackPreset)} multiline />
            <p className="text-[0.8125rem] text-muted">
              The network fills in what is in braces. In place of {TOKEN_PLACE} goes the postback token of the website that earns; its owner finds it in Account Settings, Websites.
            </p>
          </section>
        )}
      </div>
    </Dialog>
  );
}
