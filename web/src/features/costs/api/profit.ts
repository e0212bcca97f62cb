// What came of the costs: revenue, cost and profit by campaign.
import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type CampaignProfit = components['schemas']['BreakdownRow'];

const ROWS = 20;
const RANGE = '30d';

/** Campaigns of the last 30 days, the largest loss first. */
export const campaignProfitQuery = (websiteId: string) => {
  const query = {
    websiteId,
    timeRange: RANGE,
    by: 'utm_campaign',
    metrics: 'clicks,cost,revenue,profit,roi',
    sort: 'profit',
    compare: 'none',
    limit: ROWS,
  } as const;
  return queryOptions({
    queryKey: ['analytics', 'campaign-profit', websiteId] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/analytics/breakdown', { params: { query }, signal })),
  });
};
