import { type Definition, isObject, listOf } from '../model/definition';

/** What is wrong with a definition, or hardly meant. */
export interface EditorIssue {
    readonly code: string;
    readonly path: string;
    readonly stepKey: string | null;
    readonly message: string;
    readonly severity: 'ERROR' | 'WARNING';
    /** Set while the user looks for the issue; called once it is in view. */
    readonly reached?: (() => void) | undefined;
}

/** An issue of a form: where in it, dotted. */
export interface PlacedIssue {
    /** `operators.0.args.source`; empty for the whole. */
    readonly path: string;
    readonly message: string;
    readonly severity: 'ERROR' | 'WARNING';
    readonly reached?: (() => void) | undefined;
}

/** The number of errors and warnings. */
export interface IssueCount {
    readonly errors: number;
    readonly warnings: number;
}

/** The issues of a step, by what they are about within it: `config.operators.0.args.source`, `key`. */
export function issuesOfStep(
    issues: readonly EditorIssue[],
    definition: Definition,
    key: string,
): readonly PlacedIssue[] {
    const index = listOf(definition['steps']).findIndex(step => isObject(step) && step['key'] === key);
    return issues
        .filter(issue => stepKeyOf(issue, definition) === key)
        .map(({ path, message, severity, reached }) => {
            const parts = partsOf(path);
            const isWithin = parts[0] === 'steps' && parts[1] === String(index);
            return {
                path: isWithin ? parts.slice(2).join('.') : '',
                message: shortMessage({ path, message }),
                severity,
                ...(reached && { reached }),
            };
        });
}

/** Issues outside of steps, by their paths: `throughput.batchSize`, `hooks.AFTER_LOAD.0.url`. */
export function issuesOfPipeline(issues: readonly EditorIssue[], definition: Definition): readonly PlacedIssue[] {
    return issues
        .filter(issue => stepKeyOf(issue, definition) === undefined)
        .map(({ path, message, severity, reached }) => ({
            path: partsOf(path).join('.'),
            message: shortMessage({ path, message }),
            severity,
            ...(reached && { reached }),
        }));
}

/** A message without the path at its start, for display at that path. */
export function shortMessage({ path, message }: Pick<EditorIssue, 'path' | 'message'>): string {
    if (!message.startsWith(`${path} `) && !message.startsWith(`${path}: `)) return message;
    const rest = message.slice(path.length).replace(/^:?\s+/, '');
    return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** A message for display next to the key of its step. */
export function messageInStep({ message }: Pick<EditorIssue, 'message'>): string {
    return message.replace(/^steps\[\d+\]\.(config\.)?/, '');
}

/** Those below a path, with what is left of theirs. */
export function issuesBelow(issues: readonly PlacedIssue[], path: string): readonly PlacedIssue[] {
    return issues.flatMap(issue => {
        if (issue.path === path) return [{ ...issue, path: '' }];
        return issue.path.startsWith(`${path}.`) ? [{ ...issue, path: issue.path.slice(path.length + 1) }] : [];
    });
}

/** The step that an issue belongs to: the one that it names, or the one in whose place it is. */
export function stepKeyOf({ stepKey, path }: EditorIssue, definition: Definition): string | undefined {
    if (stepKey !== null) return stepKey;
    const [list, index] = partsOf(path);
    if (list === 'edges' && index !== undefined) {
        const edge = listOf(definition['edges'])[Number(index)];
        return isObject(edge) && typeof edge['from'] === 'string' ? edge['from'] : undefined;
    }
    const step = list === 'steps' ? listOf(definition['steps'])[Number(index)] : undefined;
    return isObject(step) && typeof step['key'] === 'string' ? step['key'] : undefined;
}

/** The number of errors, and the number of warnings. */
export function countOf(issues: ReadonlyArray<Pick<EditorIssue, 'severity'>>): IssueCount {
    const errors = issues.filter(({ severity }) => severity === 'ERROR').length;
    return { errors, warnings: issues.length - errors };
}

/** `steps[2].config.operators[0]` as `steps`, `2`, `config`, `operators`, `0`. */
function partsOf(path: string): readonly string[] {
    return path.split(/[.[\]]+/).filter(part => part !== '');
}
