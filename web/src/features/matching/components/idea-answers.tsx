import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Check } from '@/components/ui/check';
import { TextArea, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { requestIdeas, type IdeaAnswers, type Skill } from '../api/ideas';
import { LANGUAGES, MAX_INTERESTS, MAX_LANGUAGES, SKILLS } from '../lib/idea-labels';

interface Props {
  /** What was answered last; null on the first visit. */
  readonly answers: IdeaAnswers | null;
  readonly onGenerated: () => void;
}

const FIRST: IdeaAnswers = { interests: [], skills: [], languages: ['en'], hours: 5, money: 100 };

/** The questions whose answers lead to ideas. */
export function AnswersForm({ answers, onGenerated }: Props) {
  const [begun] = useState(answers ?? FIRST);
  const [interests, setInterests] = useState(begun.interests.join(', '));
  const [skills, setSkills] = useState(begun.skills);
  const [languages, setLanguages] = useState(begun.languages);
  const [hours, setHours] = useState(String(begun.hours));
  const [money, setMoney] = useState(String(begun.money));
  const [tried, setTried] = useState(false);
  const generating = useCommand(requestIdeas);
  const given = interests
    .split(/[,;\n]/)
    .map((interest) => interest.trim())
    .filter(Boolean);
  const fields = generating.error instanceof ApiError ? generating.error.fields : {};
  const missing =
    given.length === 0
      ? 'Enter at least one interest.'
      : given.length > MAX_INTERESTS
        ? `Enter at most ${MAX_INTERESTS} interests.`
        : undefined;

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (missing || languages.length === 0 || generating.isPending) return;
    generating.mutate(
      { interests: given, skills, languages, hours: Number(hours), money: Number(money) },
      { onSuccess: onGenerated }, // once the ideas are there
    );
  }

  return (
    <Card title="Find ideas and niches" description="A few answers lead to niches that fit you, with programs for each">
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <TextArea
          label="Interests"
          rows={2}
          value={interests}
          placeholder="For example: dogs, coffee, hiking with children"
          hint={`Separate up to ${MAX_INTERESTS} with commas.`}
          error={fields['interests'] ?? (tried ? missing : undefined)}
          onChange={(event) => setInterests(event.target.value)}
        />
        <fieldset>
          <legend className="mb-1.5 font-medium">Skills</legend>
          <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2 lg:grid-cols-3">
            {(Object.keys(SKILLS) as Skill[]).map((skill) => (
              <Check
                key={skill}
                label={SKILLS[skill]}
                checked={skills.includes(skill)}
                onChange={(on) => setSkills(on ? [...skills, skill] : skills.filter((one) => one !== skill))}
              />
            ))}
          </div>
        </fieldset>
        <fieldset aria-describedby="languages-note">
          <legend className="mb-1.5 font-medium">Languages you write in</legend>
          <div className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-3 lg:grid-cols-5">
            {Object.entries(LANGUAGES).map(([code, name]) => (
              <Check
                key={code}
                label={name}
                checked={languages.includes(code)}
                disabled={languages.length >= MAX_LANGUAGES && !languages.includes(code)}
                onChange={(on) => setLanguages(on ? [...languages, code] : languages.filter((one) => one !== code))}
              />
            ))}
          </div>
          <p
            id="languages-note"
            className={`mt-1.5 text-[0.8125rem] ${tried && languages.length === 0 ? 'text-bad' : 'text-muted'}`}
          >
            {`Choose 1 to ${MAX_LANGUAGES}.`}
          </p>
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            type="number"
            inputMode="numeric"
            min={1}
            max={80}
            label="Hours per week"
            value={hours}
            error={fields['hours']}
            onChange={(event) => setHours(event.target.value)}
          />
          <TextField
            type="number"
            inputMode="numeric"
            min={0}
            max={100_000}
            label="Money to start (USD)"
            value={money}
            error={fields['money']}
            onChange={(event) => setMoney(event.target.value)}
          />
        </div>
        {generating.error && <ErrorBox error={generating.error} prefix="No ideas generated" />}
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" size="lg" busy={generating.isPending}>
            {generating.isPending ? 'Generating ideas...' : 'Generate ideas'}
          </Button>
          <p className="text-[0.8125rem] text-muted">
            Your answers are stored encrypted, visible only to you, and deleted with your account. They are not sent to
            an AI provider.
          </p>
        </div>
      </form>
    </Card>
  );
}
