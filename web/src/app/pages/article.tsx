import { useLoaderData } from '@tanstack/react-router';
import type { Article, Card } from '@/lib/content';
import { ShareSection } from '@/features/leads/components/share-section';
import { ArticlePage } from '@/features/site/components/article';

interface Read {
  readonly article: Article;
  readonly cards: readonly Card[];
}

export function BlogArticlePage() {
  const read = useLoaderData({ from: '/blog/$slug' });
  const { title, description } = read.article.card;
  return (
    <One
      {...read}
      back={{ to: '/blog', says: 'Blog' }}
      share={<ShareSection title={title} description={description} variant="icon" />}
    />
  );
}

export function HelpArticlePage() {
  return <One {...useLoaderData({ from: '/help/$slug' })} back={{ to: '/help', says: 'Help Center' }} />;
}

export function PrivacyPage() {
  return <ArticlePage article={useLoaderData({ from: '/privacy' }).article} back={{ to: '/', says: 'Home' }} />;
}

export function TermsPage() {
  return <ArticlePage article={useLoaderData({ from: '/terms' }).article} back={{ to: '/', says: 'Home' }} />;
}

function One({
  article,
  cards,
  ...rest
}: Read & Omit<Parameters<typeof ArticlePage>[0], 'article' | 'previous' | 'next'>) {
  const at = cards.findIndex((card) => card.slug === article.card.slug);
  return (
    <ArticlePage key={article.card.slug} article={article} previous={cards[at - 1]} next={cards[at + 1]} {...rest} />
  );
}
