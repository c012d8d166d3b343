import { batchOperator, recordOperator } from '../adapter/operator';
import { z } from 'zod';
import { toyRegistry, type toys } from '../../../test/fixtures/definitions/catalogue';
import { naming } from '../../../test/kit/naming';
import type { JsonObject, JsonValue } from '../value/json';
import { runAtOnce } from '../concurrency/yielding-task';
import { createPipelineBuilder } from './builder';
import { findingDifferences } from './difference';
import { sortingKeys } from './key-order';
import { checkDefinition, type CheckResult } from './parse';

const asking = batchOperator({
    code: 'asking',
    title: 'Asking',
    summary: 'Calls another system.',
    config: z.strictObject({}),
    examples: [],
    open: async () => async batch => batch,
});
const alone = recordOperator({
    code: 'alone',
    title: 'Alone',
    summary: 'Calls no other system.',
    config: z.strictObject({}),
    examples: [],
    compile: () => data => data,
});
const registry = toyRegistry.plus([asking, alone]);

/** A pipeline whose steps say this of retries, by their keys. */
function having(retry: Readonly<Record<string, JsonValue>>, errorHandling: JsonObject = {}): JsonObject {
    const step = (key: string, kind: string, config: JsonObject): JsonObject => ({
        key,
        kind,
        ...(retry[key] !== undefined && { retry: retry[key] }),
        config,
    });
    const steps = [
        step('start', 'TRIGGER', { type: 'MANUAL' }),
        step('read', 'EXTRACT', { adapterCode: 'list', rows: [] }),
        step('fill', 'TRANSFORM', { operators: [{ op: 'alone' }, { op: 'asking' }] }),
        step('shape', 'TRANSFORM', { operators: [{ op: 'alone' }] }),
        step('known', 'VALIDATE', { rules: [{ type: 'unique', spec: { field: 'a' } }] }),
        step('sound', 'VALIDATE', { rules: [{ type: 'required', spec: { field: 'a' } }] }),
        step('split', 'ROUTE', { branches: [{ name: 'x', when: [{ field: 'a', value: 1 }] }] }),
        step('write', 'LOAD', { adapterCode: 'thingUpsert' }),
    ];
    const keys = steps.map(({ key }) => key as string);
    const edges = keys.slice(1).map((to, index): JsonObject => {
        const from = keys[index]!;
        return { from, to, ...(from === 'split' && { branch: 'x' }) };
    });
    return { version: 1, steps, edges, errorHandling };
}

const check = (...given: Parameters<typeof having>): CheckResult => checkDefinition(having(...given), registry);
const told = ({ issues }: CheckResult) => issues.map(({ code, path, severity }) => [code, path, severity]);

describe("a step's own retry", () => {
    it('is kept as it is written, with only its own fields', () => {
        const { definition, issues } = check({
            read: { maxRetries: 0 },
            fill: { retryDelayMs: 5 },
            known: { maxRetries: 2 },
            write: { maxRetries: 10, retryDelayMs: 300_000, backoffMultiplier: 1.5 },
        });
        expect(issues).toEqual([]);
        const retries = definition!.steps.flatMap(({ key, retry }) => (retry ? [[key, retry]] : []));
        expect(Object.fromEntries(retries)).toEqual({
            read: { maxRetries: 0 },
            fill: { retryDelayMs: 5 },
            known: { maxRetries: 2 },
            write: { maxRetries: 10, retryDelayMs: 300_000, backoffMultiplier: 1.5 },
        });
    });

    it.each<[value: JsonValue, code: string, path: string]>([
        [{ maxRetries: 11 }, 'VALUE_OUT_OF_RANGE', 'steps[1].retry.maxRetries'],
        [{ maxRetries: -1 }, 'VALUE_OUT_OF_RANGE', 'steps[1].retry.maxRetries'],
        [{ maxRetries: '3' }, 'VALUE_INVALID', 'steps[1].retry.maxRetries'],
        [{ retryDelayMs: 300_001 }, 'VALUE_OUT_OF_RANGE', 'steps[1].retry.retryDelayMs'],
        [{ backoffMultiplier: 0.5 }, 'VALUE_OUT_OF_RANGE', 'steps[1].retry.backoffMultiplier'],
        [{ maxErrors: 3 }, 'KEY_UNKNOWN', 'steps[1].retry.maxErrors'],
        [3, 'VALUE_INVALID', 'steps[1].retry'],
        [null, 'VALUE_INVALID', 'steps[1].retry'],
    ])('is rejected if it is %j', (value, code, path) => {
        const { definition, issues } = check({ read: value });
        expect(definition).toBeUndefined();
        expect(issues).toMatchObject([{ code, path, stepKey: 'read' }]);
    });

    it('has a warning if nothing of the step is ever retried', () => {
        const steps = ['start', 'read', 'fill', 'shape', 'known', 'sound', 'split', 'write'];
        const result = check(Object.fromEntries(steps.map(key => [key, { maxRetries: 1 }])));
        expect(result.definition).toBeDefined();
        expect(told(result)).toEqual([0, 3, 5, 6].map(index => ['WITHOUT_EFFECT', `steps[${index}].retry`, 'WARNING']));
        const kinds = ['TRIGGER', 'TRANSFORM', 'VALIDATE', 'ROUTE'];
        const reasons = result.issues.map(({ path, message }, index) => {
            expect(message).toMatch(naming(path, kinds[index]!));
            return message.replace(path, '').replace(kinds[index]!, '');
        });
        // A trigger has a separate reason; the others have one in common.
        expect(new Set(reasons.slice(1)).size).toBe(1);
        expect(reasons[0]).not.toBe(reasons[1]);
    });

    it('has a warning if it sets a wait before no retry', () => {
        const waits = { retryDelayMs: 5, backoffMultiplier: 3 };
        const both = ['retryDelayMs', 'backoffMultiplier'].map(field => [
            'WITHOUT_EFFECT',
            `steps[1].retry.${field}`,
            'WARNING',
        ]);
        expect(told(check({ read: { ...waits, maxRetries: 0 } }))).toEqual(both);
        expect(told(check({ read: waits }, { maxRetries: 0 }))).toEqual(both);
        expect(told(check({ read: { ...waits, maxRetries: 1 } }, { maxRetries: 0 }))).toEqual([]);
        expect(told(check({ read: waits }))).toEqual([]);
        expect(told(check({ start: {}, read: { maxRetries: 0 } }))).toEqual([]);
    });

    it('is written by the builder', () => {
        const { definition } = createPipelineBuilder<typeof toys>()('p')
            .trigger('start', { type: 'MANUAL' })
            .extract('read', { adapterCode: 'list', rows: [] }, { retry: { maxRetries: 5 } })
            .step({
                kind: 'LOAD',
                key: 'write',
                config: { adapterCode: 'thingUpsert' },
                retry: { retryDelayMs: 0 },
            })
            .build();
        expect(definition.steps.map(({ retry }) => retry)).toEqual([undefined, { maxRetries: 5 }, { retryDelayMs: 0 }]);
        expect(checkDefinition(definition, registry).issues).toEqual([]);
    });

    it('is compared field by field, and an empty one equals a missing one', () => {
        const between = (before: JsonValue, after: JsonValue): readonly unknown[] =>
            runAtOnce(findingDifferences(having({ read: before }), having({ read: after }), registry));
        const argument = { subject: 'ARGUMENT', stepKey: 'read' };
        expect(between({ maxRetries: 1, retryDelayMs: 5 }, { maxRetries: 2, retryDelayMs: 5 })).toEqual([
            { kind: 'CHANGED', ...argument, path: 'steps.read.retry.maxRetries', before: 1, after: 2 },
        ]);
        const [none, one] = [having({}), having({ read: { maxRetries: 1 } })];
        const added = { ...argument, path: 'steps.read.retry' };
        expect(runAtOnce(findingDifferences(none, one, registry))).toEqual([
            { kind: 'ADDED', ...added, after: { maxRetries: 1 } },
        ]);
        expect(runAtOnce(findingDifferences(one, none, registry))).toEqual([
            { kind: 'REMOVED', ...added, before: { maxRetries: 1 } },
        ]);
        expect(runAtOnce(findingDifferences(none, having({ read: {} }), registry))).toEqual([]);
    });

    it('is before the configuration in an export, with its fields in a fixed order', () => {
        const step = {
            config: { adapterCode: 'list' },
            retry: { backoffMultiplier: 1, retryDelayMs: 2, maxRetries: 3 },
            kind: 'EXTRACT',
            key: 'read',
        };
        expect(JSON.stringify(runAtOnce(sortingKeys({ steps: [step] })))).toBe(
            '{"steps":[{"key":"read","kind":"EXTRACT","retry":{"maxRetries":3,"retryDelayMs":2,"backoffMultiplier":1},"config":{"adapterCode":"list"}}]}',
        );
    });
});
