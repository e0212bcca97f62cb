import { useRef, type ReactNode } from 'react';
import { Dialog } from '@/components/ui/dialog';
import { useMoreBeside } from '@/components/ui/scroll-edges';
import type { Idea } from '../api/ideas';
import { earningsOf, LEVELS, monthsOf, partOf, percentOf } from '../lib/idea-labels';

const ROWS: readonly (readonly [string, (idea: Idea) => ReactNode])[] = [
  ['Score', (idea) => percentOf(idea.score)],
  ['Audience', (idea) => idea.audience],
  ['Language', (idea) => idea.languageName],
  ['People search', (idea) => idea.intent.queries.join(' · ')],
  ['Competition (estimate)', (idea) => LEVELS[idea.competition.level].label],
  ['Season (estimate)', (idea) => monthsOf(idea.season.months)],
  ['Hours a week (estimate)', (idea) => idea.effort.hours],
  ['USD to start (estimate)', (idea) => idea.effort.money],
  [
    'Earnings per 1,000 visitors',
    (idea) => (
      <ul>
        {idea.programs.map((program) => (
          <li key={program.id}>{`${program.companyName}: ${earningsOf(program)}`}</li>
        ))}
      </ul>
    ),
  ],
];

/** Ideas side by side: facts first, then the points of each part of the score. */
export function IdeaComparison({ ideas, onClose }: { readonly ideas: readonly Idea[]; readonly onClose: () => void }) {
  const parts = ideas[0]?.parts ?? [];
  const box = useRef<HTMLDivElement>(null);
  useMoreBeside(box);
  return (
    <Dialog open as="wide" onOpenChange={(open) => !open && onClose()} title="Compare ideas">
      <div
        ref={box}
        role="region"
        aria-label="Comparison"
        tabIndex={0}
        className="fades-sideways overflow-x-auto [overflow-wrap:anywhere]"
      >
        <table className="w-full min-w-[36rem] text-left text-[0.8125rem]">
          <thead>
            <tr>
              <td className="py-2 pr-3" />
              {ideas.map((idea) => (
                <th key={idea.id} scope="col" className="py-2 pr-3 text-sm font-semibold">
                  {idea.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map(([name, value]) => (
              <Row key={name} name={name}>
                {ideas.map((idea) => (
                  <td key={idea.id} className="py-2 pr-3">
                    {value(idea)}
                  </td>
                ))}
              </Row>
            ))}
            {parts.map((part, at) => (
              <Row key={part.name} name={`${partOf(part.name)}, points of ${(part.weight * 100).toFixed(0)}`}>
                {ideas.map((idea) => (
                  <td key={idea.id} className="tabular py-2 pr-3">
                    {((idea.parts[at]?.points ?? 0) * 100).toFixed(1)}
                  </td>
                ))}
              </Row>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <tr className="border-t border-line align-top">
      <th scope="row" className="py-2 pr-3 font-medium sm:whitespace-nowrap">
        {name}
      </th>
      {children}
    </tr>
  );
}
