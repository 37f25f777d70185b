import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/pdf.css';
import { render } from 'preact';
import { App } from './app/app.tsx';
import { startSession } from './app/state.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no place for the application');
render(<App />, root);
void startSession();
