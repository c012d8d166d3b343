import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { ruleFuzz } from './kit/fuzz';
import type { Rule } from '../src/core/adapter/rule';
import type { PipelineSource } from '../src/core/pipeline/definition';
import { ruleContract } from '../src/testing/rule-contract';
import { runPipeline } from '../src/testing/run';
import * as flow from '../src';

const blocks = [
    ...readFileSync(join(__dirname, '../docs/guide/validating-and-routing.md'), 'utf8').matchAll(
        /^```(\w+)\n([^]*?)^```/gm,
    ),
];
const code = blocks.filter(([, language]) => language === 'ts').map(([, , text]) => text!);

/** The exports of a block of the guide. */
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
    it('has an example that is a valid pipeline and does what the guide says', async () => {
        const run = await runPipeline({ pipeline: exportsOf(code[0]!)['lamps'] as PipelineSource });
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL' });
        const [, , told] = blocks.find(([, language]) => language === 'json')!;
        expect(run.rejected).toMatchObject(JSON.parse(told!));
        expect(run.rejected).toHaveLength(2);
        expect(run.counters).toMatchObject({
            check: { in: 5, out: 3 },
            kinds: { in: 3, out: 2, filtered: 1 },
            lamps: { in: 1 },
            shades: { in: 1 },
        });
    });

    const ean = exportsOf(code[1]!)['ean'] as Rule;
    for (const { name, run } of [...ruleContract(ean), ruleFuzz(ean)]) it(`has a custom rule that ${name}`, run);
});
