import { UseFilters } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { Allow } from '@vendure/core';
import type { z } from 'zod';
import { HOOK_STAGES } from '../../core/adapter/hook-stages';
import { HOOK_SCHEMAS } from '../../core/pipeline/hook-definition';
import { jsonSchemaOf } from '../../core/schema/json-schema';
import { capabilitiesSchema, errorHandlingSchema, stepRetrySchema, throughputSchema } from '../../core/schema/settings';
import { declaredKinds } from '../../core/steps/kinds';
import type { NamedAdapters, StepKindDeclaration } from '../../core/steps/kinds/step-kind';
import type { JsonObject } from '../../core/value/json';
import { flowPipelinePermission } from '../permissions';
import { ExpectedErrorsFilter } from './expected-errors.filter';

/** A kind of step as the API shows it. */
interface StepKindView {
    readonly kind: string;
    readonly summary: string;
    readonly remarks: string | null;
    readonly schema: JsonObject;
    readonly adapters: JsonObject | null;
    readonly behind: string;
    readonly hasBranches: boolean;
    readonly furtherBranches: readonly string[];
}

/** What a definition may consist of, as the API shows it. */
interface DefinitionFormatView {
    readonly kinds: readonly StepKindView[];
    readonly retry: JsonObject;
    readonly settings: JsonObject;
    readonly hookStages: readonly string[];
    readonly hooks: JsonObject;
}

/** Describes the elements of a definition, except adapters, for clients that draw pipelines. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class DefinitionFormatResolver {
    /** Created once, because the format never changes and building a JSON Schema takes time. */
    private made: DefinitionFormatView | undefined;

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowDefinitionFormat(): DefinitionFormatView {
        return (this.made ??= definitionFormat());
    }
}

function definitionFormat(): DefinitionFormatView {
    return {
        kinds: declaredKinds.map(viewOf),
        retry: jsonSchemaOf(stepRetrySchema),
        settings: schemasOf({
            capabilities: capabilitiesSchema,
            throughput: throughputSchema,
            errorHandling: errorHandlingSchema,
        }),
        hookStages: HOOK_STAGES,
        hooks: schemasOf(HOOK_SCHEMAS),
    };
}

function schemasOf(schemas: Readonly<Record<string, z.ZodType>>): JsonObject {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, jsonSchemaOf(schema)]));
}

function viewOf({
    kind,
    summary,
    remarks,
    frame,
    adapters,
    behind: after,
    branches,
}: StepKindDeclaration): StepKindView {
    // With one named branch in the configuration, all other branches exist by themselves.
    const named = 'a';
    const offered = branches?.({ branches: [{ name: named, when: [] }] }) ?? [];
    return {
        kind,
        summary,
        remarks: remarks ?? null,
        schema: jsonSchemaOf(frame),
        adapters: adaptersOf(adapters),
        behind: after.toUpperCase(),
        hasBranches: branches !== undefined,
        furtherBranches: offered.filter(name => name !== named),
    };
}

function adaptersOf(adapters: NamedAdapters): JsonObject | null {
    switch (adapters.form) {
        case 'none':
            return null;
        case 'one':
            return { kind: adapters.kind.toUpperCase(), field: adapters.field, list: null, value: null };
        case 'calls':
            return {
                kind: adapters.kind.toUpperCase(),
                field: adapters.code,
                list: adapters.list,
                value: adapters.value,
            };
    }
}
