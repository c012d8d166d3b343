import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPARISONS } from '../src/core/operators/logic/comparison';
import { compileConditions, conditions } from '../src/core/operators/logic/condition';
import { HOOK_SCHEMAS } from '../src/core/pipeline/hook-definition';
import { HOOK_STAGES } from '../src/core/adapter/hook-stages';
import { STEP_KINDS } from '../src/core/steps/kinds';
import { TRIGGER_TYPES } from '../src/core/steps/kinds/trigger';
import { runPipeline } from '../src/testing/run';
import { definitionPage, EXAMPLE } from './definition-page';

const page = definitionPage();
const written = [...page.matchAll(/^```json\n([^]*?)^```/gm)].map(([, text]) => JSON.parse(text!) as unknown);
/** True if the word is alone in a cell, or in a heading. */
const isTold = (word: string): boolean =>
    new RegExp(`^(\\| \`${word}\` \\||#+ (Hook )?${word}$|.*\`${word}\`)`, 'm').test(page);

const SILENT = { warn: () => undefined };

describe('the page of the definition', () => {
    it.each([
        ['kind of steps', STEP_KINDS],
        ['type of triggers', TRIGGER_TYPES],
        ['stage of hooks', HOOK_STAGES],
        ['type of hooks', Object.keys(HOOK_SCHEMAS)],
        ['comparison', COMPARISONS],
    ])('documents each %s', (_, words) => {
        expect(words.filter(word => !isTold(word))).toEqual([]);
    });

    it.each(['batchSize', 'rateLimitRps', 'backoffMultiplier', 'maxErrorRate', 'requires', 'failOnError', 'branch'])(
        'documents the field %s',
        field => expect(page).toMatch(new RegExp(`^\\| \`${field}\` \\| .* \\| \\S.* \\|$`, 'm')),
    );

    it('has an example that is a sound definition and runs', async () => {
        expect(written[0]).toEqual(EXAMPLE);
        const run = await runPipeline({ pipeline: written[0] as never });
        expect(run.status).toBe('COMPLETED');
        expect(run.loaded['products']).toContainEqual({ sku: 'LA-1', name: 'Desk lamp', price: 4900, kind: 'lamp' });
        expect(run.rejected).toContainEqual(expect.objectContaining({ stepKey: 'shape', path: 'price' }));
    });

    it('has an example of conditions that nest', () => {
        const test = compileConditions(conditions('Example', 'Of the page.').parse([written[1]]));
        expect(test({ stock: 3 }, SILENT)).toBe(true);
        expect(test({ stock: 0, tags: ['new'], sku: 'OLD-1' }, SILENT)).toBe(false);
        expect(test({ stock: 0, tags: ['new'], sku: 'A-1' }, SILENT)).toBe(true);
    });

    it('links to pages that there are', () => {
        const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!);
        expect(links.length).toBeGreaterThan(4);
        for (const link of links) readFileSync(join(__dirname, '../docs/reference', link.replace(/#.*/, '')));
    });
});
