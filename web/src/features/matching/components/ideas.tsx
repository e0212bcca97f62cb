// Ideas and niches: a few answers, the ideas for them, and what was saved and dismissed.
import { useQuery } from '@tanstack/react-query';
import { Bookmark, Compass, Pencil } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { Check } from '@/components/ui/check';
import { Tabs } from '@/components/ui/tabs';
import { useCommand } from '@/lib/api/command';
import { cx } from '@/lib/cx';
import { DismissDialog } from './dismiss-dialog';
import { AnswersForm } from './idea-answers';
import { IdeaCard } from './idea-card';
import { IdeaComparison } from './idea-comparison';
import { WordingLine } from './wording';
import {
  ideasQuery,
  releaseIdea,
  saveIdea,
  wordIdeas,
  type DismissedIdea,
  type Idea,
  type IdeaProgram,
  type Ideas,
} from '../api/ideas';
import { noIdeasNote, percentOf, REASONS } from '../lib/idea-labels';

/** The dialog that makes a tracked link to a program: of another feature, given by the page. */
export type ProgramLink = (program: IdeaProgram, onClose: () => void) => ReactNode;

interface Props {
  readonly programLink: ProgramLink;
  /** Prefills matching on this page; without it a link leads there. */
  readonly onMatch?: (idea: string) => void;
}

type View = 'ideas' | 'saved' | 'dismissed';
const MAX_COMPARED = 4;

export function IdeasPanel({ programLink, onMatch }: Props) {
  const found = useQuery(ideasQuery);
  const [asking, setAsking] = useState(false);
  const [view, setView] = useState<View>('ideas');
  const [linked, setLinked] = useState<IdeaProgram | null>(null);
  if (found.error && !found.data)
    return <ErrorBox error={found.error} prefix="Error loading ideas" onRetry={() => void found.refetch()} />;
  if (!found.data) return <Loading label="Loading ideas" />;
  const { answers, saved, dismissed } = found.data;
  if (answers === null || asking)
    return (
      <AnswersForm
        answers={answers}
        onGenerated={() => {
          setAsking(false);
          setView('ideas');
        }}
      />
    );
  const shared = { onMatch, onLink: setLinked };
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1">
          <h2 className="text-xl font-semibold">Ideas for you</h2>
          <p className="text-muted">{`From: ${answers.interests.join(', ')}`}</p>
        </div>
        <Button size="sm" onClick={() => setAsking(true)}>
          <Pencil aria-hidden className="size-3.5" />
          Change answers
        </Button>
      </div>
      <Tabs
        label="Chosen and open ideas"
        value={view}
        onChange={(id) => setView(id as View)}
        tabs={[
          { id: 'ideas', label: 'Ideas', content: <Round found={found.data} {...shared} /> },
          { id: 'saved', label: `Saved (${saved.length})`, content: <Saved ideas={saved} {...shared} /> },
          { id: 'dismissed', label: `Dismissed (${dismissed.length})`, content: <Dismissed ideas={dismissed} /> },
        ]}
      />
      {linked && programLink(linked, () => setLinked(null))}
    </>
  );
}

interface Shared {
  readonly onMatch: ((idea: string) => void) | undefined;
  readonly onLink: (program: IdeaProgram) => void;
}

function Round({ found, ...shared }: Shared & { readonly found: Ideas }) {
  const [refused, setRefused] = useState<Idea | null>(null);
  const save = useCommand(saveIdea);
  const { ideas, emptyReason, minScore, resultsKnown, wording } = found;
  if (emptyReason)
    return (
      <Empty icon={<Compass aria-hidden className="size-5" />} title="No ideas found">
        {noIdeasNote(emptyReason, minScore)}
      </Empty>
    );
  return (
    <>
      {!resultsKnown && (
        <p role="status" className="mb-4 rounded-lg bg-warn-soft px-4 py-3 text-warn">
          Your results are unavailable right now: ideas are scored without them.
        </p>
      )}
      <WordingLine wording={wording} what="Texts" command={wordIdeas} ids={ideas.map((idea) => idea.id)} />
      <Cards>
        {ideas.map((idea) => (
          <li key={idea.id}>
            <IdeaCard
              idea={idea}
              {...shared}
              actions={
                <>
                  <Button
                    aria-label={`Save ${idea.name}`}
                    disabled={save.isPending}
                    onClick={() => save.mutate(idea.id)}
                  >
                    Save
                  </Button>
                  <Button variant="ghost" aria-label={`Dismiss ${idea.name}`} onClick={() => setRefused(idea)}>
                    Dismiss
                  </Button>
                </>
              }
            />
          </li>
        ))}
      </Cards>
      <p className="mt-4 text-[0.8125rem] text-muted">{`Ideas below ${percentOf(minScore)} are not shown.`}</p>
      {refused && <DismissDialog idea={refused} onClose={() => setRefused(null)} />}
    </>
  );
}

function Saved({ ideas, ...shared }: Shared & { readonly ideas: readonly Idea[] }) {
  const [compared, setCompared] = useState<readonly string[]>([]);
  const [open, setOpen] = useState(false);
  const release = useCommand(releaseIdea);
  const chosen = ideas.filter((idea) => compared.includes(idea.id));
  if (ideas.length === 0)
    return (
      <Empty icon={<Bookmark aria-hidden className="size-5" />} title="No saved ideas">
        Save ideas to compare them side by side.
      </Empty>
    );
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Button variant="primary" disabled={chosen.length < 2} onClick={() => setOpen(true)}>
          {`Compare (${chosen.length})`}
        </Button>
        <p className="text-[0.8125rem] text-muted">{`Choose 2 to ${MAX_COMPARED} ideas.`}</p>
      </div>
      <Cards>
        {ideas.map((idea) => (
          <li key={idea.id}>
            <IdeaCard
              idea={idea}
              {...shared}
              actions={
                <>
                  <Check
                    label="Compare"
                    name={`Compare ${idea.name}`}
                    checked={compared.includes(idea.id)}
                    disabled={chosen.length >= MAX_COMPARED && !compared.includes(idea.id)}
                    onChange={(on) =>
                      setCompared(on ? [...compared, idea.id] : compared.filter((id) => id !== idea.id))
                    }
                  />
                  <Button
                    variant="ghost"
                    aria-label={`Remove ${idea.name}`}
                    disabled={release.isPending}
                    onClick={() => release.mutate(idea.id)}
                  >
                    Remove
                  </Button>
                </>
              }
            />
          </li>
        ))}
      </Cards>
      {open && <IdeaComparison ideas={chosen} onClose={() => setOpen(false)} />}
    </>
  );
}

function Dismissed({ ideas }: { readonly ideas: readonly DismissedIdea[] }) {
  const release = useCommand(releaseIdea);
  if (ideas.length === 0) return <Empty title="No dismissed ideas" />;
  return (
    <ul className={cx(surface, 'divide-y divide-line px-5')}>
      {ideas.map((idea) => (
        <li key={idea.id} className="flex flex-wrap items-center gap-3 py-3">
          <div className="min-w-0 flex-1 basis-56">
            <p className="font-medium">{`${idea.name} · ${idea.industry}`}</p>
            <p className="text-[0.8125rem] text-muted">
              {`${REASONS[idea.reason].label}${idea.note ? `: ${idea.note}` : ''}. ${idea.heeded ? 'Taken into account.' : 'Your next ideas will take it into account.'}`}
            </p>
          </div>
          <Button
            size="sm"
            aria-label={`Restore ${idea.name}`}
            disabled={release.isPending}
            onClick={() => release.mutate(idea.id)}
          >
            Restore
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Cards({ children }: { readonly children: ReactNode }) {
  return <ul className="grid items-start gap-5 lg:grid-cols-2">{children}</ul>;
}
