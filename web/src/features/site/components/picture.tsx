// A dashboard, drawn: shapes only, in the colours of the theme.
const AREA = 'M0 78 C20 74 28 60 46 62 S78 50 94 46 124 58 142 44 176 22 196 30 228 18 246 14 270 20 288 6';

export function DashboardPicture() {
  return (
    <svg aria-hidden viewBox="0 0 420 300" className="h-auto w-full drop-shadow-xl">
      <defs>
        <linearGradient id="picture-fill" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="var(--c-chart-1)" stopOpacity="0.32" />
          <stop offset="1" stopColor="var(--c-chart-1)" stopOpacity="0" />
        </linearGradient>
      </defs>
      <rect x="1" y="1" width="418" height="298" rx="18" fill="var(--c-surface)" stroke="var(--c-line)" />
      <circle cx="24" cy="22" r="4.5" fill="var(--c-chart-6)" opacity="0.7" />
      <circle cx="39" cy="22" r="4.5" fill="var(--c-chart-3)" opacity="0.7" />
      <circle cx="54" cy="22" r="4.5" fill="var(--c-chart-2)" opacity="0.7" />
      <rect x="296" y="14" width="104" height="16" rx="8" fill="var(--c-good-soft)" />
      <circle cx="308" cy="22" r="3.5" fill="var(--c-good)" />
      <rect x="317" y="19.5" width="70" height="5" rx="2.5" fill="var(--c-good)" opacity="0.55" />
      {[0, 1, 2, 3].map((index) => (
        <g key={index} transform={`translate(${20 + index * 97} 46)`}>
          <rect width="89" height="56" rx="10" fill="var(--c-canvas)" stroke="var(--c-line)" />
          <rect x="11" y="12" width={[38, 50, 40, 46][index]} height="5" rx="2.5" fill="var(--c-muted)" opacity="0.5" />
          <rect x="11" y="25" width={[54, 34, 58, 42][index]} height="11" rx="3" fill="var(--c-text)" opacity="0.85" />
          <rect
            x="11"
            y="43"
            width="24"
            height="5"
            rx="2.5"
            fill={index === 3 ? 'var(--c-bad)' : 'var(--c-good)'}
            opacity="0.7"
          />
        </g>
      ))}
      <g transform="translate(20 116)">
        <rect width="264" height="164" rx="12" fill="var(--c-canvas)" stroke="var(--c-line)" />
        <rect x="16" y="16" width="82" height="7" rx="3.5" fill="var(--c-text)" opacity="0.75" />
        {[52, 82, 112].map((y) => (
          <path key={y} d={`M16 ${y}h232`} stroke="var(--c-line)" />
        ))}
        <g transform="translate(16 46) scale(0.805 1)">
          <path d={`${AREA} V98 H0 Z`} fill="url(#picture-fill)" />
          <path d={AREA} fill="none" stroke="var(--c-chart-1)" strokeWidth="3" strokeLinecap="round" />
          <path
            d="M0 92 C30 88 52 84 80 82 S132 80 160 70 214 66 240 56 274 52 288 46"
            fill="none"
            stroke="var(--c-chart-2)"
            strokeWidth="2.5"
            strokeLinecap="round"
          />
        </g>
        {[0, 1, 2, 3, 4, 5, 6].map((index) => (
          <rect
            key={index}
            x={18 + index * 35}
            y="148"
            width="16"
            height="4"
            rx="2"
            fill="var(--c-muted)"
            opacity="0.4"
          />
        ))}
      </g>
      <g transform="translate(296 116)">
        <rect width="104" height="164" rx="12" fill="var(--c-canvas)" stroke="var(--c-line)" />
        <g fill="none" strokeWidth="12" transform="rotate(-90 52 50)">
          <circle cx="52" cy="50" r="26" stroke="var(--c-chart-1)" strokeDasharray="73 164" />
          <circle cx="52" cy="50" r="26" stroke="var(--c-chart-2)" strokeDasharray="43 164" strokeDashoffset="-75" />
          <circle cx="52" cy="50" r="26" stroke="var(--c-chart-3)" strokeDasharray="41 164" strokeDashoffset="-120" />
        </g>
        {['1', '2', '3'].map((colour, index) => (
          <g key={colour} transform={`translate(16 ${102 + index * 19})`}>
            <rect width="8" height="8" rx="2" fill={`var(--c-chart-${colour})`} />
            <rect x="15" y="1.5" width={[42, 34, 50][index]} height="5" rx="2.5" fill="var(--c-muted)" opacity="0.5" />
          </g>
        ))}
      </g>
    </svg>
  );
}
