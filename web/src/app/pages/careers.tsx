export { Careers as CareersPage } from '@/features/site/offers';
