import type { DefinitionInput, StepDefinition } from '../pipeline/definition';
import type { JsonObject } from '../value/json';
import { compileImport } from './compile-import';
import { hasGroups } from './extract-step';
import type { ImportContext } from './import-context';
import type { ImportPlan } from './import-plan';
import { clause, type FactText } from '../errors/rendered';

/** When an import is repeated, and the folder that it reads then instead of its source. */
export interface ImportTrigger {
    readonly cron: string;
    readonly timezone?: string;
    readonly folder?: { readonly connectionCode: string; readonly path: string; readonly pattern: string };
}

const SCHEDULE_KEY = 'schedule';
const OBJECT_STORAGE = 'OBJECT_STORAGE';
const WILDCARDS = /[?[\]{}()!+@\\]/;

/** Why a trigger cannot repeat the import of a plan; undefined if it can. */
export function importTriggerProblem(
    plan: ImportPlan,
    { folder }: ImportTrigger,
    { connections = {} }: ImportContext,
): FactText | undefined {
    if (!folder) return sourceProblem(plan);
    const type = Object.hasOwn(connections, folder.connectionCode) ? connections[folder.connectionCode] : undefined;
    if (type === undefined)
        return clause`trigger.folder.connectionCode is "${folder.connectionCode}"; allowed: the code of a saved connection`;
    if (folder.pattern === '' || folder.pattern.includes('/'))
        return clause`trigger.folder.pattern is not a pattern of names; allowed: a name with stars, such as prices*.csv`;
    if (type === OBJECT_STORAGE && (WILDCARDS.test(folder.pattern) || folder.pattern.split('*').length > 2))
        return clause`trigger.folder.pattern is "${folder.pattern}"; allowed for object storage: a name with at most one *`;
    return undefined;
}

/** Why the source of a plan cannot be read again. */
function sourceProblem(plan: ImportPlan): FactText | undefined {
    const { source, facts } = plan;
    if (source.kind === 'FILE')
        return clause`trigger has no folder, and the import reads a stored file; allowed: a folder, or an import that reads an address or a file of a server`;
    if (source.kind === 'REMOTE') return undefined;
    if (facts.format === 'XLSX')
        return clause`trigger has no folder, and Excel files cannot be read from an address; allowed: a folder with the file, or an address with CSV, JSON or XML`;
    if (hasGroups(plan))
        return clause`trigger has no folder, and rows cannot be joined if they are read from an address; allowed: a folder with the file`;
    return undefined;
}

/** The pipeline of a plan that a schedule starts too. It can still be started manually. */
export function compileRepeatedImport(
    given: ImportPlan,
    trigger: ImportTrigger,
    context: ImportContext,
): DefinitionInput {
    const { cron, timezone, folder } = trigger;
    const plan = folder ? withFolder(given, folder) : given;
    const { steps, edges, ...rest } = compileImport(plan, context);
    const config: JsonObject = { type: 'SCHEDULE', cron, ...(timezone !== undefined && { timezone }) };
    const schedule: StepDefinition = { key: SCHEDULE_KEY, kind: 'TRIGGER', config };
    return {
        ...rest,
        steps: [
            steps[0]!,
            schedule,
            ...steps.slice(1).map(step => (folder && step.kind === 'EXTRACT' ? ofFolder(step, folder) : step)),
        ],
        edges: [...(edges ?? []), { from: SCHEDULE_KEY, to: 'file' }],
    };
}

function withFolder(plan: ImportPlan, { connectionCode, path }: NonNullable<ImportTrigger['folder']>): ImportPlan {
    return { ...plan, source: { kind: 'REMOTE', connectionCode, path: `${folderOf(path)}/file` } };
}

/** The extractor reads the files of the folder whose names match, instead of one. */
function ofFolder(step: StepDefinition, { path, pattern }: NonNullable<ImportTrigger['folder']>): StepDefinition {
    if (step.config['adapterCode'] === 'ftp') return { ...step, config: { ...step.config, filePattern: pattern } };
    const [begin = '', ...ends] = pattern.split('*');
    // Keys do not begin with a slash.
    const base = folderOf(path).replace(/^\/+/, '');
    const prefix = `${base === '' ? '' : `${base}/`}${begin}`;
    const suffix = ends[0] ?? '';
    return { ...step, config: { ...step.config, prefix, ...(suffix !== '' && { suffix }) } };
}

function folderOf(path: string): string {
    return path.replace(/\/+$/, '');
}
