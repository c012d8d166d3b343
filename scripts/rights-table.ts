import { flowPermissions } from '../src/plugin/permissions';
import { OPERATION_RIGHTS, type OperationRights, RUN_STARTS } from '../src/plugin/operation-rights';

const PLACE = /(<!-- rights: [^>]*-->\n)[^]*?(<!-- end of rights -->)/;

const REVISION = {
    PUBLISH: 'every permission that publishing the revision needs',
    RUN: 'every permission that the revision needs for all records, when the run starts',
} as const;

/** Permissions of the people in the table. Each has those of the reader as well, anonymous aside. */
const READER = ['ReadFlowPipeline', 'ReadFlowRun'];
const EDITOR = [...READER, 'CreateFlowPipeline', 'UpdateFlowPipeline', 'ReadFlowRecord', 'ReadFlowFiles'];
const PERSONS: Readonly<Record<string, readonly string[] | 'all'>> = {
    superadmin: 'all',
    publisher: [...EDITOR, 'PublishFlowPipeline', 'RunFlowPipeline'],
    editor: EDITOR,
    runner: [...READER, 'RunFlowPipeline', 'RetryFlowRecord', 'ApproveFlowGate'],
    reviewer: [...READER, 'ReviewFlowPipeline'],
    reader: READER,
    anonymous: [],
};

/** What everybody with one of Flow's permissions can do: the operations that decide what runs by their names, all others by the permission. */
function personsTable(): readonly string[] {
    const names = Object.keys(PERSONS);
    const actions = Object.values<OperationRights>(OPERATION_RIGHTS).map(
        ({ action, permission }) => [action, permission.name] as const,
    );
    const covered = new Set(actions.map(([, permission]) => permission));
    const others = flowPermissions
        .flatMap(one => one.getMetadata())
        .filter(({ name }) => !covered.has(name))
        .map(({ name, description }) => [description.replace(/^Grants permission to /, ''), name] as const);
    const can = (person: string, permission: string): string => {
        const has = PERSONS[person]!;
        return has === 'all' || has.includes(permission) ? 'yes' : '–';
    };
    return [
        `| action | permission | ${names.join(' | ')} |`,
        `| --- | --- |${names.map(() => ' --- |').join('')}`,
        ...[...others, ...actions].map(
            ([action, permission]) =>
                `| ${action} | \`${permission}\` | ${names.map(name => can(name, permission)).join(' | ')} |`,
        ),
    ];
}

/** A page with the tables of who may do what, made from the code, in their place. */
export function withRights(page: string): string {
    const operations = Object.entries<OperationRights>(OPERATION_RIGHTS).map(
        ([operation, { action, permission, revision }]) =>
            `| ${action} (\`${operation}\`) | \`${permission.name}\` | ${revision ? REVISION[revision] : '–'} |`,
    );
    const starts = Object.entries(RUN_STARTS).map(([start, user]) => `| ${start} | ${user} |`);
    const tables = [
        '<!-- prettier-ignore-start -->\n',
        ...personsTable(),
        '',
        '| who wants to | needs | and, of the revision that will run |',
        '| --- | --- | --- |',
        ...operations,
        '',
        '| a run that is started by | acts for |',
        '| --- | --- |',
        ...starts,
        '\n<!-- prettier-ignore-end -->',
    ].join('\n');
    return page.replace(PLACE, (_, before: string, after: string) => `${before}\n${tables}\n${after}`);
}
