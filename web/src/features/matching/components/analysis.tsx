import { CircleCheck } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { Profile } from '../api/matching';
import { methodNote, potentialBar } from '../lib/labels';

const DIFFICULTY: Readonly<Record<string, Tone>> = { easy: 'good', medium: 'warn', hard: 'bad' };

export function AnalysisPanel({ profile, onNext }: { readonly profile: Profile; readonly onNext: () => void }) {
  return (
    <Card title="Business analysis" description={methodNote(profile.method, profile.silence)}>
      <dl className="grid gap-5 sm:grid-cols-2">
        <Fact name="Industry">
          <span className="text-base font-medium">{profile.industry}</span>
        </Fact>
        <Fact name="Difficulty">
          <Badge tone={DIFFICULTY[profile.difficulty_level] ?? 'neutral'}>
            <span className="capitalize">{profile.difficulty_level}</span>
          </Badge>
        </Fact>
        <Fact name="Target Audience">{profile.target_audience}</Fact>
        <Fact name="Monetization Potential">
          <Potential potential={profile.monetization_potential} />
        </Fact>
        <Fact name="Recommended Content Strategy">
          <ul className="flex flex-wrap gap-2">
            {profile.content_strategy.map((text) => (
              <li key={text} className="rounded-md bg-brand-soft px-2 py-1 text-[0.8125rem] font-medium text-brand">
                {text}
              </li>
            ))}
          </ul>
        </Fact>
        <Fact name="Key Success Factors">
          <ul className="flex flex-col gap-1.5">
            {profile.key_success_factors.map((text) => (
              <li key={text} className="flex gap-2">
                <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />
                {text}
              </li>
            ))}
          </ul>
        </Fact>
      </dl>
      <Button variant="primary" size="lg" className="mt-6 max-w-full self-start whitespace-normal!" onClick={onNext}>
        View Matching Affiliate Programs
      </Button>
    </Card>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="mb-1 text-[0.8125rem] font-medium text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Potential({ potential }: { readonly potential: string }) {
  const id = useId();
  const value = potentialBar(potential);
  return (
    <div className="flex items-center gap-3">
      <div
        role="progressbar"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={value}
        className="h-2 flex-1 overflow-hidden rounded-full bg-sunken"
      >
        <div className="h-full rounded-full bg-brand" style={{ width: `${value}%` }} />
      </div>
      <span id={id} className="font-medium capitalize">
        {potential}
      </span>
    </div>
  );
}
