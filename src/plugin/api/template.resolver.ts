import { Inject, UseFilters } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { Allow } from '@vendure/core';
import type { Registry } from '../../core/adapter/registry';
import { isErrorIssue } from '../../core/pipeline/issues';
import { checkDefinition } from '../../core/pipeline/parse';
import { builtinTemplates } from '../../core/templates/builtin-templates';
import { type PipelineTemplate, TEMPLATE_GROUPS } from '../../core/templates/pipeline-template';
import { flowPipelinePermission } from '../permissions';
import { definitionReferences } from '../references/definition-references';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { ExpectedErrorsFilter } from './expected-errors.filter';

/** A template as the API shows it. */
export interface TemplateView extends PipelineTemplate {
    readonly notes: readonly string[];
    readonly connections: ReadonlyArray<{ readonly code: string; readonly types: readonly string[] }>;
    readonly secrets: readonly string[];
}

/** Offers pipelines to start from. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class TemplateResolver {
    /** Created once, because neither templates nor adapters change after the start. */
    private made: readonly TemplateView[] | undefined;

    constructor(@Inject(FLOW_SETUP) private readonly setup: FlowSetup) {}

    @Query()
    @Allow(flowPipelinePermission.Read, flowPipelinePermission.Create)
    flowPipelineTemplates(): readonly TemplateView[] {
        return (this.made ??= availableTemplates(this.setup.options.templates, this.setup.registry));
    }
}

/** The built-in templates whose adapters are registered, and the shop's own, by group. */
export function availableTemplates(own: readonly PipelineTemplate[], registry: Registry): readonly TemplateView[] {
    const builtIn = builtinTemplates.filter(
        ({ definition }) => !checkDefinition(definition, registry).issues.some(isErrorIssue),
    );
    const views = [...builtIn, ...own].map(template => viewOf(template, registry));
    return TEMPLATE_GROUPS.flatMap(group => views.filter(view => view.group === group));
}

function viewOf(template: PipelineTemplate, registry: Registry): TemplateView {
    const { code, group, title, description, definition, sample, notes = [] } = template;
    const references = definitionReferences(definition, registry);
    const connections = new Map(
        references.flatMap(({ to, code: name, types = [] }) => (to === 'connection' ? [[name, types] as const] : [])),
    );
    const secrets = new Set(references.flatMap(({ to, code: name }) => (to === 'secret' ? [name] : [])));
    return {
        code,
        group,
        title,
        description,
        definition,
        sample,
        notes,
        connections: [...connections].map(([name, types]) => ({ code: name, types })),
        secrets: [...secrets],
    };
}
