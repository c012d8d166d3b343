import { createHash } from 'node:crypto';
import type { Registry } from '../core/adapter/registry';
import { canonicalJson, type JsonValue } from '../core/data/json';
import { flowError } from '../core/errors/flow-error';
import type { PipelineDefinition, PipelineSource } from '../core/pipeline/definition';
import { type Issue, issueAsJson } from '../core/pipeline/issues';
import { checkDefinition } from '../core/pipeline/parse';

/** A pipeline from the options whose definition is sound. */
export interface CodeFirstPipeline {
    readonly source: PipelineSource;
    readonly definition: PipelineDefinition;
    /** Equal for definitions that do the same: another one is a new revision. */
    readonly digest: string;
}

/** Checks the pipelines of the options. Throws DEFINITION_INVALID with the faults of all of them, each in a line of its own. */
export function checkCodeFirst(sources: readonly PipelineSource[], registry: Registry): readonly CodeFirstPipeline[] {
    const checked = sources.map(source => ({ source, ...checkDefinition(source.definition, registry) }));
    const faulty = checked.filter(({ issues }) => issues.length > 0);
    if (faulty.length > 0) {
        const count = faulty.reduce((sum, { issues }) => sum + issues.length, 0);
        const lines = faulty.flatMap(({ source, issues }) =>
            [`pipeline "${source.code}":`, ...issues.map(lineOf)]);
        const issues = faulty.flatMap(({ source, issues: own }) => own.map(issue => ({ pipeline: source.code, ...issueAsJson(issue) })));
        throw flowError('DEFINITION_INVALID', { count, summary: `\n${lines.join('\n')}` }, { details: { issues } });
    }
    return checked.flatMap(({ source, definition }) => (definition ? [{ source, definition, digest: digestOf(definition) }] : []));
}

function digestOf(definition: PipelineDefinition): string {
    return createHash('sha256').update(canonicalJson(definition as unknown as JsonValue)).digest('hex');
}

/** Where, what, code. The path is told unless the message begins with it. */
function lineOf({ code, path, stepKey, message }: Issue): string {
    const place = message.startsWith(path) ? '' : `${path}: `;
    return `  - ${stepKey === undefined ? '' : `step "${stepKey}", `}${place}${message} (${code})`;
}
