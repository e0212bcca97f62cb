import { useSearch } from '@tanstack/react-router';
import { textOf } from '@/lib/url/search';
import { InquiryForm } from '@/features/leads/components/inquiry-form';
import { isService } from '@/features/leads/api/leads';
import { Consulting } from '@/features/site/components/offers';

export function ConsultingPage() {
  const asked = textOf(useSearch({ from: '/consulting' })['service']);
  return <Consulting form={<InquiryForm service={isService(asked) ? asked : undefined} />} />;
}
