import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { extractors } from '../src/adapters';
import { describeRules } from './kit/rule-contract';
import { runPipeline } from './kit/pipeline';
import { toyLoader } from './kit/toy-adapters';
import type { Rule } from '../src/core/adapter/rule';
import { parseDefinition } from '../src/core/pipeline/parse';
import type { PipelineSource } from '../src/core/pipeline/definition';
import { setUp } from '../src/plugin/setup';
import * as flow from '../src';

const blocks = [
    ...readFileSync(join(__dirname, '../docs/guide/validating-and-routing.md'), 'utf8').matchAll(
        /^```(\w+)\n([^]*?)^```/gm,
    ),
];
const code = blocks.filter(([, language]) => language === 'ts').map(([, , text]) => text!);

/** What a block of the guide exports. */
function exportsOf(text: string): Record<string, unknown> {
    const exported: Record<string, unknown> = {};
    const { outputText } = ts.transpileModule(text, {
        compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    });
    const load = (name: string): unknown => (name === 'vendure-plugin-flow' ? flow : jest.requireActual(name));
    new Function('require', 'exports', outputText)(load, exported);
    return exported;
}

describe('the guide of validating and routing', () => {
    it('has an example that is a sound pipeline and does what the guide says', async () => {
        const { definition: written } = exportsOf(code[0]!)['lamps'] as PipelineSource;
        const definition = parseDefinition(written, setUp({}).registry);
        const { end, state } = await runPipeline(definition, {
            adapters: [...extractors, { ...toyLoader(), code: 'productUpsert' }],
        });
        expect(end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
        const [, , told] = blocks.find(([, language]) => language === 'json')!;
        expect([...state.rejects.values()]).toMatchObject(JSON.parse(told!));
        expect(state.rejects.size).toBe(2);
        expect(state.counters).toMatchObject({
            check: { in: 5, out: 3 },
            kinds: { in: 3, out: 2, filtered: 1 },
            lamps: { in: 1 },
            shades: { in: 1 },
        });
    });

    describeRules([exportsOf(code[1]!)['ean'] as Rule]);
});
