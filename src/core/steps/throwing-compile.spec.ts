import { z } from 'zod';
import { runPipeline, sketched } from '../../../test/kit/pipeline';
import type { AdapterDefinition } from '../adapter/definition';
import { defineOperator } from '../adapter/define-operator';
import { defineRule, reporting } from '../adapter/rule';
import type { JsonObject } from '../value/json';

const words = { category: 'Own', title: 'Broken', summary: 'Is broken.', config: z.strictObject({}) };
const boom = (): never => {
    throw new TypeError('boom');
};

const compiling = defineOperator({ ...words, code: 'compiling', examples: [], compile: boom });
const opening = defineOperator({ ...words, code: 'opening', examples: [], open: boom });
const judging = defineRule({
    ...words,
    code: 'judging',
    config: z.strictObject({ field: z.string(), ...reporting() }),
    examples: [],
    compile: boom,
});

/** How a run through one step ends, be it that it cannot even be compiled. */
async function errorOf(kind: 'TRANSFORM' | 'VALIDATE', config: JsonObject, adapter: AdapterDefinition) {
    const definition = sketched({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [{ id: 1 }] }] }],
            work: [kind, config],
            write: ['LOAD', { adapterCode: 'toyUpsert', table: 'out' }],
        },
        edges: ['start > read > work > write'],
    });
    try {
        const { end } = await runPipeline(definition, { adapters: [adapter] });
        return end.end === 'stopped' ? end.error : undefined;
    } catch (thrown) {
        return thrown as Error;
    }
}

describe('code of an adapter that throws when it is compiled', () => {
    it.each([compiling, opening].map(operator => [operator.code, operator] as const))(
        'is named with its operator: %s',
        async (op, operator) => {
            const error = await errorOf('TRANSFORM', { operators: [{ op, args: {} }] }, operator);
            expect(error).toMatchObject({ code: 'DEFINITION_INVALID' });
            expect(error!.message).toContain(`"${op}"`);
            expect(error!.message).toContain('work.operators.0.args');
        },
    );

    it('is named with its rule', async () => {
        const error = await errorOf('VALIDATE', { rules: [{ type: 'judging', spec: { field: 'id' } }] }, judging);
        expect(error).toMatchObject({ code: 'DEFINITION_INVALID' });
        expect(error!.message).toContain('"judging"');
    });
});
