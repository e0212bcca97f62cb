import type { components } from '@/lib/api/schema';

type Generated = components['schemas']['Generated'];

/** Title and text of what an analysis led to. The specification's text is for new insights alone. */
export function outcomeOf({ insights, added, tooLittleData, silence }: Generated): [title: string, text: string] {
  if (added > 0) {
    const text = 'Fresh insights have been generated based on your latest data.';
    return [
      'AI Insights Generated',
      silence === null ? text : `${text} ${silenceOf(silence)}, so the text is rule-based.`,
    ];
  }
  if (tooLittleData)
    return ['Not enough data yet', 'Trends need five weeks of data. Until then only bot traffic is checked.'];
  return [
    'No new insights',
    insights.length > 0
      ? 'Your latest data was analyzed: the insights shown are still current.'
      : 'Your latest data was analyzed: no unusual changes.',
  ];
}

/** Why no language model wrote the texts. */
export const silenceOf = (silence: string): string => SILENCE[silence] ?? 'AI did not respond';

const SILENCE: Readonly<Record<string, string>> = {
  not_configured: 'AI is not configured',
  switched_off: 'AI is turned off',
  resting: 'AI is temporarily paused after errors',
  budget: 'The AI budget is used up for now',
  unavailable: 'AI did not respond',
  bad_answer: 'The AI response was not usable',
  not_believed: 'The AI text was not supported by the data',
};
