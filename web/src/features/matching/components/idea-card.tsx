import { Link } from '@tanstack/react-router';
import { Link2, Target } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button, buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import type { Idea, IdeaProgram } from '../api/ideas';
import { builderAddress } from '../lib/builder';
import { basisOf, earningsOf, INTENTS, LEVELS, monthsOf, partOf, percentOf } from '../lib/idea-labels';

interface Props {
  readonly idea: Idea;
  /** Prefills matching on this page; without it a link leads there. */
  readonly onMatch?: ((idea: string) => void) | undefined;
  readonly onLink: (program: IdeaProgram) => void;
  /** Save, dismiss, compare. */
  readonly actions: ReactNode;
}

export function IdeaCard({ idea, onMatch, onLink, actions }: Props) {
  const level = LEVELS[idea.competition.level];
  return (
    <article className={cx(surface, 'flex flex-col gap-4 p-5')} aria-label={idea.name}>
      <header className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h3 className="text-base font-semibold">{idea.name}</h3>
          <p className="mt-1 flex flex-wrap gap-1.5">
            <Badge>{idea.industry}</Badge>
            <Badge>{idea.languageName}</Badge>
            {idea.narratedBy === 'model' && <Badge tone="brand">AI-written texts</Badge>}
          </p>
        </div>
        <p className="tabular rounded-lg bg-brand-soft px-2.5 py-1 font-semibold text-brand">{percentOf(idea.score)}</p>
      </header>
      <p>{idea.pitch ?? idea.idea}</p>
      <dl className="grid gap-3 text-[0.8125rem] sm:grid-cols-2">
        <Fact name="Audience">{idea.audience}</Fact>
        <Fact name="Search intent" note={`People search: ${idea.intent.queries.join(' · ')}`}>
          {`First ten articles: ${idea.intent.informational} answers, ${idea.intent.commercial} comparisons, ${idea.intent.transactional} reviews`}
        </Fact>
        <Fact name="Competition (estimate)" note={idea.competition.reason}>
          <Badge tone={level.tone}>{level.label}</Badge>
        </Fact>
        <Fact name="Season (estimate)" note={idea.season.reason}>
          {monthsOf(idea.season.months)}
        </Fact>
        <Fact name="Effort (estimate)" note={idea.effort.reason}>
          {`${idea.effort.hours} hours a week, ${idea.effort.money} USD to start`}
        </Fact>
      </dl>
      <section>
        <h4 className="font-semibold">Expected earnings per 1,000 visitors</h4>
        <ul className="mt-1 divide-y divide-line">
          {idea.programs.map((program) => (
            <li key={program.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
              <div className="min-w-0 flex-1 basis-40">
                <p className="font-medium">{program.companyName}</p>
                <p className="text-[0.8125rem] text-muted">
                  <span className="tabular">{earningsOf(program)}</span>
                  {program.earnings && `, ${basisOf(program)}`}
                </p>
              </div>
              <Button size="sm" aria-label={`Create link to ${program.companyName}`} onClick={() => onLink(program)}>
                <Link2 aria-hidden className="size-3.5" />
                Create link
              </Button>
            </li>
          ))}
        </ul>
        <Fold title="Assumptions">
          <ul className="flex flex-col gap-2">
            {idea.programs.map((program) => (
              <li key={program.id}>
                <p className="font-medium">{program.companyName}</p>
                <ul className="list-disc pl-5 text-muted">
                  {program.earnings?.assumptions.map((text) => (
                    <li key={text}>{text}</li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </Fold>
      </section>
      <div>
        <Fold title={`Why ${percentOf(idea.score)}`}>
          <Parts idea={idea} />
        </Fold>
        <Fold title="First ten articles">
          <Plan idea={idea} />
        </Fold>
      </div>
      <footer className="mt-auto flex flex-wrap items-center gap-2">
        {onMatch ? (
          <Button variant="primary" aria-label={`Match this idea: ${idea.name}`} onClick={() => onMatch(idea.idea)}>
            <Target aria-hidden className="size-4" />
            Match this idea
          </Button>
        ) : (
          <Link
            to="/affiliate-matching"
            search={{ idea: idea.idea }}
            className={buttonClass({ variant: 'primary' })}
            aria-label={`Match this idea: ${idea.name}`}
          >
            <Target aria-hidden className="size-4" />
            Match this idea
          </Link>
        )}
        <Link to={builderAddress(idea)} className={buttonClass()} aria-label={`Build a website: ${idea.name}`}>
          Build a website
        </Link>
        <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>
      </footer>
    </article>
  );
}

function Fact({
  name,
  note,
  children,
}: {
  readonly name: string;
  readonly note?: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="min-w-0">
      <dt className="font-medium">{name}</dt>
      <dd>{children}</dd>
      {note && <dd className="text-muted">{note}</dd>}
    </div>
  );
}

function Fold({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details className="mt-1 text-[0.8125rem]">
      <summary className="min-h-6 cursor-pointer font-medium text-brand">{title}</summary>
      <div className="mt-2">{children}</div>
    </details>
  );
}

/** The score, part by part: points of how many, and why. */
function Parts({ idea }: { readonly idea: Idea }) {
  return (
    <>
      <ul className="divide-y divide-line">
        {idea.parts.map((part) => (
          <li key={part.name} className="flex gap-3 py-1">
            <span className="w-24 shrink-0 font-medium">{partOf(part.name)}</span>
            <span className="tabular w-20 shrink-0 text-right">
              {`${(part.points * 100).toFixed(1)} of ${(part.weight * 100).toFixed(0)}`}
            </span>
            <span className="min-w-0">{part.why}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-muted">{idea.estimateSource}</p>
    </>
  );
}

function Plan({ idea }: { readonly idea: Idea }) {
  return (
    <>
      <ol className="flex list-decimal flex-col gap-3 pl-5">
        {idea.plan.map((article) => (
          <li key={article.title}>
            <p className="font-medium">{article.title}</p>
            <p className="text-muted">{`${INTENTS[article.intent]}: ${article.outline.join(' · ')}`}</p>
          </li>
        ))}
      </ol>
      {idea.moreTitles.length > 0 && (
        <>
          <p className="mt-3 font-medium">More titles, written by AI</p>
          <ul className="list-disc pl-5">
            {idea.moreTitles.map((title) => (
              <li key={title}>{title}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
