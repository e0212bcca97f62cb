import { createRoot } from 'react-dom/client';
import { App } from './app/providers';
import { watchSystemTheme } from './stores/ui';
import './styles.css';

watchSystemTheme();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
createRoot(root).render(<App />);
