export { Integrations as IntegrationsPage } from '@/features/site/components/integrations';
