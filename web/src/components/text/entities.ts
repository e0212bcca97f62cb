// Named character references, as Markdown knows them: "&amp;" is "&". Stands in for a package that asks the browser by
// setting HTML, which our content security policy refuses. Only those that people type; any other stays as it was written.
const TABLE =
  'amp& lt< gt> quot" apos\' nbsp\u00a0 shy\u00ad copy© reg® trade™ deg° micro\u00b5 para¶ sect§ middot· bull• hellip… ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ laquo« raquo» lsaquo‹ rsaquo› ' +
  'euro€ pound£ yen¥ cent¢ curren¤ plusmn± times× divide÷ minus− frac12½ frac14¼ frac34¾ sup1¹ sup2² sup3³ permil‰ infin∞ asymp≈ ne≠ le≤ ge≥ sum∑ radic√ larr← uarr↑ rarr→ darr↓ harr↔ rArr⇒ check✓ cross✗ star☆ starf★ hearts♥ dagger† ' +
  'iexcl¡ iquest¿ Agrave\u00c0 Aacute\u00c1 Acirc\u00c2 Atilde\u00c3 Auml\u00c4 Aring\u00c5 AElig\u00c6 Ccedil\u00c7 Egrave\u00c8 Eacute\u00c9 Ecirc\u00ca Euml\u00cb Iacute\u00cd ETH\u00d0 Ntilde\u00d1 Oacute\u00d3 Ouml\u00d6 Oslash\u00d8 Uacute\u00da Uuml\u00dc Yacute\u00dd THORN\u00de szlig\u00df ' +
  'agrave\u00e0 aacute\u00e1 acirc\u00e2 atilde\u00e3 auml\u00e4 aring\u00e5 aelig\u00e6 ccedil\u00e7 egrave\u00e8 eacute\u00e9 ecirc\u00ea euml\u00eb iacute\u00ed eth\u00f0 ntilde\u00f1 oacute\u00f3 ouml\u00f6 oslash\u00f8 uacute\u00fa uuml\u00fc yacute\u00fd thorn\u00fe';
const CHARACTERS: ReadonlyMap<string, string> = new Map(
  TABLE.split(' ').map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
);

export function decodeNamedCharacterReference(name: string): string | false {
  return CHARACTERS.get(name) ?? false;
}
