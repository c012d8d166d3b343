import fc from 'fast-check';
import { memoryPorts } from '../../../test/kit/memory-ports';
import { RUN } from '../../../test/kit/run-facts';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import type { AdapterContext } from '../adapter/context';
import { ENV } from '../../testing/bare-call';
import type { RecordOperator } from '../adapter/operator';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { pathOf } from '../data/path';
import type { Batch } from '../data/record';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import type { StepEnv, StepResult } from '../steps/step';
import { type CompiledOperator, transformStep } from '../steps/transform';
import { rename } from './data/rename';
import { operators } from './index';
import { omit } from './json/omit';
import { pick } from './json/pick';

const PLACE = { seq: 0, id: '0', warn: () => undefined };

const name = fc.constantFrom('a', 'b', 'sku', 'Größe', 'Art.-Nr.', '0');
const scalar = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.constantFrom<JsonValue>(null, '', 'ß', 7, -0.5, true, '1.234,5', '2026-01-31', '{"a":1}', '4006381333931'),
);
const nested = fc.dictionary(
    name,
    fc.oneof(scalar, fc.dictionary(name, scalar, { maxKeys: 3, noNullPrototype: true })),
    { maxKeys: 4, noNullPrototype: true },
);

/** The values of a record that hold no others, by their paths. */
function leavesOf(value: JsonValue, path: readonly string[] = []): ReadonlyArray<readonly [string, JsonValue]> {
    if (isJsonObject(value)) return Object.entries(value).flatMap(([key, field]) => leavesOf(field, [...path, key]));
    return [[path.map(pathOf).join('.'), value]];
}

it('the fields that pick and omit keep are together all fields, each once', () => {
    const paths = fc.uniqueArray(
        fc
            .tuple(name, fc.option(name, { nil: undefined }))
            .map(parts => parts.flatMap(part => (part === undefined ? [] : [pathOf(part)])).join('.')),
        { minLength: 1, maxLength: 4 },
    );
    fc.assert(
        fc.property(nested, paths, (data, fields) => {
            const picked = pick.compile({ fields }, ENV)(data, PLACE) as JsonObject;
            const rest = omit.compile({ fields }, ENV)(data, PLACE) as JsonObject;
            const sorted = (leaves: ReadonlyArray<readonly [string, JsonValue]>): unknown =>
                [...leaves].sort(([a], [b]) => (a < b ? -1 : 1));
            expect(sorted([...leavesOf(picked), ...leavesOf(rest)])).toEqual(sorted(leavesOf(data)));
        }),
    );
});

it('a field that is renamed and renamed back is unchanged', () => {
    fc.assert(
        fc.property(nested, name, (data, from) => {
            const there = rename.compile({ from: pathOf(from), to: 'elsewhere' }, ENV)(data, PLACE) as JsonObject;
            expect(Object.hasOwn(there, from)).toBe(false);
            expect(rename.compile({ from: 'elsewhere', to: pathOf(from) }, ENV)(there, PLACE)).toEqual(data);
        }),
    );
});

/** Calls of all operators that work on one record at a time, as their examples have them. */
const calls = operators
    .filter((operator): operator is typeof operator & RecordOperator => operator.form === 'record')
    .flatMap((operator: RecordOperator) => operator.examples.map(({ args, in: given }) => ({ operator, args, given })));

function compiled({ operator, args }: (typeof calls)[number], index: number): CompiledOperator {
    return {
        form: 'record',
        op: operator.code,
        position: index + 1,
        fn: operator.compile(operator.config.parse(args), ENV),
    };
}

/** What a step makes of the records, cut into batches. */
async function transformed(
    chain: readonly CompiledOperator[],
    batches: readonly Batch[],
): Promise<readonly StepResult[]> {
    const env = {
        run: RUN,
        ports: memoryPorts(),
        pace: new EventLoopYield({ clock: new VirtualClock() }),
        adapter: {} as AdapterContext,
    };
    const body = await transformStep('shape', chain).open(env as Omit<StepEnv, 'memory'> as StepEnv);
    const results: StepResult[] = [];
    for (const [batchNo, batch] of batches.entries())
        results.push(await body(batch, { sourceKey: 'read', batchNo, number: 0, earlier: [] }));
    return results;
}

function chunked(batch: Batch, size: number): readonly Batch[] {
    return Array.from({ length: Math.ceil(batch.length / size) }, (_, i) => batch.slice(i * size, (i + 1) * size));
}

it('any size of batches gives the same records, counts and rejects', async () => {
    const chains = fc.array(fc.constantFrom(...calls), { minLength: 1, maxLength: 5 });
    await fc.assert(
        fc.asyncProperty(
            chains,
            fc.array(nested, { maxLength: 6 }),
            fc.integer({ min: 1, max: 7 }),
            async (chain, more, size) => {
                // With the examples' own records, so that most operators have something to do.
                const batch = [...chain.map(({ given }) => given), ...more].map((data, seq) => ({
                    data,
                    origin: { seq },
                }));
                const [whole] = await transformed(chain.map(compiled), [batch]);
                const parts = await transformed(chain.map(compiled), chunked(batch, size));
                expect(parts.flatMap(({ out }) => out)).toEqual(whole!.out);
                expect(parts.flatMap(({ rejects }) => rejects)).toEqual(whole!.rejects);
                for (const count of ['expanded', 'filtered', 'rejected'] as const) {
                    expect(parts.reduce((sum, { counts }) => sum + (counts[count] ?? 0), 0)).toBe(whole!.counts[count]);
                }
            },
        ),
        { numRuns: 300 },
    );
});
