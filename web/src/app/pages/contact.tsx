import { InquiryForm } from '@/features/leads/inquiry-form';
import { Contact } from '@/features/site/offers';
import { ContactAddress } from './contact-address';

export function ContactPage() {
  return <Contact form={<InquiryForm />} contactAddress={<ContactAddress otherwise="By this form" />} />;
}
