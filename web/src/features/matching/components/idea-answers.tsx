import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { ErrorBox } from '@/components/data/states';
import { Card } from '@/components/ui/card';
import { Check } from '@/components/ui/check';
import { TextArea, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { RequestIdeas } from '@/lib/api/request-schemas';
import { requestIdeas, type IdeaAnswers, type Skill } from '../api/ideas';
import { LANGUAGES, MAX_INTERESTS, MAX_LANGUAGES, SKILLS } from '../lib/idea-labels';

interface Props {
  /** What was answered last; null on the first visit. */
  readonly answers: IdeaAnswers | null;
  readonly onGenerated: () => void;
}

const FIRST: IdeaAnswers = { interests: [], skills: [], languages: ['en'], hours: 5, money: 100 };

const listOf = (interests: string): string[] =>
  interests
    .split(/[,;\n]/)
    .map((interest) => interest.trim())
    .filter(Boolean);

function interestsFault(text: string): string | undefined {
  const { length } = listOf(text);
  if (length === 0) return 'Enter at least one interest.';
  return length > MAX_INTERESTS ? `Enter at most ${MAX_INTERESTS} interests.` : undefined;
}

/** The questions whose answers lead to ideas. */
export function AnswersForm({ answers, onGenerated }: Props) {
  const { interests, hours, money, ...chosen } = answers ?? FIRST;
  const generating = useCommand(requestIdeas);
  const form = useRequestForm({
    request: RequestIdeas,
    initial: { ...chosen, interests: interests.join(', '), hours: String(hours), money: String(money) },
    rules: { interests: interestsFault, languages: (chosen) => (chosen.length === 0 ? 'Choose one.' : undefined) },
    command: generating,
    input: (values) => ({
      ...values,
      interests: listOf(values.interests),
      hours: Number(values.hours),
      money: Number(values.money),
    }),
    onSent: onGenerated, // once the ideas are there
  });
  const { skills, languages } = form.values;
  return (
    <Card title="Find ideas and niches" description="A few answers lead to niches that fit you, with programs for each">
      <Form form={form} className="flex flex-col gap-5">
        <TextArea
          label="Interests"
          rows={2}
          placeholder="For example: dogs, coffee, hiking with children"
          hint={`Separate up to ${MAX_INTERESTS} with commas.`}
          {...form.field('interests')}
        />
        <fieldset>
          <legend className="mb-1.5 font-medium">Skills</legend>
          <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2 lg:grid-cols-3">
            {(Object.keys(SKILLS) as Skill[]).map((skill) => (
              <Check
                key={skill}
                label={SKILLS[skill]}
                checked={skills.includes(skill)}
                onChange={(on) => form.set('skills')(on ? [...skills, skill] : skills.filter((one) => one !== skill))}
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
                onChange={(on) =>
                  form.set('languages')(on ? [...languages, code] : languages.filter((one) => one !== code))
                }
              />
            ))}
          </div>
          <p
            id="languages-note"
            className={`mt-1.5 text-[0.8125rem] ${form.fault('languages') ? 'text-bad' : 'text-muted'}`}
          >
            {`Choose 1 to ${MAX_LANGUAGES}.`}
          </p>
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField type="number" inputMode="numeric" label="Hours per week" {...form.field('hours')} />
          <TextField type="number" inputMode="numeric" label="Money to start (USD)" {...form.field('money')} />
        </div>
        {generating.error && <ErrorBox error={generating.error} prefix="No ideas generated" />}
        <div className="flex flex-wrap items-center gap-3">
          <SubmitButton form={form} size="lg">
            {generating.isPending ? 'Generating ideas...' : 'Generate ideas'}
          </SubmitButton>
          <p className="text-[0.8125rem] text-muted">
            Your answers are stored encrypted, visible only to you, and deleted with your account. They are not sent to
            an AI provider.
          </p>
        </div>
      </Form>
    </Card>
  );
}
