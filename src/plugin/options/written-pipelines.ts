import type { Registry } from '../../core/adapter/registry';
import { issueCount } from '../../core/errors/issue-count';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition, PipelineSource } from '../../core/pipeline/definition';
import { definitionDigest } from '../../core/pipeline/digest';
import { isErrorIssue, type Issue, issueAsJson } from '../../core/pipeline/issues';
import { checkDefinition, type CheckResult, type CheckScope } from '../../core/pipeline/parse';
import { unknownPermissions } from '../known-permissions';

/** A pipeline from the options whose definition is sound. */
export interface CodeFirstPipeline {
    readonly source: PipelineSource;
    readonly definition: PipelineDefinition;
    /** Equal for definitions that do the same: another one is a new revision. */
    readonly digest: string;
}

/** A pipeline from the options, and what is wrong with its definition by itself. */
export interface WrittenPipeline {
    readonly source: PipelineSource;
    readonly checked: CheckResult;
}

/** Looks the pipelines of the options through. What is wrong with them is told by `checkCodeFirst`, which alone answers their definitions. */
export function readCodeFirst(sources: readonly PipelineSource[], registry: Registry): readonly WrittenPipeline[] {
    return sources.map(source => ({ source, checked: checkDefinition(source.definition, registry) }));
}

/** What an adapter that is registered later may mend. */
const MAY_BE_MENDED: ReadonlySet<string> = new Set(['ADAPTER_NOT_FOUND', 'SCRIPT_NOT_FOUND']);

/** Throws as `checkCodeFirst` for what is wrong whatever adapters other plugins register still; the others are judged when these have started. */
export function checkBeforeStart(pipelines: readonly WrittenPipeline[], permissions: ReadonlySet<string>): void {
    const isJudged = ({ checked }: WrittenPipeline): boolean => {
        const issues = checked.issues.filter(isErrorIssue);
        return issues.length === 0 || issues.some(({ code }) => !MAY_BE_MENDED.has(code));
    };
    checkCodeFirst(pipelines.filter(isJudged), permissions);
}

/** Looks them through once more in the shop, which is there by now: what they name and it does not have is a fault of theirs. */
export function checkCodeFirstReferences(
    pipelines: readonly WrittenPipeline[],
    registry: Registry,
    shop: Pick<CheckScope, 'platform' | 'hostProblem'>,
): readonly WrittenPipeline[] {
    return pipelines.map(({ source }) => ({ source, checked: checkDefinition(source.definition, registry, shop) }));
}

/**
 * The pipelines of the options, all of them sound, with the permissions that they ask for: these are known once all plugins have been
 * configured. Throws DEFINITION_INVALID with the faults of all pipelines, each in a line of its own.
 */
export function checkCodeFirst(
    pipelines: readonly WrittenPipeline[],
    permissions: ReadonlySet<string>,
): readonly CodeFirstPipeline[] {
    refuseFaulty(
        pipelines.map(({ source, checked: { issues, written = {} } }) => ({
            source,
            issues: [...issues, ...unknownPermissions(written, permissions)],
        })),
    );
    return pipelines.flatMap(({ source, checked: { definition } }) =>
        definition ? [{ source, definition, digest: definitionDigest(definition) }] : [],
    );
}

interface Checked {
    readonly source: PipelineSource;
    readonly issues: readonly Issue[];
}

function refuseFaulty(checked: readonly Checked[]): void {
    const faulty = checked
        .map(({ source, issues }) => ({ source, issues: issues.filter(isErrorIssue) }))
        .filter(({ issues }) => issues.length > 0);
    if (faulty.length === 0) return;
    const count = faulty.reduce((sum, { issues }) => sum + issues.length, 0);
    const lines = faulty.flatMap(({ source, issues }) => [`pipeline "${source.code}":`, ...issues.map(lineOf)]);
    const issues = faulty.flatMap(({ source, issues: own }) =>
        own.map(issue => ({ pipeline: source.code, ...issueAsJson(issue) })),
    );
    throw flowError(
        'DEFINITION_INVALID',
        { count: issueCount(count), summary: `\n${lines.join('\n')}` },
        { details: { issues } },
    );
}

/** Where, what, code. The path is told unless the message begins with it. */
function lineOf({ code, path, stepKey, message }: Issue): string {
    const place = message.startsWith(path) ? '' : `${path}: `;
    return `  - ${stepKey === undefined ? '' : `step "${stepKey}", `}${place}${message} (${code})`;
}
