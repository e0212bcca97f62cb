import { About } from '@/features/site/about';
import { ContactAddress } from './contact-address';

export function AboutPage() {
  return <About contactAddress={<ContactAddress />} />;
}
