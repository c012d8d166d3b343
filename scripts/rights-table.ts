import { OPERATION_RIGHTS, type OperationRights, RUN_STARTS } from '../src/plugin/operation-rights';

const PLACE = /(<!-- rights: [^>]*-->\n)[^]*?(<!-- end of rights -->)/;

const REVISION = {
    PUBLISH: 'every permission that publishing the revision needs',
    RUN: 'every permission that the revision needs for all records, when the run starts',
} as const;

/** A page with the tables of who may do what, made from the code, in their place. */
export function withRights(page: string): string {
    const operations = Object.entries<OperationRights>(OPERATION_RIGHTS).map(
        ([operation, { action, permission, revision }]) =>
            `| ${action} (\`${operation}\`) | \`${permission.name}\` | ${revision ? REVISION[revision] : '–'} |`,
    );
    const starts = Object.entries(RUN_STARTS).map(([start, user]) => `| ${start} | ${user} |`);
    const tables = [
        '<!-- prettier-ignore-start -->\n',
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
