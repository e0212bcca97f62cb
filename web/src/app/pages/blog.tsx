import { useLoaderData } from '@tanstack/react-router';
import { BlogPage } from '@/features/site/components/article';

export function BlogIndexPage() {
  return <BlogPage cards={useLoaderData({ from: '/blog' })} />;
}
