import './mantine-styles';
import 'mantine-datatable/styles.css';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import './contrast.css';
import './print.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { noteActs } from './api/attended';
import { loadSession } from './api/session';
import { LanguageProvider } from './lib/language';
import { getStyleNonce } from './lib/style-nonce';
import { Boundary } from './shell/boundary';
import { contrastVariables, theme } from './theme';

// The request is sent before anything is drawn.
const session = loadSession();
// Where it fails before the application is there, the application tells.
session.catch(() => {});
noteActs(document);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
const reactRoot = createRoot(root);
// In a file of its own, which the page names: the browser runs it in a task of its own.
void import('./app').then(({ App }) =>
  reactRoot.render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={contrastVariables}
        defaultColorScheme="auto"
        getStyleNonce={getStyleNonce}
      >
        <LanguageProvider>
          <Boundary>
            <App loading={session} />
          </Boundary>
        </LanguageProvider>
      </MantineProvider>
    </StrictMode>,
  ),
);
