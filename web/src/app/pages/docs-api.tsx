import { useLoaderData } from '@tanstack/react-router';
import type { Text } from '@/lib/content';
import { ApiDocs, isPart, type Part } from '@/features/site/components/api-docs';

const GUIDES: Readonly<Record<Exclude<Part, 'calls'>, () => Promise<{ default: Text }>>> = {
  tracking: () => import('../../../../docs/tracking-api.md'),
  conversions: () => import('../../../../docs/conversions.md'),
  analytics: () => import('../../../../docs/analytics-api.md'),
};

/** The section that the URL selects, with its guide. */
export async function guideOf(asked: string | undefined): Promise<{ part: Part; text: Text | null }> {
  const part = isPart(asked) ? asked : 'tracking';
  return { part, text: part === 'calls' ? null : (await GUIDES[part]()).default };
}

export function ApiDocsPage() {
  const { part, text } = useLoaderData({ from: '/docs/api' });
  return <ApiDocs key={part} part={part} text={text} />;
}
