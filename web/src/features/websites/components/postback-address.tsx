import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { CopyField } from '@/components/ui/copy-field';
import { SelectField } from '@/components/ui/field';
import { postbackHint, postbackUrl } from '@/lib/postback';
import { aboutQuery, partnersQuery } from '@/lib/shared-queries';

/** The whole address that a network calls when it has a sale to report. The token is known at this moment alone. */
export function PostbackAddress({ token }: { readonly token: string }) {
  const about = useQuery(aboutQuery);
  const partners = useQuery(partnersQuery);
  const [chosen, setChosen] = useState('');
  const failed = about.error ?? partners.error;
  if (failed)
    return <ErrorBox error={failed} onRetry={() => void Promise.all([about.refetch(), partners.refetch()])} />;
  if (!about.data || !partners.data) return <Skeleton className="h-24" />;
  const active = partners.data.filter((partner) => partner.isActive);
  const partner = active.find((item) => item.id === chosen) ?? active[0];
  if (!partner)
    return <p className="text-[0.8125rem] text-muted">Once a partner exists, its postback URL appears here.</p>;
  return (
    <section aria-label="Postback URL" className="flex min-w-0 flex-col gap-3">
      <SelectField label="Partner" value={partner.id} onChange={(event) => setChosen(event.target.value)}>
        {active.map((item) => (
          <option key={item.id} value={item.id}>
            {item.name}
          </option>
        ))}
      </SelectField>
      <CopyField
        label="Postback URL for the network"
        value={postbackUrl(about.data.trackingUrl, partner.slug, partner.postbackPreset, token)}
        multiline
      />
      <p className="text-[0.8125rem] text-muted">{postbackHint(partner.postbackPreset)}</p>
    </section>
  );
}
