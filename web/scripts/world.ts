// The shapes of countries at build time: `virtual:world` is a list of ISO codes and SVG paths, cut from world-atlas (ISC;
// its data, Natural Earth, is in the public domain) in the Equal Earth projection. The app needs no code for maps.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { Plugin } from 'vite';

const MODULE = 'virtual:world';
export const WIDTH = 1000;
export const HEIGHT = 435;
const ANTARCTICA = '010';
/** The northernmost and southernmost latitudes of the picture. */
const [NORTH, SOUTH] = [84, -57];

export function world(): Plugin {
  return {
    name: 'world',
    enforce: 'pre',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    load: (id) => (id === `\0${MODULE}` ? `export default ${JSON.stringify(shapes())}` : null),
  };
}

interface Shape {
  readonly code: string;
  readonly path: string;
}

/** Every country with its path. */
export function shapes(): { readonly width: number; readonly height: number; readonly countries: readonly Shape[] } {
  const file = createRequire(import.meta.url).resolve('world-atlas/countries-110m.json');
  const topology = JSON.parse(readFileSync(file, 'utf8')) as Topology;
  const countries = feature(topology, topology.objects['countries'] as GeometryCollection<{ name: string }>).features;
  return {
    width: WIDTH,
    height: HEIGHT,
    countries: countries
      .filter((item) => item.id !== ANTARCTICA)
      .map(({ id, geometry, properties }) => {
        const polygons =
          geometry.type === 'Polygon'
            ? [geometry.coordinates]
            : geometry.type === 'MultiPolygon'
              ? geometry.coordinates
              : [];
        return {
          code: CODES[String(id)] ?? BY_NAME[properties.name] ?? '',
          path: polygons.flat().map(ringPath).join(''),
        };
      }),
  };
}

/** Relative moves in whole units: a fifth of the size of absolute decimals. */
function ringPath(ring: readonly (readonly number[])[]): string {
  let [lastX, lastY] = [0, 0];
  let text = '';
  for (const [index, [longitude = 0, latitude = 0]] of ring.entries()) {
    const [x, y] = projected(longitude, latitude);
    if (index === 0) text += `M${x} ${y}`;
    else if (x !== lastX || y !== lastY) text += `l${x - lastX} ${y - lastY}`;
    [lastX, lastY] = [x, y];
  }
  return `${text}z`;
}

/** Equal Earth: areas are true, and shapes look familiar. */
function equalEarth(longitude: number, latitude: number): [number, number] {
  const [a1, a2, a3, a4] = [1.340264, -0.081106, 0.000893, 0.003796];
  const m = Math.sqrt(3) / 2;
  const theta = Math.asin(m * Math.sin((latitude * Math.PI) / 180));
  const t2 = theta * theta;
  const t6 = t2 * t2 * t2;
  const x = (((longitude * Math.PI) / 180) * Math.cos(theta)) / (m * (a1 + 3 * a2 * t2 + t6 * (7 * a3 + 9 * a4 * t2)));
  return [x, theta * (a1 + a2 * t2 + t6 * (a3 + a4 * t2))];
}

const half = equalEarth(180, 0)[0];
const [top, bottom] = [equalEarth(0, NORTH)[1], equalEarth(0, SOUTH)[1]];

function projected(longitude: number, latitude: number): [number, number] {
  const [x, y] = equalEarth(longitude, Math.min(NORTH, Math.max(SOUTH, latitude)));
  return [Math.round(((x + half) / (2 * half)) * WIDTH), Math.round(((top - y) / (top - bottom)) * HEIGHT)];
}

/** ISO 3166-1 numeric to alpha-2, of the countries in the file. */
const CODES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    '004AF 008AL 012DZ 024AO 031AZ 032AR 036AU 040AT 044BS 050BD 051AM 056BE 064BT 068BO 070BA 072BW 076BR 084BZ 090SB 096BN ' +
    '100BG 104MM 108BI 112BY 116KH 120CM 124CA 140CF 144LK 148TD 152CL 156CN 158TW 170CO 178CG 180CD 188CR 191HR 192CU 196CY ' +
    '203CZ 204BJ 208DK 214DO 218EC 222SV 226GQ 231ET 232ER 233EE 238FK 242FJ 246FI 250FR 260TF 262DJ 266GA 268GE 270GM 275PS ' +
    '276DE 288GH 300GR 304GL 320GT 324GN 328GY 332HT 340HN 348HU 352IS 356IN 360ID 364IR 368IQ 372IE 376IL 380IT 384CI 388JM ' +
    '392JP 398KZ 400JO 404KE 408KP 410KR 414KW 417KG 418LA 422LB 426LS 428LV 430LR 434LY 440LT 442LU 450MG 454MW 458MY 466ML ' +
    '478MR 484MX 496MN 498MD 499ME 504MA 508MZ 512OM 516NA 524NP 528NL 540NC 548VU 554NZ 558NI 562NE 566NG 578NO 586PK 591PA ' +
    '598PG 600PY 604PE 608PH 616PL 620PT 624GW 626TL 630PR 634QA 642RO 643RU 646RW 682SA 686SN 688RS 694SL 703SK 704VN 705SI ' +
    '706SO 710ZA 716ZW 724ES 728SS 729SD 732EH 740SR 748SZ 752SE 756CH 760SY 762TJ 764TH 768TG 780TT 784AE 788TN 792TR 795TM ' +
    '800UG 804UA 807MK 818EG 826GB 834TZ 840US 854BF 858UY 860UZ 862VE 887YE 894ZM'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 3), entry.slice(3)]),
);

/** Without a number in the file. */
const BY_NAME: Readonly<Record<string, string>> = { Kosovo: 'XK', 'N. Cyprus': 'CY', Somaliland: 'SO' };
