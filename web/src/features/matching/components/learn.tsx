// The learning hub: courses of guides and articles, how far one got, and niches that may be worth a try.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Lightbulb } from 'lucide-react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Badge, type Tone } from '@/components/ui/badge';
import { buttonClass } from '@/components/ui/button';
import { Card, surface } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { cx } from '@/lib/cx';
import { useSession } from '@/lib/session';
import { IdeasPanel, type ProgramLink } from './late-ideas';
import {
  coursesQuery,
  keyOf,
  markLesson,
  progressQuery,
  suggestionsQuery,
  type Course,
  type Lesson,
  type Suggestion,
} from '../api/courses';

const DIFFICULTY: Readonly<Record<string, Tone>> = { easy: 'good', medium: 'warn', hard: 'bad' };

export function LearningHub({ programLink }: { readonly programLink: ProgramLink }) {
  const session = useSession();
  const courses = useQuery(coursesQuery);
  const progress = useQuery({ ...progressQuery, enabled: session !== null });
  const finished = new Set(
    (session && progress.data ? progress.data : []).map((item) => keyOf(item.course, item.lesson)),
  );
  // What comes late would move what is below it: all of it is shown at once.
  const waiting = (!courses.data && !courses.error) || (session !== null && progress.isPending);
  if (waiting) return <Skeleton className="h-dvh" />;
  return (
    <div className="flex flex-col gap-8">
      {!session && (
        <p className="rounded-lg border border-line bg-surface px-4 py-3 text-muted">
          <Link to="/login" search={{ next: '/learn' }} className="font-medium text-brand underline">
            Sign in
          </Link>{' '}
          to save your progress and get suggestions.
        </p>
      )}
      {progress.error && !progress.data && (
        <ErrorBox error={progress.error} prefix="Error loading your progress" onRetry={() => void progress.refetch()} />
      )}
      {courses.error ? (
        <ErrorBox error={courses.error} onRetry={() => void courses.refetch()} />
      ) : (
        <div className="grid items-start gap-5 lg:grid-cols-2">
          {courses.data?.map((course) => (
            <CourseCard
              key={course.id}
              course={course}
              finished={finished}
              canMark={session !== null && progress.data !== undefined}
            />
          ))}
        </div>
      )}
      {session && <Suggestions />}
      {session && (
        <div>
          <IdeasPanel programLink={programLink} />
        </div>
      )}
    </div>
  );
}

function CourseCard({
  course,
  finished,
  canMark,
}: {
  readonly course: Course;
  readonly finished: ReadonlySet<string>;
  readonly canMark: boolean;
}) {
  const got = course.lessons.filter((lesson) => finished.has(keyOf(course.id, lesson.id))).length;
  const share = course.lessons.length === 0 ? 0 : Math.round((got / course.lessons.length) * 100);
  return (
    <Card
      title={course.title}
      description={`${course.lessons.length} ${course.lessons.length === 1 ? 'lesson' : 'lessons'} · ${course.minutes} min`}
      actions={
        canMark && (
          <Badge tone={share === 100 ? 'good' : 'neutral'}>
            {share === 100 ? 'Completed' : `${got} of ${course.lessons.length} done`}
          </Badge>
        )
      }
    >
      {canMark && (
        <div
          role="progressbar"
          aria-label={`Progress in ${course.title}`}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={share}
          className="mb-4 h-2 overflow-hidden rounded-full bg-sunken"
        >
          <div className="h-full rounded-full bg-brand" style={{ width: `${share}%` }} />
        </div>
      )}
      <ol className="flex flex-col divide-y divide-line">
        {course.lessons.map((lesson, index) => (
          <li key={lesson.id} className="py-2.5 first:pt-0 last:pb-0">
            <LessonRow
              course={course}
              lesson={lesson}
              number={index + 1}
              isDone={finished.has(keyOf(course.id, lesson.id))}
              canMark={canMark}
            />
          </li>
        ))}
      </ol>
    </Card>
  );
}

interface RowProps {
  readonly course: Course;
  readonly lesson: Lesson;
  readonly number: number;
  readonly isDone: boolean;
  readonly canMark: boolean;
}

function LessonRow({ course, lesson: { id, card }, number, isDone, canMark }: RowProps) {
  const marking = useCommand(markLesson(course.id, id));
  const shown = marking.isPending ? marking.variables : isDone;
  return (
    <div className="flex items-start gap-3">
      {canMark ? (
        <input
          type="checkbox"
          className="mt-1 size-4 shrink-0 accent-brand"
          aria-label={`${card.title}: done`}
          checked={shown}
          onChange={(event) => !marking.isPending && marking.mutate(event.target.checked)}
        />
      ) : (
        <span aria-hidden className="w-5 shrink-0 text-muted">
          {number}.
        </span>
      )}
      <div className="min-w-0">
        <Link
          to={`/${card.kind}/${card.slug}` as '/'}
          className={cx('inline-block min-h-6 font-medium hover:underline', shown && 'text-muted')}
        >
          {card.title}
        </Link>
        <p className="text-[0.8125rem] text-muted">{`${card.minutes} min · ${card.description}`}</p>
      </div>
    </div>
  );
}

function Suggestions() {
  const found = useQuery(suggestionsQuery);
  return (
    <section aria-labelledby="niches">
      <h2 id="niches" className="text-xl font-semibold">
        Niches to try
      </h2>
      <p className="mt-0.5 mb-4 text-muted">
        {found.data?.fromOwnResults
          ? 'Niches where your links earned money come first.'
          : 'Starter ideas. We’ll rank them once you have results.'}
      </p>
      {found.error && !found.data ? (
        <ErrorBox error={found.error} onRetry={() => void found.refetch()} />
      ) : !found.data ? (
        <Skeleton className="h-40" />
      ) : (
        <ul className="grid gap-4 md:grid-cols-2 lg:grid-cols-3">
          {found.data.suggestions.map((item) => (
            <Niche key={item.niche} item={item} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Niche({ item }: { readonly item: Suggestion }) {
  return (
    <li className={cx(surface, 'flex flex-col p-5')}>
      <h3 className="flex items-center gap-2 font-semibold">
        <Lightbulb aria-hidden className="size-4 shrink-0 text-brand" />
        {item.niche}
      </h3>
      <p className="mt-1 flex flex-wrap gap-1.5">
        <Badge>{item.industry}</Badge>
        <Badge tone={DIFFICULTY[item.difficulty] ?? 'neutral'}>{`Difficulty: ${item.difficulty}`}</Badge>
      </p>
      <p className="mt-3">{item.idea}</p>
      <p className="mt-2 mb-4 text-[0.8125rem] text-muted">{item.why}</p>
      <Link
        to="/affiliate-matching"
        search={{ idea: item.idea }}
        className={buttonClass({ size: 'sm' }, 'mt-auto self-start')}
        aria-label={`Match this idea: ${item.niche}`}
      >
        Match this idea
      </Link>
    </li>
  );
}
