import { useLoaderData } from '@tanstack/react-router';
import { HelpPage } from '@/features/site/components/article';

export function HelpIndexPage() {
  return <HelpPage cards={useLoaderData({ from: '/help' })} />;
}
