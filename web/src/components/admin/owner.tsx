interface Owned {
  readonly ownerName: string;
  readonly ownerEmail: string;
}

/** Whose something is, as a cell of a list. An address that is too long for it breaks before its @ first. */
export function Owner({ of: { ownerName, ownerEmail } }: { readonly of: Owned }) {
  const at = ownerEmail.indexOf('@');
  return (
    <>
      <span className="block">{ownerName || ownerEmail}</span>
      <span className="block text-[0.8125rem] text-muted">
        {ownerName && (
          <>
            {ownerEmail.slice(0, at)}
            <wbr />
            {ownerEmail.slice(at)}
          </>
        )}
      </span>
    </>
  );
}
