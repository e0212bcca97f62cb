// The product on the home page: its analytics page, made by e2e/pictures.mjs, in both themes, for wide screens and phones.
import phoneDark from '../pictures/phone-dark.webp';
import phoneLight from '../pictures/phone-light.webp';
import wideDark from '../pictures/wide-dark.webp';
import wideLight from '../pictures/wide-light.webp';

const ALT =
  'The analytics page of a website: visitors, clicks, conversions and revenue of the last seven days as a chart, with the top pages and sources below it.';
/** In CSS pixels. */
const WIDE = { width: 720, height: 700 };
const PHONE = { width: 390, height: 590 };

/** The picture of the other theme is not fetched: it is not drawn. */
export function ProductPicture() {
  return (
    <>
      <Themed wide={wideLight} phone={phoneLight} className="dark:hidden" />
      <Themed wide={wideDark} phone={phoneDark} className="hidden dark:block" />
    </>
  );
}

interface Props {
  readonly wide: string;
  readonly phone: string;
  readonly className: string;
}

function Themed({ wide, phone, className }: Props) {
  return (
    <picture className={className}>
      <source media="(min-width: 640px)" srcSet={wide} {...WIDE} />
      <img
        src={phone}
        {...PHONE}
        alt={ALT}
        loading="lazy"
        decoding="async"
        className="mx-auto h-auto w-full max-w-180 rounded-xl border border-line bg-surface shadow-pop"
      />
    </picture>
  );
}
