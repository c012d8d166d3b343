import { serverTextsOf } from '../server-texts';
import connections from './connections.de.json';
import errors from './errors.de.json';
import extractors from './extractors.de.json';
import facts from './facts.de.json';
import issues from './issues.de.json';
import format from './format.de.json';
import loaders from './loaders.de.json';
import log from './log.de.json';
import operators from './operators.de.json';
import rules from './rules.de.json';
import sinks from './sinks.de.json';
import templates from './templates.de.json';
import triggers from './triggers.de.json';

/** The server's texts in German. `scripts/server-texts.ts` keeps the files complete; see the README. */
export const german = serverTextsOf([
    triggers,
    connections,
    extractors,
    operators,
    rules,
    loaders,
    sinks,
    format,
    errors,
    issues,
    facts,
    templates,
    log,
]);
