export { Careers as CareersPage } from '@/features/site/components/offers';
