import { z } from 'zod';
import { naming } from '../../../test/kit/naming';
import { toys } from '../../../test/fixtures/definitions/catalogue';
import { defineExtractor } from '../adapter/extractor';
import { Registry } from '../adapter/registry';
import { defineTrigger } from '../adapter/trigger';
import { seedMode } from '../schema/seed-mode';
import { checkDefinition } from './parse';

const webhook = defineTrigger({
    code: 'WEBHOOK',
    title: 'Webhook',
    summary: 'Started by a post.',
    config: z.strictObject({}),
});
const shelf = defineExtractor({
    code: 'shelf',
    title: 'Shelf',
    summary: 'Reads a shelf.',
    config: z.strictObject({ seedMode: seedMode() }),
    async *extract() {
        yield { records: [] };
    },
    lookup: async () => async records => records.map(record => [record]),
});
const registry = Registry.of(toys.extractors, toys.operators, toys.triggers, [webhook], [shelf]);

const STEPS = {
    hand: { kind: 'TRIGGER', config: { type: 'MANUAL' } },
    post: { kind: 'TRIGGER', config: { type: 'WEBHOOK' } },
    file: { kind: 'EXTRACT', config: { adapterCode: 'list', rows: [] } },
    shape: { kind: 'TRANSFORM', config: { operators: [{ op: 'stamp' }] } },
    read: { kind: 'EXTRACT', config: { adapterCode: 'list', rows: [] } },
    off: { kind: 'EXTRACT', disabled: true, config: { adapterCode: 'list', rows: [] } },
    look: { kind: 'EXTRACT', config: { adapterCode: 'shelf', seedMode: 'lookup' } },
    end: { kind: 'TRANSFORM', config: { operators: [{ op: 'stamp' }] } },
} as const;

/** `'a > b > c'`, and all steps that occur in a way. */
function checked(...ways: readonly string[]) {
    const edges = ways.flatMap(way => {
        const keys = way.split(' > ');
        return keys.slice(1).map((to, i) => ({ from: keys[i]!, to }));
    });
    const keys = new Set(edges.flatMap(({ from, to }) => [from, to]));
    const steps = Object.entries(STEPS).filter(([key]) => keys.has(key));
    return checkDefinition(
        {
            version: 1,
            steps: steps.map(([key, step]) => ({ key, ...step })),
            edges: edges.filter((edge, i) => edges.findIndex(e => e.from === edge.from && e.to === edge.to) === i),
        },
        registry,
    ).issues.filter(({ severity }) => severity !== 'WARNING');
}

describe('an EXTRACT step after other steps', () => {
    it.each([
        ['of a trigger whose runs bring their records', 'post > shape > read > end'],
        ['that looks up what a seed names', 'post > shape > look > end'],
        ['that looks up what another one reads', 'hand > file > shape > look > end'],
        ['that is disabled', 'hand > file > off > end'],
    ])('is allowed: one %s', (_, way) => {
        expect(checked(way)).toEqual([]);
    });

    it('is allowed if only another trigger leads to it', () => {
        expect(checked('post > shape > look > end', 'hand > look')).toEqual([]);
        expect(checked('post > shape > read > end', 'hand > read')).toEqual([]);
    });

    it('is rejected if a run would bring it records of another one, with the trigger of such runs', () => {
        expect(checked('hand > file > shape > read > end', 'post > file')).toMatchObject([
            {
                code: 'EDGE_FORBIDDEN',
                path: 'edges[2]',
                stepKey: 'read',
                message: expect.stringMatching(
                    naming('edges[2]', 'TRANSFORM', '"shape"', '"read"', 'MANUAL', '"hand"', 'seedMode LOOKUP'),
                ),
            },
        ]);
    });

    it('is rejected if one run would both read and look up', () => {
        expect(checked('hand > look > end', 'hand > file > look')).toMatchObject([
            {
                code: 'EDGE_FORBIDDEN',
                path: 'edges[3]',
                stepKey: 'look',
                message: expect.stringMatching(naming('edges[3]', 'EXTRACT', '"file"', '"look"', 'MANUAL', '"hand"')),
            },
        ]);
    });
});
