import { InquiryForm } from '@/features/leads/components/inquiry-form';
import { Contact } from '@/features/site/components/offers';
import { ContactAddress } from './contact-address';

export function ContactPage() {
  return <Contact form={<InquiryForm />} contactAddress={<ContactAddress otherwise="Use the contact form" />} />;
}
