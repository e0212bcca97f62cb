import { EarlyAccessBanner, EarlyAccessForm } from '@/features/leads/early-access-form';
import { Pricing } from '@/features/site/offers';

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
