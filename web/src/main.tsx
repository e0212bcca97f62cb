import { createRoot } from 'react-dom/client';
import { App, router } from './app/providers';
import { watchSystemTheme } from './stores/ui';
import './styles.css';

watchSystemTheme();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
const show = () => createRoot(root).render(<App />);
// A document that comes with its text (scripts/prerender.mjs) shows it until everything is there to take its place.
if (root.hasChildNodes()) void router.load().then(show, show);
else show();
