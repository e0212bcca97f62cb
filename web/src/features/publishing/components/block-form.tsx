// The fields of each kind of block.
import { SelectField } from '@/components/ui/field';
import type {
  Action,
  Art,
  Article,
  Block,
  Comparison,
  Disclosure,
  Faq,
  Hero,
  Newsletter,
  Offers,
  Picture,
  Price,
  Review,
} from '../lib/document';
import { newOffer, newQuestion } from '../lib/blocks';
import { useBlockContext, useFault } from './block-context';
import { ComparisonForm } from './comparison-form';
import { Amount, Entries, Line, Lines, Points } from './fields';
import { ImageField } from './image-field';
import { MarkdownField } from './markdown-field';
import { TargetField } from './target-field';

export interface FormProps<B extends Block> {
  readonly block: B;
  /** `field`: what was changed, for undo. */
  readonly onChange: (block: B, field: string) => void;
}

export function BlockForm({ block, onChange }: FormProps<Block>) {
  return (
    <div className="flex flex-col gap-4">
      <Fields block={block} onChange={onChange} />
      <Line
        label="Name in analytics"
        path="name"
        hint={'Lowercase letters, digits and hyphens, such as best-offer. Blank: an automatic id.'}
        value={block.name ?? ''}
        maxLength={60}
        onChange={(name) => onChange({ ...block, name }, 'name')}
      />
    </div>
  );
}

function Fields({ block, onChange }: FormProps<Block>) {
  switch (block.type) {
    case 'hero':
      return <HeroForm block={block} onChange={onChange} />;
    case 'article':
      return <ArticleForm block={block} onChange={onChange} />;
    case 'review':
      return <ReviewForm block={block} onChange={onChange} />;
    case 'comparison':
      return <ComparisonForm block={block as Comparison} onChange={onChange} />;
    case 'offers':
      return <OffersForm block={block} onChange={onChange} />;
    case 'price':
      return <PriceForm block={block} onChange={onChange} />;
    case 'faq':
      return <FaqForm block={block} onChange={onChange} />;
    case 'image':
      return <PictureForm block={block} onChange={onChange} />;
    case 'newsletter':
      return <NewsletterForm block={block} onChange={onChange} />;
    case 'disclosure':
      return <DisclosureForm block={block} onChange={onChange} />;
  }
}

/** Sets one field of a block. */
function setter<B extends Block>({ block, onChange }: FormProps<B>) {
  return <K extends keyof B & string>(field: K) =>
    (value: B[K]) =>
      onChange({ ...block, [field]: value }, field);
}

function HeroForm(props: FormProps<Hero>) {
  const { siteId } = useBlockContext();
  const artFault = useFault('art');
  const { block } = props;
  const set = setter(props);
  return (
    <>
      <Line label="Heading" path="title" required maxLength={120} value={block.title} onChange={set('title')} />
      <Lines label="Text" path="text" maxLength={600} value={block.text} onChange={set('text')} />
      <ActionFields value={block.action} onChange={set('action')} />
      <ImageField siteId={siteId} path="image" value={block.image} onChange={set('image')} />
      {!block.image && (
        <SelectField
          label="Illustration"
          hint="Shown beside the text in the colors of the theme, while the hero has no image"
          value={block.art ?? 'none'}
          error={artFault}
          onChange={(event) => set('art')(event.target.value as Art)}
        >
          {ILLUSTRATIONS.map(([art, label]) => (
            <option key={art} value={art}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
    </>
  );
}

const ILLUSTRATIONS: readonly (readonly [Art, string])[] = [
  ['none', 'None'],
  ['shield', 'Shield'],
  ['servers', 'Servers'],
  ['windows', 'Software'],
  ['chart', 'Chart'],
  ['leaf', 'Leaf'],
  ['book', 'Book'],
  ['parcel', 'Parcel'],
];

interface ActionProps {
  readonly value: Action | null;
  readonly onChange: (value: Action | null) => void;
}

function ActionFields({ value, onChange }: ActionProps) {
  return (
    <>
      <Line
        label="Button"
        path="action.label"
        hint="Blank: no button"
        maxLength={60}
        value={value?.label ?? ''}
        onChange={(label) => onChange(label ? { label, target: value?.target ?? null } : null)}
      />
      {value && (
        <TargetField path="action.target" value={value.target} onChange={(target) => onChange({ ...value, target })} />
      )}
    </>
  );
}

function ArticleForm(props: FormProps<Article>) {
  return (
    <MarkdownField
      label="Text"
      path="markdown"
      value={props.block.markdown}
      rows={18}
      onChange={setter(props)('markdown')}
    />
  );
}

function ReviewForm(props: FormProps<Review>) {
  const { siteId } = useBlockContext();
  const { block } = props;
  const set = setter(props);
  return (
    <>
      <Line label="Product" path="product" required maxLength={120} value={block.product} onChange={set('product')} />
      <RatingField value={block.rating} onChange={set('rating')} />
      <Lines label="Summary" path="summary" maxLength={2000} value={block.summary} onChange={set('summary')} />
      <Points label="Pros" path="pros" value={block.pros} onChange={set('pros')} />
      <Points label="Cons" path="cons" value={block.cons} onChange={set('cons')} />
      <Line label="Button" path="label" maxLength={60} value={block.label} onChange={set('label')} />
      <TargetField path="target" value={block.target} onChange={set('target')} />
      <ImageField siteId={siteId} path="image" value={block.image} onChange={set('image')} />
    </>
  );
}

const RATINGS = Array.from({ length: 51 }, (_, index) => 50 - index);

function RatingField({
  value,
  onChange,
}: {
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
}) {
  return (
    <SelectField
      label="Rating"
      hint="Only what you tested yourself. Search engines show it as stars."
      value={value ?? ''}
      error={useFault('rating')}
      onChange={(event) => onChange(event.target.value === '' ? null : Number(event.target.value))}
    >
      <option value="">Not rated yet</option>
      {RATINGS.map((rating) => (
        <option key={rating} value={rating}>
          {`${(rating / 10).toFixed(1)} of 5`}
        </option>
      ))}
    </SelectField>
  );
}

function OffersForm(props: FormProps<Offers>) {
  const { siteId } = useBlockContext();
  const { block, onChange } = props;
  return (
    <>
      <Line label="Heading" path="title" maxLength={120} value={block.title} onChange={setter(props)('title')} />
      <Entries
        entries={block.offers}
        noun="Offer"
        max={24}
        make={newOffer}
        onChange={(offers) => onChange({ ...block, offers }, '')}
      >
        {(offer, index, change) => {
          const at = (field: string) => `offers.${index}.${field}`;
          const set = (part: Partial<typeof offer>, field: string) =>
            onChange({ ...block, offers: block.offers.with(index, { ...offer, ...part }) }, at(field));
          return (
            <>
              <Line
                label="Product"
                path={at('name')}
                required
                maxLength={120}
                value={offer.name}
                onChange={(name) => set({ name }, 'name')}
              />
              <Lines
                label="Text"
                path={at('text')}
                maxLength={600}
                value={offer.text}
                onChange={(text) => set({ text }, 'text')}
              />
              <Line
                label="Price"
                path={at('price')}
                hint="As text, such as “from $5 a month”"
                maxLength={60}
                value={offer.price}
                onChange={(price) => set({ price }, 'price')}
              />
              <Line
                label="Button"
                path={at('label')}
                maxLength={60}
                value={offer.label}
                onChange={(label) => set({ label }, 'label')}
              />
              <TargetField
                path={at('target')}
                value={offer.target}
                onChange={(target) => change({ ...offer, target })}
              />
              <ImageField
                siteId={siteId}
                path={at('image')}
                value={offer.image}
                onChange={(image) => set({ image }, 'image')}
              />
            </>
          );
        }}
      </Entries>
    </>
  );
}

const CURRENCIES = Intl.supportedValuesOf('currency');

function PriceForm(props: FormProps<Price>) {
  const { block, onChange } = props;
  const set = setter(props);
  return (
    <>
      <Line label="Product" path="product" required maxLength={120} value={block.product} onChange={set('product')} />
      <div className="grid gap-3 sm:grid-cols-3">
        <Amount
          label="Price"
          path="amount"
          value={block.amount}
          currency={block.currency}
          onChange={(amount) => onChange({ ...block, amount: amount ?? 0 }, 'amount')}
        />
        <Amount
          label="Old price"
          path="old_amount"
          value={block.old_amount}
          currency={block.currency}
          onChange={set('old_amount')}
        />
        <SelectField
          label="Currency"
          value={block.currency}
          error={useFault('currency')}
          onChange={(event) => set('currency')(event.target.value)}
        >
          {CURRENCIES.map((code) => (
            <option key={code}>{code}</option>
          ))}
        </SelectField>
      </div>
      <Line label="Note" path="note" maxLength={200} value={block.note} onChange={set('note')} />
      <Line label="Button" path="label" maxLength={60} value={block.label} onChange={set('label')} />
      <TargetField path="target" value={block.target} onChange={set('target')} />
    </>
  );
}

function FaqForm(props: FormProps<Faq>) {
  const { block, onChange } = props;
  return (
    <>
      <Line label="Heading" path="title" maxLength={120} value={block.title} onChange={setter(props)('title')} />
      <Entries
        entries={block.questions}
        noun="Question"
        max={40}
        make={newQuestion}
        onChange={(questions) => onChange({ ...block, questions }, '')}
      >
        {(question, index) => {
          const at = (field: string) => `questions.${index}.${field}`;
          const set = (part: Partial<typeof question>, field: string) =>
            onChange({ ...block, questions: block.questions.with(index, { ...question, ...part }) }, at(field));
          return (
            <>
              <Line
                label="Question"
                path={at('question')}
                required
                maxLength={200}
                value={question.question}
                onChange={(text) => set({ question: text }, 'question')}
              />
              <MarkdownField
                label="Answer"
                path={at('answer')}
                rows={5}
                value={question.answer}
                onChange={(answer) => set({ answer }, 'answer')}
              />
            </>
          );
        }}
      </Entries>
    </>
  );
}

function PictureForm(props: FormProps<Picture>) {
  const { siteId } = useBlockContext();
  const { block, onChange } = props;
  const set = setter(props);
  return (
    <>
      <ImageField
        siteId={siteId}
        path="image"
        isNeeded
        value={block.image}
        onChange={(image) => image && onChange({ ...block, image }, 'image')}
      />
      <Line label="Caption" path="caption" maxLength={300} value={block.caption} onChange={set('caption')} />
      <TargetField path="target" value={block.target} onChange={set('target')} />
    </>
  );
}

function NewsletterForm(props: FormProps<Newsletter>) {
  const { block } = props;
  const set = setter(props);
  return (
    <>
      <Line label="Heading" path="title" required maxLength={120} value={block.title} onChange={set('title')} />
      <Lines label="Text" path="text" maxLength={600} value={block.text} onChange={set('text')} />
      <Line label="Button" path="label" maxLength={60} value={block.label} onChange={set('label')} />
      <Line
        label="Consent"
        path="consent"
        hint="What subscribers agree to, and how they unsubscribe"
        maxLength={300}
        value={block.consent}
        onChange={set('consent')}
      />
    </>
  );
}

function DisclosureForm(props: FormProps<Disclosure>) {
  return (
    <Lines
      label="Text"
      path="text"
      required
      rows={5}
      maxLength={1000}
      value={props.block.text}
      onChange={setter(props)('text')}
    />
  );
}
