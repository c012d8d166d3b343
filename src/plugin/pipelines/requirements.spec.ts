import { z } from 'zod';
import { textNaming } from '../../../test/kit/naming';
import { defineExtractor } from '../../core/adapter/extractor';
import { defineLoader } from '../../core/adapter/loader';
import { recordOperator } from '../../core/adapter/operator';
import { Registry } from '../../core/adapter/registry';
import { defineRule, reporting } from '../../core/adapter/rule';
import type { PipelineDefinition, StepDefinition } from '../../core/pipeline/definition';
import { each } from '../../core/operators/logic/each';
import { requirementsOf, requirementsToPublish } from './requirements';

const meta = { title: 'T', summary: 'S.', config: z.strictObject({}) };
const registry = Registry.of([
    each,
    defineExtractor({
        ...meta,
        code: 'orders',
        requires: ['ReadOrder'],
        extract: async function* () {
            /* no pages */
        },
    }),
    recordOperator({
        ...meta,
        code: 'lookUpCustomer',
        requires: ['ReadCustomer'],
        examples: [],
        compile: () => data => data,
    }),
    defineRule({
        ...meta,
        code: 'known',
        config: z.strictObject(reporting()),
        requires: ['ReadAsset'],
        examples: [],
        compile: () => () => undefined,
    }),
    defineLoader({
        ...meta,
        code: 'products',
        requires: ['UpdateCatalog', 'CreateCatalog'],
        mayRequire: () => [{ need: 'DeleteCatalog', reason: 'a record that deletes' }],
        open: () => Promise.reject(new Error('never opened here')),
    }),
]);

function definition(steps: readonly StepDefinition[], requires: readonly string[] = []): PipelineDefinition {
    return {
        version: 1,
        steps,
        edges: [],
        capabilities: { requires },
        hooks: {},
        throughput: { batchSize: 100, concurrency: 1, rateLimitRps: 0 },
        errorHandling: { maxRetries: 3, retryDelayMs: 1000, backoffMultiplier: 2 },
    };
}

describe('the permissions that a run needs', () => {
    it('are those of the pipeline and of the adapters of all its steps', () => {
        const needs = requirementsOf(
            definition(
                [
                    { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'orders' } },
                    { key: 'shape', kind: 'TRANSFORM', config: { operators: [{ op: 'lookUpCustomer', args: {} }] } },
                    { key: 'check', kind: 'VALIDATE', config: { rules: [{ type: 'known', spec: {} }] } },
                    { key: 'out', kind: 'LOAD', config: { adapterCode: 'products' } },
                ],
                ['ReadSettings'],
            ),
            registry,
        );
        expect(needs.map(({ permission, what }) => `${permission}: ${what}`)).toEqual([
            textNaming('RunFlowPipeline: '),
            'ReadSettings: the pipeline (capabilities.requires)',
            'ReadOrder: step "in" (orders)',
            'ReadCustomer: step "shape" (lookUpCustomer)',
            'ReadAsset: step "check" (known)',
            'UpdateCatalog: step "out" (products)',
            'CreateCatalog: step "out" (products)',
        ]);
    });

    it('are those of operators within operators, too', () => {
        const operators = [{ op: 'each', args: { path: 'l', operators: [{ op: 'lookUpCustomer', args: {} }] } }];
        const needs = requirementsOf(
            definition([{ key: 'shape', kind: 'TRANSFORM', config: { operators } }]),
            registry,
        );
        expect(needs.map(({ permission }) => permission)).toEqual(['RunFlowPipeline', 'ReadCustomer']);
    });

    it('name each permission once', () => {
        const load: StepDefinition = { key: 'a', kind: 'LOAD', config: { adapterCode: 'products' } };
        const needs = requirementsOf(definition([load, { ...load, key: 'b' }], ['UpdateCatalog']), registry);
        expect(needs.map(({ permission }) => permission)).toEqual([
            'RunFlowPipeline',
            'UpdateCatalog',
            'CreateCatalog',
        ]);
    });

    it('include the permissions that only some records need when it is published', () => {
        const load: StepDefinition = { key: 'a', kind: 'LOAD', config: { adapterCode: 'products' } };
        const permissions = (of: typeof requirementsOf): readonly string[] =>
            of(definition([load]), registry).map(({ permission }) => permission);
        const always = ['RunFlowPipeline', 'UpdateCatalog', 'CreateCatalog'];
        expect(permissions(requirementsOf)).toEqual(always);
        expect(permissions(requirementsToPublish)).toEqual([...always, 'DeleteCatalog']);
    });

    it('leave disabled steps out', () => {
        const needs = requirementsOf(
            definition([{ key: 'a', kind: 'LOAD', disabled: true, config: { adapterCode: 'products' } }]),
            registry,
        );
        expect(needs.map(({ permission }) => permission)).toEqual(['RunFlowPipeline']);
    });
});
