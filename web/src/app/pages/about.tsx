import { About } from '@/features/site/components/about';
import { ContactAddress } from './contact-address';

export function AboutPage() {
  return <About contactAddress={<ContactAddress />} />;
}
