import { Link } from '@tanstack/react-router';
import { When } from '@/components/data/when';
import { cx } from '@/lib/cx';
import { formatCompact, formatCount } from '@/lib/format';
import { writeForum, type ForumState } from '../lib/search';
import type { Category } from '../lib/types';

interface Props {
  readonly categories: readonly Category[];
  readonly state: ForumState;
}

/** Each card shows its threads alone; the one that is shown, all of them again. */
export function CategoryCards({ categories, state }: Props) {
  return (
    <nav aria-label="Categories">
      <ul className="grid grid-cols-2 gap-2 sm:gap-3 lg:grid-cols-3">
        {categories.map((category) => {
          const current = category.slug === state.category;
          return (
            <li key={category.id}>
              <Link
                to="/forum"
                search={writeForum({ ...state, category: current ? null : category.slug })}
                resetScroll={false}
                className={cx(
                  'flex h-full flex-col rounded-xl border bg-surface p-3 shadow-card sm:p-4 transition-colors',
                  current ? 'border-brand bg-brand-soft' : 'border-line hover:border-line-strong',
                )}
              >
                <span className="font-semibold">{category.name}</span>
                <span className="mt-1 flex-1 text-[0.8125rem] text-muted max-sm:hidden">{category.description}</span>
                <span className="mt-1 text-[0.8125rem] text-muted tabular sm:mt-3">
                  {`${formatCount(category.threads)} ${category.threads === 1 ? 'thread' : 'threads'} · ${formatCompact(category.replies)} ${category.replies === 1 ? 'reply' : 'replies'}`}
                  {category.lastActivityAt && (
                    <>
                      {' · '}
                      <When at={category.lastActivityAt} />
                    </>
                  )}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
