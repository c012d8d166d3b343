import type { Registry } from '../../core/adapter/registry';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition, PipelineSource } from '../../core/pipeline/definition';
import { definitionDigest } from '../../core/pipeline/digest';
import { isErrorIssue, type Issue, issueAsJson } from '../../core/pipeline/issues';
import { checkDefinition, type CheckResult, type CheckScope } from '../../core/pipeline/parse';
import { unknownPermissions } from '../known-permissions';

/** A pipeline from the options with a valid definition. */
export interface CodeFirstPipeline {
    readonly source: PipelineSource;
    readonly definition: PipelineDefinition;
    /** Equal for definitions that do the same. A different digest makes a new revision. */
    readonly digest: string;
}

/** A pipeline from the options, and the issues of its definition. */
export interface WrittenPipeline {
    readonly source: PipelineSource;
    readonly checked: CheckResult;
}

/** Checks the pipelines of the options. `checkCodeFirst` reports their issues, and is the only one to return their definitions. */
export function readCodeFirst(sources: readonly PipelineSource[], registry: Registry): readonly WrittenPipeline[] {
    return sources.map(source => ({ source, checked: checkDefinition(source.definition, registry) }));
}

/** Issues that an adapter registered later may resolve. */
const MAY_BE_MENDED: ReadonlySet<string> = new Set(['ADAPTER_NOT_FOUND', 'SCRIPT_NOT_FOUND']);

/** Throws like `checkCodeFirst` for issues that adapters of other plugins cannot resolve. The other pipelines are checked after these plugins have started. */
export function checkBeforeStart(pipelines: readonly WrittenPipeline[], permissions: ReadonlySet<string>): void {
    checkCodeFirst(
        pipelines.filter(({ checked }) => isCheckedBeforeStart(checked.issues)),
        permissions,
    );
}

/** Whether other plugins cannot resolve all issues of a definition. */
export function isCheckedBeforeStart(issues: readonly Issue[]): boolean {
    const faults = issues.filter(isErrorIssue);
    return faults.length === 0 || faults.some(({ code }) => !MAY_BE_MENDED.has(code));
}

/** Checks them again with the shop, which has started by now. Names that do not exist in the shop are issues. */
export function checkCodeFirstReferences(
    pipelines: readonly WrittenPipeline[],
    registry: Registry,
    shop: Pick<CheckScope, 'platform' | 'hostProblem'>,
): readonly WrittenPipeline[] {
    return pipelines.map(({ source }) => ({ source, checked: checkDefinition(source.definition, registry, shop) }));
}

/**
 * The valid pipelines of the options, with the permissions that they require, which are known once all plugins have been configured. Throws DEFINITION_INVALID
 * with the issues of all pipelines, each in a separate line.
 */
export function checkCodeFirst(
    pipelines: readonly WrittenPipeline[],
    permissions: ReadonlySet<string>,
): readonly CodeFirstPipeline[] {
    rejectInvalid(
        'pipeline',
        pipelines.map(({ source: { code }, checked: { issues, written = {} } }) => ({
            code,
            issues: [...issues, ...unknownPermissions(written, permissions)],
        })),
    );
    return pipelines.flatMap(({ source, checked: { definition } }) =>
        definition ? [{ source, definition, digest: definitionDigest(definition) }] : [],
    );
}

/** A definition by the code of its pipeline or template. */
interface CheckedDefinition {
    readonly code: string;
    readonly issues: readonly Issue[];
}

/** Throws DEFINITION_INVALID with the errors of all definitions, each in a separate line below its pipeline or template. */
export function rejectInvalid(what: 'pipeline' | 'template', checked: readonly CheckedDefinition[]): void {
    const faulty = checked
        .map(({ code, issues }) => ({ code, issues: issues.filter(isErrorIssue) }))
        .filter(({ issues }) => issues.length > 0);
    if (faulty.length === 0) return;
    const count = faulty.reduce((sum, { issues }) => sum + issues.length, 0);
    const lines = faulty.flatMap(({ code, issues }) => [`${what} "${code}":`, ...issues.map(lineOf)]);
    const issues = faulty.flatMap(({ code, issues: own }) =>
        own.map(issue => ({ [what]: code, ...issueAsJson(issue) })),
    );
    throw flowError('DEFINITION_INVALID', { count, summary: `\n${lines.join('\n')}` }, { details: { issues } });
}

/** Place, message and code. The path is omitted if the message begins with it. */
function lineOf({ code, path, stepKey, message }: Issue): string {
    const place = message.startsWith(path) ? '' : `${path}: `;
    return `  - ${stepKey === undefined ? '' : `step "${stepKey}", `}${place}${message} (${code})`;
}
