import { useSearch } from '@tanstack/react-router';
import { textOf } from '@/lib/search';
import { InquiryForm } from '@/features/leads/inquiry-form';
import { isService } from '@/features/leads/queries';
import { Consulting } from '@/features/site/offers';

export function ConsultingPage() {
  const asked = textOf(useSearch({ from: '/consulting' })['service']);
  return <Consulting form={<InquiryForm service={isService(asked) ? asked : undefined} />} />;
}
