import { createPipelineBuilder } from '../src/core/pipeline/builder';
import type { Redactor } from '../src/core/adapter/redactor';
import type { JsonObject } from '../src/core/value/json';
import { systemClock } from '../src/core/concurrency/clock';
import type { PipelineDefinition } from '../src/core/pipeline/definition';
import { findingDifferences } from '../src/core/pipeline/difference';
import { sortingKeys } from '../src/core/pipeline/key-order';
import { normalStep } from '../src/core/pipeline/normal-form';
import { checkDefinition } from '../src/core/pipeline/parse';
import { noResources } from '../src/core/adapter/no-resources';
import { compilePipeline } from '../src/core/run/compile';
import { findStepKind, stepKind } from '../src/core/steps/kinds';
import { runAtOnce } from '../src/core/concurrency/yielding-task';
import { TaskQueue } from '../src/core/concurrency/task-queue';
import { assertMayEditCode } from '../src/plugin/pipelines/inline-code';
import { definitionReferences } from '../src/plugin/references/definition-references';
import { RunResources } from '../src/plugin/runs/run-resources';
import { requirementsOf } from '../src/plugin/pipelines/requirements';
import { setUp } from '../src/plugin/setup';

const setup = setUp({});
const { registry } = setup;

/** A step of an undeclared kind, as a newer version of Flow may have stored it. */
const feed = {
    key: 'feed',
    kind: 'FEED',
    config: {
        url: 'x',
        auth: { secretCode: 'shop-key' },
        adapterCode: 'googleShopping',
        code: 'return 1',
        operators: [{ op: 'trim', args: { path: 'a', mode: 'both' } }],
    },
} as const;
const definition = {
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'inMemory', records: [] } },
        feed,
    ],
    edges: [
        { from: 'start', to: 'read' },
        { from: 'read', to: 'feed' },
    ],
    capabilities: { requires: [] },
    throughput: { batchSize: 1, concurrency: 1, rateLimitRps: 0 },
    errorHandling: {},
    hooks: {},
} as unknown as PipelineDefinition;
const rejected = expect.objectContaining({ code: 'DEFINITION_INVALID', message: expect.stringContaining('"FEED"') });

/** The error that a function throws. */
function thrownBy(work: () => unknown): unknown {
    try {
        work();
    } catch (thrown) {
        return thrown;
    }
    return undefined;
}

describe('an undeclared kind of steps', () => {
    it('is not found by any function', () => {
        expect(findStepKind('FEED')).toBeUndefined();
        expect(findStepKind('constructor')).toBeUndefined();
        expect(thrownBy(() => stepKind('FEED'))).toEqual(rejected);
    });

    it('keeps a definition from being published', () => {
        const { definition: checked, issues } = checkDefinition({ version: 1, steps: [feed], edges: [] }, registry);
        expect(checked).toBeUndefined();
        expect(issues).toContainEqual(
            expect.objectContaining({ code: 'STEP_KIND_UNKNOWN', path: 'steps[0].kind', stepKey: 'feed' }),
        );
    });

    it('is not compiled', () => {
        const input = { runId: 'r', mode: 'live', triggerKey: 'start', startedAt: 0 } as const;
        const kit = { registry, clock: systemClock, platform: undefined, resources: noResources };
        expect(thrownBy(() => compilePipeline(definition, input, kit))).toEqual(rejected);
    });

    it('has unknown permissions and resources', async () => {
        expect(thrownBy(() => requirementsOf(definition, registry))).toEqual(rejected);
        const none = {} as never;
        const resources = new RunResources(none, none, none, setup);
        await expect(resources.resolve(1, definition, none as Redactor)).rejects.toEqual(rejected);
    });

    it('may refer to every secret, connection and file in its texts, so none of them can be deleted', () => {
        const named = definitionReferences({ steps: [feed] }, registry).filter(({ code }) => code === 'shop-key');
        expect(named.map(({ to }) => to)).toEqual(['secret', 'connection', 'file']);
        expect(named[0]).toMatchObject({ path: 'steps[0].config.auth.secretCode', stepKey: 'feed', isGuess: true });
    });

    it('has code that only permitted users may add', async () => {
        const ctx = { userHasPermissions: () => false } as never;
        const after = { steps: [feed] } as unknown as JsonObject;
        await expect(
            assertMayEditCode({ lane: new TaskQueue(), registry }, ctx, { before: {}, after }),
        ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    });

    it('has no default values and no order of keys', () => {
        expect(normalStep(feed as unknown as JsonObject, registry)).toEqual({ ...feed, disabled: false });
        const changed = { ...feed, config: { ...feed.config, operators: [{ op: 'trim', args: { path: 'a' } }] } };
        const steps = (step: object): JsonObject => ({ steps: [step] }) as unknown as JsonObject;
        expect(runAtOnce(findingDifferences(steps(feed), steps(changed), registry))).toHaveLength(1);
        const ordered = runAtOnce(sortingKeys(steps(feed)))['steps'] as unknown as ReadonlyArray<typeof feed>;
        expect(Object.keys(ordered[0]!.config)).toEqual(['adapterCode', 'auth', 'code', 'operators', 'url']);
    });

    it('cannot be built', () => {
        const builder = createPipelineBuilder<never>()('p');
        // @ts-expect-error no declaration has this kind
        builder.step({ key: 'feed', kind: 'FEED', config: {} });
        // The check of the definition reports it, since a builder without types accepts everything.
        expect(checkDefinition(builder.build().definition, registry).issues).toContainEqual(
            expect.objectContaining({ code: 'STEP_KIND_UNKNOWN' }),
        );
    });
});
