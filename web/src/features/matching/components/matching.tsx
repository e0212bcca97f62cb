// AI matching (spec §2): an idea, how it is understood, the programs that suit it; and where one applied.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Tabs } from '@/components/ui/tabs';
import { AnalysisPanel } from './analysis';
import { ApplicationsCard } from './applications';
import { IdeaForm } from './idea-form';
import { IdeasPanel, type ProgramLink } from './late-ideas';
import { profileQuery } from '../api/matching';
import { RecommendationsPanel } from './recommendations';

type Step = 'idea' | 'analysis' | 'recommendations' | 'ideas';

interface Props {
  readonly suggested: string;
  readonly programLink: ProgramLink;
}

export function Matching({ suggested, programLink }: Props) {
  const client = useQueryClient();
  const profile = useQuery(profileQuery);
  const [step, setStep] = useState<Step>('idea');
  const [draft, setDraft] = useState<string | null>(null); // state of the page: inactive tabs are unmounted
  const without = !profile.data;

  async function analyzed(): Promise<void> {
    client.removeQueries({ queryKey: ['matching', 'recommendations'] });
    await client.refetchQueries({ queryKey: profileQuery.queryKey });
    setStep('analysis');
  }

  if (profile.error && profile.data === undefined)
    return (
      <ErrorBox error={profile.error} prefix="Error loading your profile" onRetry={() => void profile.refetch()} />
    );
  if (profile.data === undefined) return <Loading label="Loading your profile" />;
  return (
    <>
      <Tabs
        label="Matching"
        value={step}
        onChange={(id) => setStep(id as Step)}
        tabs={[
          {
            id: 'idea',
            label: 'Business Idea',
            content: (
              <IdeaForm
                idea={draft ?? (suggested || profile.data?.business_idea || '')}
                onChange={setDraft}
                onAnalyzed={analyzed}
                onFind={() => setStep('ideas')}
              />
            ),
          },
          {
            id: 'analysis',
            label: 'Analysis',
            disabled: without,
            content: profile.data && <AnalysisPanel profile={profile.data} onNext={() => setStep('recommendations')} />,
          },
          { id: 'recommendations', label: 'Recommendations', disabled: without, content: <RecommendationsPanel /> },
          {
            id: 'ideas',
            label: 'Ideas & Niches',
            content: (
              <IdeasPanel
                programLink={programLink}
                onMatch={(idea) => {
                  setDraft(idea);
                  setStep('idea');
                }}
              />
            ),
          },
        ]}
      />
      <ApplicationsCard />
    </>
  );
}
