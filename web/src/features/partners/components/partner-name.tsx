import { Badge } from '@/components/ui/badge';

interface Props {
  readonly partner: { readonly name: string; readonly baseUrl: string };
  /** Whose private partner it is. */
  readonly owner?: string | null;
  /** Shows its details. */
  readonly onOpen?: () => void;
}

export function PartnerName({ partner, owner, onOpen }: Props) {
  return (
    <>
      {onOpen ? (
        <button
          type="button"
          className="block max-w-64 rounded text-left font-medium break-words underline-offset-4 hover:underline"
          onClick={onOpen}
        >
          {partner.name}
        </button>
      ) : (
        <span className="block max-w-64 font-medium break-words">{partner.name}</span>
      )}
      <a
        href={partner.baseUrl}
        rel="noreferrer"
        target="_blank"
        className="block max-w-64 truncate text-[0.8125rem] text-muted hover:underline"
      >
        {partner.baseUrl}
      </a>
      {owner && <Badge>{`Private: ${owner}`}</Badge>}
    </>
  );
}
