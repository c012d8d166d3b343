// In which order jest takes the files: those with much time in the budget come first, so that no worker is left alone with one at the end. A file without its
// own line is short.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

const budget = JSON.parse(readFileSync(new URL('../e2e/budget.json', import.meta.url), 'utf8'));
const Sequencer = TestSequencer.default ?? TestSequencer;

export default class HeaviestFirst extends Sequencer {
    sort(tests) {
        const allowed = ({ path, context }) => {
            const file = relative(context.config.rootDir, path).split('\\').join('/');
            return (
                budget.files[file]?.seconds ??
                (/\.(e2e|contract)\.ts$|^grouped-specs\//.test(file) ? budget.others.seconds / 4 : 0)
            );
        };
        return super.sort(tests).sort((a, b) => allowed(b) - allowed(a));
    }
}
