import { Inject, UseFilters } from '@nestjs/common';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { Allow } from '@vendure/core';
import { permissionText } from '../../core/adapter/base';
import type { AdapterDefinition, Kind } from '../../core/adapter/definition';
import type { JsonObject } from '../../core/value/json';
import { jsonSchemaOf } from '../../core/schema/json-schema';
import { flowPipelinePermission, manageFlowConnectionsPermission } from '../permissions';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { TriggerPreviews } from '../test-runs/trigger-previews';
import { ExpectedErrorsFilter } from './expected-errors.filter';

const KINDS = [
    'trigger',
    'extractor',
    'operator',
    'rule',
    'loader',
    'sink',
    'connection',
] as const satisfies readonly Kind[];

/** An adapter as the API shows it. */
export interface AdapterView {
    readonly kind: Uppercase<Kind>;
    readonly code: string;
    readonly aliases: readonly string[];
    readonly title: string;
    readonly summary: string;
    readonly category: string | null;
    readonly icon: string | null;
    readonly sinkType: string | null;
    readonly notes: readonly string[];
    readonly requires: readonly string[];
    readonly schema: JsonObject;
    readonly canBeTried: boolean;
    readonly examples: readonly JsonObject[];
}

/** Shows the adapters of pipelines and connections. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class AdapterResolver {
    /** Created once, because adapters never change and building a JSON Schema takes time. */
    private readonly made = new Map<Kind, readonly AdapterView[]>();

    constructor(
        private readonly previews: TriggerPreviews,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    @Query()
    @Allow(flowPipelinePermission.Read, manageFlowConnectionsPermission.Permission)
    flowAdapters(@Args() { kind }: { kind?: Uppercase<Kind> | null }): readonly AdapterView[] {
        return KINDS.filter(one => kind == null || one.toUpperCase() === kind).flatMap(one => this.views(one));
    }

    private views(kind: Kind): readonly AdapterView[] {
        const views =
            this.made.get(kind) ??
            [...this.setup.registry.list(kind)].map(one => this.viewOf(one)).sort((a, b) => (a.code < b.code ? -1 : 1));
        this.made.set(kind, views);
        return views;
    }

    private viewOf(adapter: AdapterDefinition): AdapterView {
        const { kind, code, aliases = [], title, summary, category, notes = [], requires = [], config } = adapter;
        const sink = adapter.kind === 'sink' ? adapter : undefined;
        return {
            kind: kind.toUpperCase() as Uppercase<Kind>,
            code,
            aliases,
            title,
            summary,
            category: category ?? null,
            icon: sink?.icon ?? null,
            sinkType: sink?.sinkType ?? null,
            notes,
            requires: requires.map(permissionText),
            schema: jsonSchemaOf(config),
            canBeTried: kind === 'trigger' ? this.previews.of(code) !== undefined : kind !== 'connection',
            examples: ('examples' in adapter ? (adapter.examples ?? []) : []).map(exampleOf),
        };
    }
}

/** The names under which kinds of adapters keep the configuration in an example. */
const CONFIGURATIONS = ['config', 'args', 'spec', 'settings'];
/** Properties of examples that only tests use. */
const OF_TESTS = ['keys', 'given', 'again', 'shop'];

function exampleOf(example: object): JsonObject {
    // Drops functions and other values that JSON cannot contain.
    const all = Object.entries(JSON.parse(JSON.stringify(example)) as JsonObject);
    const shown = all.filter(([name]) => !OF_TESTS.includes(name));
    return Object.fromEntries(shown.map(([name, value]) => [CONFIGURATIONS.includes(name) ? 'config' : name, value]));
}
