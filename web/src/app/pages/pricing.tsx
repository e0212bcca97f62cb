import { EarlyAccessBanner, EarlyAccessForm } from '@/features/leads/components/early-access-form';
import { Pricing } from '@/features/site/components/offers';

export function PricingPage() {
  return (
    <Pricing
      earlyAccess={
        <>
          <EarlyAccessBanner className="mb-4" />
          <EarlyAccessForm layout="row" />
        </>
      }
    />
  );
}
