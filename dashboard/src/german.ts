import { ALERTS } from './alerts/texts';
import { ALERTS_DE } from './alerts/texts.de';
import { ERRORS } from './api/texts';
import { ERRORS_DE } from './api/texts.de';
import { COMPLIANCE } from './compliance/texts';
import { COMPLIANCE_DE } from './compliance/texts.de';
import { ENTITY } from './entity/texts';
import { ENTITY_DE } from './entity/texts.de';
import { EVIDENCE } from './evidence/texts';
import { EVIDENCE_DE } from './evidence/texts.de';
import { EVENT } from './explore/event/texts';
import { EVENT_DE } from './explore/event/texts.de';
import { EXPLORE } from './explore/texts';
import { EXPLORE_DE } from './explore/texts.de';
import { FIRST_RUN } from './first-run/texts';
import { FIRST_RUN_DE } from './first-run/texts.de';
import { INCIDENTS } from './incidents/texts';
import { INCIDENTS_DE } from './incidents/texts.de';
import { COMMAND_TEXTS } from './lib/command-texts';
import { COMMAND_TEXTS_DE } from './lib/command-texts.de';
import { COMMON } from './lib/common';
import { COMMON_DE } from './lib/common.de';
import { FIELD_LABELS } from './lib/field-labels';
import { FIELD_LABELS_DE } from './lib/field-labels.de';
import { type Translations, translated } from './lib/texts';
import { NOTES } from './notes/texts';
import { NOTES_DE } from './notes/texts.de';
import { OPERATE } from './operate/texts';
import { OPERATE_DE } from './operate/texts.de';
import { OVERVIEW } from './overview/texts';
import { OVERVIEW_DE } from './overview/texts.de';
import { PALETTE } from './palette/texts';
import { PALETTE_DE } from './palette/texts.de';
import { REPORTS } from './reports/texts';
import { REPORTS_DE } from './reports/texts.de';
import { RULES } from './rules/texts';
import { RULES_DE } from './rules/texts.de';
import { SHELL } from './shell/texts';
import { SHELL_DE } from './shell/texts.de';
import { SIGN_IN } from './sign-in/texts';
import { SIGN_IN_DE } from './sign-in/texts.de';
import { SOURCES } from './sources/texts';
import { SOURCES_DE } from './sources/texts.de';

/** Every catalogue that there is in German. It is loaded when the language is chosen. */
export const GERMAN: Translations = new Map([
  translated(ALERTS, ALERTS_DE),
  translated(COMMAND_TEXTS, COMMAND_TEXTS_DE),
  translated(COMMON, COMMON_DE),
  translated(COMPLIANCE, COMPLIANCE_DE),
  translated(ENTITY, ENTITY_DE),
  translated(ERRORS, ERRORS_DE),
  translated(EVENT, EVENT_DE),
  translated(EVIDENCE, EVIDENCE_DE),
  translated(EXPLORE, EXPLORE_DE),
  translated(FIELD_LABELS, FIELD_LABELS_DE),
  translated(FIRST_RUN, FIRST_RUN_DE),
  translated(INCIDENTS, INCIDENTS_DE),
  translated(NOTES, NOTES_DE),
  translated(OPERATE, OPERATE_DE),
  translated(OVERVIEW, OVERVIEW_DE),
  translated(PALETTE, PALETTE_DE),
  translated(REPORTS, REPORTS_DE),
  translated(RULES, RULES_DE),
  translated(SHELL, SHELL_DE),
  translated(SIGN_IN, SIGN_IN_DE),
  translated(SOURCES, SOURCES_DE),
]);
