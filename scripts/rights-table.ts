import { flowPermissions } from '../src/plugin/permissions';
import { OPERATION_RIGHTS, type OperationRights, RUN_STARTS } from '../src/plugin/operation-rights';

const PLACE = /(<!-- rights: [^>]*-->\n)[^]*?(<!-- end of rights -->)/;

const REVISION = {
    PUBLISH: 'every permission that publishing the revision needs',
    RUN: 'every permission that the revision needs for all records, when the run starts',
} as const;

const READER = ['ReadFlowPipeline', 'ReadFlowRun'];
const EDITOR = [...READER, 'CreateFlowPipeline', 'UpdateFlowPipeline', 'ReadFlowRecord', 'ReadFlowFiles'];

/** The permissions of the roles in the table, by column. The superadmin has all of them, and an anonymous visitor has none. */
export const PERSONS = {
    superadmin: 'all',
    publisher: [...EDITOR, 'PublishFlowPipeline', 'RunFlowPipeline'],
    editor: EDITOR,
    runner: [...READER, 'RunFlowPipeline', 'RetryFlowRecord', 'ApproveFlowGate'],
    reviewer: [...READER, 'ReviewFlowPipeline'],
    reader: READER,
    anonymous: [],
} as const satisfies Readonly<Record<string, readonly string[] | 'all'>>;

export type Person = keyof typeof PERSONS;

/** A row of the table of roles: a task, and all permissions that it needs. */
export interface PersonsRow {
    readonly action: string;
    readonly permissions: readonly string[];
    /** The operation. A row without one describes everything that the permission allows. */
    readonly operation?: string;
}

/** The operations that decide what runs by name, all others by permission. */
export function personsRows(): readonly PersonsRow[] {
    const operations = Object.entries<OperationRights>(OPERATION_RIGHTS).map(([operation, rights]) => ({
        action: rights.action,
        permissions: neededFor(rights),
        operation,
    }));
    const covered = new Set(Object.values<OperationRights>(OPERATION_RIGHTS).map(({ permission }) => permission.name));
    const others = flowPermissions
        .flatMap(one => one.getMetadata())
        .filter(({ name }) => !covered.has(name))
        .map(({ name, description }) => ({
            action: description.replace(/^Grants permission to /, ''),
            permissions: [name],
        }));
    return [...others, ...operations];
}

function neededFor({ permission, also = [] }: OperationRights): readonly string[] {
    return [permission.name, ...also];
}

function personsTable(): readonly string[] {
    const persons = Object.keys(PERSONS) as Person[];
    const can = (person: Person, permissions: readonly string[]): string => {
        const has: readonly string[] | 'all' = PERSONS[person];
        return has === 'all' || permissions.every(permission => has.includes(permission)) ? 'yes' : '–';
    };
    return [
        `| action | permission | ${persons.join(' | ')} |`,
        `|---|---|${persons.map(() => '---|').join('')}`,
        ...personsRows().map(
            ({ action, permissions }) =>
                `| ${action} | ${inCode(permissions)} | ${persons.map(person => can(person, permissions)).join(' | ')} |`,
        ),
    ];
}

function inCode(permissions: readonly string[]): string {
    return permissions.map(permission => `\`${permission}\``).join(', ');
}

/** Replaces the tables of permissions in a page by those generated from the code. */
export function withRights(page: string): string {
    const operations = Object.entries<OperationRights>(OPERATION_RIGHTS).map(
        ([operation, rights]) =>
            `| ${rights.action} (\`${operation}\`) | ${inCode(neededFor(rights))} | ${rights.revision ? REVISION[rights.revision] : '–'} |`,
    );
    const starts = Object.entries(RUN_STARTS).map(([start, user]) => `| ${start} | ${user} |`);
    const tables = [
        ...personsTable(),
        '',
        '| operation | needs | and, of the revision that will run |',
        '|---|---|---|',
        ...operations,
        '',
        '| a run that is started by | acts for |',
        '|---|---|',
        ...starts,
    ].join('\n');
    return page.replace(PLACE, (_, before: string, after: string) => `${before}\n${tables}\n\n${after}`);
}
