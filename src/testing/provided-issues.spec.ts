import { naming } from '../../test/kit/naming';
import { said } from '../../test/kit/said';
import type { AdapterContext } from '../core/adapter/context';

import { createPipelineBuilder } from '../core/pipeline/builder';
import type { DefinitionInput } from '../core/pipeline/definition';
import { productUpsert } from '../platform/loaders/product-upsert';
import { loaderContract, type LoaderShop, runOperator, runPipeline, runStep } from '.';
import { contextWith } from './context';

const read = { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [{ a: 1 }] } };
const shape = {
    key: 'shape',
    kind: 'TRANSFORM',
    config: {
        operators: [
            { op: 'upercase', args: {} },
            { op: 'set', args: { pat: 1 } },
        ],
    },
};
const start = { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } };
const write = { key: 'write', kind: 'LOAD', config: { adapterCode: 'productUpsert' } };

const faulty = {
    version: 1,
    steps: [start, read, write, shape],
    edges: [
        { from: 'start', to: 'read' },
        { from: 'read', to: 'shape' },
        { from: 'shape', to: 'write' },
    ],
} as DefinitionInput;
const sound = {
    version: 1,
    steps: [start, read, write],
    edges: [
        { from: 'start', to: 'read' },
        { from: 'read', to: 'write' },
    ],
} as DefinitionInput;

async function issue(work: () => Promise<unknown>): Promise<{ readonly code: unknown; readonly message: string }> {
    return work().then(
        () => ({ code: undefined, message: 'nothing' }),
        (error: { code?: unknown; message: string }) => ({ code: error.code, message: error.message }),
    );
}

describe('the issues of the input of a test', () => {
    it('list the issues of a definition one per line, with their places in it', async () => {
        const lines = ['0].op: ', '1].args.path ', '1].args.value ', '1].args.pat '].map(
            part => `steps[3].config.operators[${part}`,
        );
        for (const work of [
            () => runPipeline({ pipeline: faulty }),
            () => runStep({ pipeline: faulty, stepKey: 'shape', records: [] }),
        ]) {
            const { code, message } = await issue(work);
            expect(code).toBe('DEFINITION_INVALID');
            const told = message.split('\n').slice(1);
            expect(told.map((line, i) => line.trim().startsWith(lines[i]!))).toEqual([true, true, true, true]);
        }
    });

    it('describe those of an operator with its code and arguments', async () => {
        const unknown = await issue(() => runOperator({ operator: 'upercase', args: {}, records: [] }));
        expect(unknown.message).toMatch(naming('operator', '"upercase"', said('did-you-mean', { guess: 'uppercase' })));
        const wrong = await issue(() => runOperator({ operator: 'uppercase', args: { pat: 1 }, records: [] }));
        expect(wrong.message.split('\n').map(line => line.trim().split(' ')[0])).toEqual([
            'The',
            'args.path',
            'args.pat',
        ]);
    });

    it.each<[string, () => Promise<unknown>, RegExp]>([
        [
            'a step',
            () => runStep({ pipeline: sound, stepKey: 'wrote', records: [] }),
            naming('stepKey', '"wrote"', 'start', 'read', 'write'),
        ],
        [
            'a trigger',
            () => runPipeline({ pipeline: sound, triggerKey: 'begin' }),
            naming('triggerKey', '"begin"', 'start'),
        ],
        ['a source', () => runPipeline({ pipeline: sound, records: { red: [] } }), naming('"red"', 'EXTRACT', 'read')],
    ])('name the known ones if %s is unknown', async (_what, work, named) => {
        expect(await issue(work)).toEqual({ code: 'INPUT_INVALID', message: expect.stringMatching(named) });
    });

    it('name invalid records', async () => {
        const bad = ['x'] as never;
        for (const [work, message] of [
            [() => runPipeline({ pipeline: sound, records: { read: bad } }), 'records.read.0 is "x"'],
            [() => runStep({ pipeline: sound, stepKey: 'write', records: bad }), 'records.0 is "x"'],
            [() => runStep({ pipeline: sound, stepKey: 'write', records: {} as never }), 'records is an object'],
        ] as const)
            expect(await issue(work)).toEqual({ code: 'INPUT_INVALID', message: expect.stringContaining(message) });
    });

    it('describe a pipeline', async () => {
        const builder = createPipelineBuilder()('lamps') as never;
        for (const [given, named] of [
            [undefined, naming('pipeline', '.build()', 'definition')],
            [builder, naming('pipeline', 'builder', 'build()')],
        ] as const)
            expect(await issue(() => runPipeline({ pipeline: given as never }))).toEqual({
                code: 'INPUT_INVALID',
                message: expect.stringMatching(named),
            });
    });

    it('name the requirements for testing a loader', async () => {
        expect(() => loaderContract(productUpsert, {} as LoaderShop)).toThrow(
            naming('shop.platform', 'docs/guide/testing.md'),
        );
        const cx: AdapterContext = contextWith({ stepKey: 'write' });
        const config = productUpsert.config.parse({});
        await expect(productUpsert.open(config, cx)).rejects.toMatchObject({
            code: 'INPUT_INVALID',
            message: expect.stringMatching(naming('"write"', 'loaderContract', 'testFlowStep')),
        });
    });
});
