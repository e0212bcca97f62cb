export { Integrations as IntegrationsPage } from '@/features/site/integrations';
